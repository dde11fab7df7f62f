//! The truth, by trying everything.

use std::collections::HashMap;

use garuda_mcts::Proof;
use garuda_rules::{Game, MoveList};

/// The result of a game with best play, with the distance of the quickest win or the slowest
/// loss, for the side to move. Remembers what it solved by `state_key`, so the game's result
/// must depend on nothing else.
pub(crate) fn solve<G: Game>(game: &G, known: &mut HashMap<u64, Proof>) -> Proof {
    if let Some(&proof) = known.get(&game.state_key()) {
        return proof;
    }
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    let proof = match game.outcome_given(&moves) {
        Some(outcome) => match outcome.winner {
            None => Proof::Draw,
            Some(winner) if winner == game.turn() => Proof::Win(0),
            Some(_) => Proof::Loss(0),
        },
        None => moves
            .iter()
            .map(|&mv| {
                let mut next = game.clone();
                next.play(mv);
                let proof = solve(&next, known);
                later(if next.turn() == game.turn() {
                    proof
                } else {
                    proof.reversed()
                })
            })
            .max()
            .expect("a game that goes on has moves"),
    };
    known.insert(game.state_key(), proof);
    proof
}

fn later(proof: Proof) -> Proof {
    match proof {
        Proof::Win(distance) => Proof::Win(distance + 1),
        Proof::Draw => Proof::Draw,
        Proof::Loss(distance) => Proof::Loss(distance + 1),
    }
}

/// Whether two proofs have the same winner.
pub(crate) fn same_result(a: Proof, b: Proof) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}
