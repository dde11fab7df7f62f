//! Simulations allocate no memory once the trees have grown.

use garuda_mcts::evaluators::{Material, Uniform};
use garuda_mcts::{
    EvalCache, Evaluator, Gumbel, GumbelSettings, MoveSelection, Puct, PuctSettings, Search, Shard,
};
use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, GameState, Position};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const TREE_BYTES: usize = 16 << 20;
const GAMES: u64 = 4;
const MOVES: u32 = 12;

/// Plays the first moves of some games and returns the number of simulations. Every call plays
/// the same games.
fn play_gumbel<P: Position>(
    shard: &mut Shard<GameState<P>, Gumbel<GameState<P>>>,
    start: &GameState<P>,
    evaluator: &mut impl Evaluator<GameState<P>>,
    check_win_in_one: bool,
) -> u32 {
    let settings = GumbelSettings {
        simulations: 48,
        check_win_in_one,
        ..GumbelSettings::default()
    };
    let mut rngs: [_; GAMES as usize] =
        std::array::from_fn(|i| ChaCha8Rng::seed_from_u64(i as u64));
    let mut simulations = 0;
    shard.clear_cache();
    let searches = shard.searches_mut().iter_mut();
    searches.for_each(|search| search.reset(start));
    for _ in 0..MOVES {
        for (search, rng) in shard.searches_mut().iter_mut().zip(&mut rngs) {
            search.begin(settings, rng);
        }
        while !shard.searches().iter().all(Search::is_over) {
            shard.step(evaluator).expect("the evaluator is infallible");
        }
        for search in shard.searches_mut() {
            simulations += search.simulations();
            if search.game().outcome().is_none() {
                search.play(search.moves()[search.best()], false);
            }
        }
    }
    simulations
}

fn play_puct<P: Position>(
    shard: &mut Shard<GameState<P>, Puct<GameState<P>>>,
    start: &GameState<P>,
    evaluator: &mut impl Evaluator<GameState<P>>,
) -> u32 {
    let mut simulations = 0;
    let searches = shard.searches_mut().iter_mut();
    searches.for_each(|search| search.reset(start));
    for _ in 0..MOVES {
        shard.searches_mut().iter_mut().for_each(|search| {
            simulations += 300 - search.visits().min(300);
            search.begin(300);
        });
        while !shard.searches().iter().all(Search::is_over) {
            shard.step(evaluator).expect("the evaluator is infallible");
        }
        for search in shard.searches_mut() {
            if let Some(best) = search.best_move(MoveSelection::MostVisits) {
                search.play(best, true);
            }
        }
    }
    simulations
}

fn check<P: Position>() {
    let start = GameState::<P>::start();
    let mut material = Material::<P>::default();
    let mut uniform = Uniform::default();
    let searches = || (0..GAMES).map(|_| Gumbel::new(start.clone(), TREE_BYTES));
    let mut gumbel = Shard::new(searches().collect(), Some(EvalCache::new(5000)));
    let new_puct = |_| Puct::new(start.clone(), TREE_BYTES, PuctSettings::default());
    let mut puct = Shard::new((0..GAMES).map(new_puct).collect(), None);
    let mut run = || {
        play_gumbel(&mut gumbel, &start, &mut material, true)
            + play_gumbel(&mut gumbel, &start, &mut uniform, false)
            + play_puct(&mut puct, &start, &mut material)
    };
    let warm_up = allocation_counter::measure(|| {
        run();
    });
    assert!(warm_up.count_total > 0, "the counter does not count");
    let mut simulations = 0;
    let measured = allocation_counter::measure(|| simulations = run());
    assert!(simulations > 10_000, "{simulations}");
    assert_eq!(measured.count_total, 0, "in {simulations} simulations");
}

#[test]
fn warm_searches_allocate_nothing() {
    check::<ToriPosition>();
    check::<MakrukPosition>();
    check::<EternalPosition>();
}
