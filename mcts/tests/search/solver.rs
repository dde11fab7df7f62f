//! Proofs compared with exhaustive search.

use std::collections::{HashMap, HashSet};

use garuda_mcts::evaluators::Uniform;
use garuda_mcts::{GumbelSettings, MoveSelection, Proof};
use garuda_rules::{Game, MoveList};

use crate::brute_force::{same_result, solve};
use crate::helpers::{gumbel, policy, puct};
use crate::toy_games::{Heap, TicTacToe, numbered};

/// All reachable unfinished positions.
fn reachable<G: Game>(start: &G) -> Vec<G> {
    let mut seen = HashSet::from([start.state_key()]);
    let mut found = vec![start.clone()];
    let mut next = 0;
    let mut moves = MoveList::new();
    while next < found.len() {
        let game = found[next].clone();
        game.legal_moves(&mut moves);
        for &mv in &moves {
            let mut child = game.clone();
            child.play(mv);
            if child.outcome().is_none() && seen.insert(child.state_key()) {
                found.push(child);
            }
        }
        next += 1;
    }
    found
}

/// Compares the proofs of both searches with the exact result. Returns whether PUCT proved it.
fn check<G: Game>(game: &G, visits: u32, solved: &mut HashMap<u64, Proof>) -> bool {
    let expected = solve(game, solved);
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    let mut checked = |proof: Option<Proof>, mv| {
        let Some(proof) = proof else {
            return false;
        };
        assert!(same_result(proof, expected), "{proof:?} {expected:?}");
        // No win can be shorter than the shortest.
        assert!(proof <= expected || matches!(expected, Proof::Loss(_)));
        let mut next = game.clone();
        next.play(mv);
        let after = solve(&next, solved);
        let after = if next.turn() == game.turn() {
            after
        } else {
            after.reversed()
        };
        assert!(
            same_result(after, expected),
            "the move is not the proven one"
        );
        true
    };
    let settings = GumbelSettings {
        simulations: visits,
        ..GumbelSettings::default()
    };
    let search = gumbel(game, settings, 1, &mut Uniform::default());
    checked(search.proof(), search.moves()[search.best()]);
    assert!((policy(&search).iter().sum::<f32>() - 1.0).abs() < 1e-5);
    let search = puct(game, visits, &mut Uniform::default());
    checked(
        search.proof(),
        search.best_move(MoveSelection::Lcb).unwrap(),
    )
}

#[test]
fn proofs_equal_brute_force_in_tic_tac_toe() {
    let mut solved = HashMap::new();
    let positions = reachable(&TicTacToe::START);
    assert_eq!(positions.len(), 4520);
    let mut proven = 0;
    for game in positions.iter().step_by(7) {
        proven += usize::from(check(game, 1500, &mut solved));
    }
    assert!(proven * 10 > positions.len() / 7 * 9, "{proven}");
}

#[test]
fn proofs_equal_brute_force_where_sides_do_not_alternate() {
    let mut solved = HashMap::new();
    let positions = reachable(&Heap::new(16));
    let mut proven = 0;
    for game in positions.iter().step_by(5) {
        proven += usize::from(check(game, 1500, &mut solved));
    }
    assert!(proven * 10 > positions.len() / 5 * 9, "{proven}");
}

#[test]
fn a_drawn_game_is_solved_from_its_second_move() {
    let game = TicTacToe::after(&[0, 4]);
    let search = puct(&game, 1_000_000, &mut Uniform::default());
    assert_eq!(search.proof(), Some(Proof::Draw));
}

#[test]
fn shorter_wins_and_longer_losses_are_preferred() {
    // White wins at once with 2; every other move wins later or not at all.
    let game = TicTacToe::after(&[0, 3, 1, 4]);
    let search = puct(&game, 10_000, &mut Uniform::default());
    assert_eq!(search.proof(), Some(Proof::Win(1)));
    let line = search.pv_lines(MoveSelection::Lcb, 1).remove(0);
    assert_eq!(line.proof, Some(Proof::Win(1)));
    // White has two threats, and Black can stop only one.
    let game = TicTacToe::after(&[0, 1, 4, 8, 6]);
    let search = puct(&game, 10_000, &mut Uniform::default());
    assert_eq!(search.proof(), Some(Proof::Loss(2)));
    let game = TicTacToe::after(&[4, 1, 6]);
    let search = puct(&game, 10_000, &mut Uniform::default());
    assert_eq!(search.proof(), Some(Proof::Loss(4)));
    assert_eq!(
        search.best_move(MoveSelection::MostVisits),
        Some(numbered(2))
    );
}
