use garuda_rules::{Game, Move, MoveList};
use rand::Rng;
use rand::seq::IndexedRandom;

/// A uniformly random legal move; `None` if the game is over.
pub fn random_move(game: &impl Game, rng: &mut impl Rng) -> Option<Move> {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    let over = game.outcome_given(&moves).is_some();
    (!over).then(|| random_of(&moves, rng))
}

pub(crate) fn random_of(moves: &[Move], rng: &mut impl Rng) -> Move {
    *moves
        .choose(rng)
        .expect("an unfinished game has legal moves")
}
