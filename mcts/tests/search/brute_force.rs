//! Exact solutions by exhaustive search.

use std::collections::HashMap;

use garuda_mcts::Proof;
use garuda_rules::{Game, MoveList};

/// The result of a game with best play for the side to move, with the distance of the shortest
/// win or the longest loss. Solved positions are cached by `state_key`, so the result must depend
/// on nothing else.
pub(crate) fn solve<G: Game>(game: &G, solved: &mut HashMap<u64, Proof>) -> Proof {
    if let Some(&proof) = solved.get(&game.state_key()) {
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
                let proof = solve(&next, solved);
                one_ply_longer(if next.turn() == game.turn() {
                    proof
                } else {
                    proof.reversed()
                })
            })
            .max()
            .expect("an unfinished game has legal moves"),
    };
    solved.insert(game.state_key(), proof);
    proof
}

fn one_ply_longer(proof: Proof) -> Proof {
    match proof {
        Proof::Win(distance) => Proof::Win(distance + 1),
        Proof::Draw => Proof::Draw,
        Proof::Loss(distance) => Proof::Loss(distance + 1),
    }
}

/// Whether two proofs have the same result, whatever the distance.
pub(crate) fn same_result(a: Proof, b: Proof) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}
