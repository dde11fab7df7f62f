//! Random games, reproducible by their seed.

use garuda_rules::{Game, GameState, MoveList, Outcome, Position};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Plays random moves from `game` until it ends or `plies` are played. `look` is shown each
/// position and its legal moves, the last ones included.
pub(crate) fn walk<P: Position>(
    mut game: GameState<P>,
    seed: u64,
    plies: usize,
    mut look: impl FnMut(&GameState<P>, &MoveList),
) -> Option<Outcome> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut legal = MoveList::new();
    for _ in 0..=plies {
        game.legal_moves(&mut legal);
        look(&game, &legal);
        let outcome = game.outcome_given(&legal);
        if outcome.is_some() {
            return outcome;
        }
        let mv = legal.choose(&mut rng).expect("a game goes on by a move");
        game.play(*mv);
    }
    None
}
