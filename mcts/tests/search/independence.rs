//! What a search does depends on its game and its seed alone.

use garuda_mcts::evaluators::{Rollout, Uniform};
use garuda_mcts::{Cache, Gumbel, GumbelSettings, Puct, PuctSettings, Search, Shard};
use garuda_rules::Game;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::runs::{MEMORY, gumbel};
use crate::toys::{Heap, TicTacToe};

const SETTINGS: GumbelSettings = GumbelSettings {
    simulations: 20,
    max_considered_actions: 8,
    gumbel_scale: 1.0,
    values: garuda_mcts::ValueScale {
        maxvisit_init: 50.0,
        scale: 1.0,
    },
    check_win_in_one: false,
    draw_value: 0.0,
};

/// Plays a game for each seed to its end, so many at a time, and returns the outline of every
/// search of each.
fn play_all(seeds: &[u64], at_a_time: usize, cache: Option<Cache>) -> Vec<Vec<String>> {
    struct LoadedPlayer {
        game: usize,
        rng: ChaCha8Rng,
    }
    let mut rollout = Rollout::new(3, 2, 50);
    let mut outlines = vec![Vec::new(); seeds.len()];
    let mut waiting = seeds.iter().enumerate();
    let mut seats: Vec<LoadedPlayer> = waiting
        .by_ref()
        .take(at_a_time)
        .map(|(game, &seed)| LoadedPlayer {
            game,
            rng: ChaCha8Rng::seed_from_u64(seed),
        })
        .collect();
    let start = Heap::new(25);
    let searches = seats
        .iter_mut()
        .map(|seat| {
            let mut search = Gumbel::new(start.clone(), MEMORY);
            search.begin(SETTINGS, &mut seat.rng);
            search
        })
        .collect();
    let mut shard = Shard::new(searches, cache);
    loop {
        let mut playing = false;
        for (seat, search) in seats.iter_mut().zip(shard.searches_mut()) {
            while search.is_over() && search.game().outcome().is_none() {
                outlines[seat.game].push(search.outline().to_string());
                let mv = search.moves()[search.best()];
                search.play(mv, false);
                if search.game().outcome().is_none() {
                    search.begin(SETTINGS, &mut seat.rng);
                } else if let Some((game, &seed)) = waiting.next() {
                    seat.game = game;
                    seat.rng = ChaCha8Rng::seed_from_u64(seed);
                    search.reset(&start);
                    search.begin(SETTINGS, &mut seat.rng);
                }
            }
            playing |= !search.is_over();
        }
        if !playing {
            return outlines;
        }
        shard.step(&mut rollout).unwrap();
    }
}

#[test]
fn equal_seeds_give_equal_trees_whatever_the_shard() {
    let seeds: Vec<u64> = (100..120).collect();
    let together = play_all(&seeds, 20, None);
    assert_eq!(together, play_all(&seeds, 7, None));
    assert_eq!(together, play_all(&seeds, 1, None));
    assert_eq!(together, play_all(&seeds, 7, Some(Cache::new(1000))));
    assert!(together.iter().all(|game| game.len() > 5));
}

#[test]
fn draws_differ_between_moves_and_between_games() {
    let games = play_all(&[1, 2, 3, 4, 5, 6], 3, None);
    for (i, game) in games.iter().enumerate() {
        assert!(games[..i].iter().all(|other| other != game));
    }
    // The same position, one search after the other from the same stream.
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let settings = GumbelSettings {
        simulations: 0,
        ..SETTINGS
    };
    let choices: Vec<usize> = (0..20)
        .map(|_| {
            let mut search = Gumbel::new(TicTacToe::START, MEMORY);
            search.begin(settings, &mut rng);
            let leaf = search.next_leaf().unwrap().id;
            search.backup(leaf, garuda_mcts::Wdl::UNKNOWN, &[0.0; 9]);
            search.best()
        })
        .collect();
    assert!(choices.iter().any(|&choice| choice != choices[0]));
}

#[test]
fn equal_seeds_give_equal_searches_and_no_noise_needs_no_seed() {
    let search = |gumbel_scale, seed| {
        let settings = GumbelSettings {
            gumbel_scale,
            ..SETTINGS
        };
        let search = gumbel(&TicTacToe::START, settings, seed, &mut Uniform::default());
        search.outline().to_string()
    };
    assert_eq!(search(1.0, 1), search(1.0, 1));
    assert_ne!(search(1.0, 1), search(1.0, 2));
    assert_eq!(search(0.0, 1), search(0.0, 2));
}

#[test]
fn a_shard_of_puct_searches_plays_as_one_alone() {
    let games: Vec<Heap> = (20..40).map(Heap::new).collect();
    let start = |game: &Heap| {
        let mut search = Puct::new(game.clone(), MEMORY, PuctSettings::default());
        search.begin(50 + u32::from(game.left));
        search
    };
    let run = |games: &[Heap]| {
        let mut rollout = Rollout::new(3, 2, 50);
        let mut shard = Shard::new(games.iter().map(start).collect(), None);
        while !shard.searches().iter().all(Search::is_over) {
            shard.step(&mut rollout).unwrap();
        }
        let searches = shard.into_searches().into_iter();
        let outlines = searches.map(|search| search.outline().to_string());
        outlines.collect::<Vec<_>>()
    };
    let alone: Vec<String> = games.chunks(1).flat_map(run).collect();
    assert_eq!(run(&games), alone);
}
