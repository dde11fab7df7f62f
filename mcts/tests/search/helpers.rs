//! Helpers that run complete searches.

use garuda_mcts::{Evaluator, Gumbel, GumbelSettings, Puct, PuctSettings, Shard};
use garuda_rules::Game;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub(crate) const TREE_BYTES: usize = 64 << 20;

/// A finished Gumbel search of a position.
pub(crate) fn gumbel<G: Game>(
    game: &G,
    settings: GumbelSettings,
    seed: u64,
    evaluator: &mut impl Evaluator<G>,
) -> Gumbel<G> {
    let mut search = Gumbel::new(game.clone(), TREE_BYTES);
    search.begin(settings, &mut ChaCha8Rng::seed_from_u64(seed));
    let mut shard = Shard::new(vec![search], None);
    while !garuda_mcts::Search::is_over(&shard.searches()[0]) {
        shard.step(evaluator).unwrap();
    }
    shard.into_searches().pop().unwrap()
}

/// A finished PUCT search of a position.
pub(crate) fn puct<G: Game>(game: &G, visits: u32, evaluator: &mut impl Evaluator<G>) -> Puct<G> {
    let mut search = Puct::new(game.clone(), TREE_BYTES, PuctSettings::default());
    search.begin(visits);
    let mut shard = Shard::new(vec![search], None);
    while !garuda_mcts::Search::is_over(&shard.searches()[0]) {
        shard.step(evaluator).unwrap();
    }
    shard.into_searches().pop().unwrap()
}

pub(crate) fn policy<G: Game>(search: &Gumbel<G>) -> Vec<f32> {
    let mut policy = Vec::new();
    search.policy(&mut policy);
    policy
}
