//! The result of a search depends only on its game, settings and seed.

use garuda_mcts::evaluators::{Rollout, Uniform};
use garuda_mcts::{EvalCache, Gumbel, GumbelSettings, Puct, PuctSettings, Search, Shard};
use garuda_rules::Game;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::helpers::{TREE_BYTES, gumbel};
use crate::toy_games::{Heap, TicTacToe};

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

/// Plays one game per seed, `parallel_games` at a time, and returns the dumps of all searches of
/// each.
fn play_all(seeds: &[u64], parallel_games: usize, cache: Option<EvalCache>) -> Vec<Vec<String>> {
    struct GameSlot {
        game: usize,
        rng: ChaCha8Rng,
    }
    let mut rollout = Rollout::new(3, 2, 50);
    let mut dumps = vec![Vec::new(); seeds.len()];
    let mut queue = seeds.iter().enumerate();
    let mut slots: Vec<GameSlot> = queue
        .by_ref()
        .take(parallel_games)
        .map(|(game, &seed)| GameSlot {
            game,
            rng: ChaCha8Rng::seed_from_u64(seed),
        })
        .collect();
    let start = Heap::new(25);
    let searches = slots
        .iter_mut()
        .map(|slot| {
            let mut search = Gumbel::new(start.clone(), TREE_BYTES);
            search.begin(SETTINGS, &mut slot.rng);
            search
        })
        .collect();
    let mut shard = Shard::new(searches, cache);
    loop {
        let mut playing = false;
        for (slot, search) in slots.iter_mut().zip(shard.searches_mut()) {
            while search.is_over() && search.game().outcome().is_none() {
                dumps[slot.game].push(search.dump().to_string());
                let mv = search.moves()[search.best()];
                search.play(mv, false);
                if search.game().outcome().is_none() {
                    search.begin(SETTINGS, &mut slot.rng);
                } else if let Some((game, &seed)) = queue.next() {
                    slot.game = game;
                    slot.rng = ChaCha8Rng::seed_from_u64(seed);
                    search.reset(&start);
                    search.begin(SETTINGS, &mut slot.rng);
                }
            }
            playing |= !search.is_over();
        }
        if !playing {
            return dumps;
        }
        shard.step(&mut rollout).unwrap();
    }
}

#[test]
fn trees_do_not_depend_on_the_shard() {
    let seeds: Vec<u64> = (100..120).collect();
    let together = play_all(&seeds, 20, None);
    assert_eq!(together, play_all(&seeds, 7, None));
    assert_eq!(together, play_all(&seeds, 1, None));
    assert_eq!(together, play_all(&seeds, 7, Some(EvalCache::new(1000))));
    assert!(together.iter().all(|game| game.len() > 5));
}

#[test]
fn noise_differs_between_moves_and_between_games() {
    let games = play_all(&[1, 2, 3, 4, 5, 6], 3, None);
    for (i, game) in games.iter().enumerate() {
        assert!(games[..i].iter().all(|other| other != game));
    }
    // The same position, searched again and again with one random stream.
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let settings = GumbelSettings {
        simulations: 0,
        ..SETTINGS
    };
    let best_moves: Vec<usize> = (0..20)
        .map(|_| {
            let mut search = Gumbel::new(TicTacToe::START, TREE_BYTES);
            search.begin(settings, &mut rng);
            let leaf = search.next_leaf().unwrap().id;
            search.backup(leaf, garuda_mcts::Wdl::UNKNOWN, &[0.0; 9]);
            search.best()
        })
        .collect();
    assert!(best_moves.iter().any(|&best| best != best_moves[0]));
}

#[test]
fn only_the_noise_depends_on_the_seed() {
    let search = |gumbel_scale, seed| {
        let settings = GumbelSettings {
            gumbel_scale,
            ..SETTINGS
        };
        let search = gumbel(&TicTacToe::START, settings, seed, &mut Uniform::default());
        search.dump().to_string()
    };
    assert_eq!(search(1.0, 1), search(1.0, 1));
    assert_ne!(search(1.0, 1), search(1.0, 2));
    assert_eq!(search(0.0, 1), search(0.0, 2));
}

#[test]
fn puct_trees_do_not_depend_on_the_shard() {
    let games: Vec<Heap> = (20..40).map(Heap::new).collect();
    let start = |game: &Heap| {
        let mut search = Puct::new(game.clone(), TREE_BYTES, PuctSettings::default());
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
        let dumps = searches.map(|search| search.dump().to_string());
        dumps.collect::<Vec<_>>()
    };
    let alone: Vec<String> = games.chunks(1).flat_map(run).collect();
    assert_eq!(run(&games), alone);
}
