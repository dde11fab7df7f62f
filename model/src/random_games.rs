//! Positions for tests and measurements: whatever random moves lead to.

use garuda_rules::{Game, GameState, MoveList, Position};
use rand::Rng;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Calls `visit` with `count` positions that are not the end of their game, and their legal moves:
/// all positions of random games that start, in turn, from `starts` (FENs) or, if there are
/// none, from the game's own start.
pub fn random_positions<P: Position>(
    count: usize,
    seed: u64,
    starts: &[&str],
    mut visit: impl FnMut(&GameState<P>, &MoveList),
) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut starts = starts.iter().cycle();
    let mut legal = MoveList::new();
    let mut seen = 0;
    while seen < count {
        let mut game: GameState<P> = starts.next().map_or_else(GameState::start, |text| {
            GameState::from_fen(text).expect("starts are valid FENs")
        });
        game.legal_moves(&mut legal);
        while seen < count && game.outcome_given(&legal).is_none() {
            visit(&game, &legal);
            seen += 1;
            game.play(legal[rng.random_range(..legal.len())]);
            game.legal_moves(&mut legal);
        }
    }
}

/// A random distribution.
pub fn distribution(length: usize, rng: &mut impl Rng) -> Vec<f32> {
    let weights: Vec<f32> = (0..length)
        .map(|_| rng.random_range(0.01..1.0_f32).powi(4))
        .collect();
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}
