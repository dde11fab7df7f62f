//! Sides that do not alternate.

use std::collections::HashMap;

use garuda_mcts::evaluators::Rollout;
use garuda_mcts::{GumbelSettings, MoveSelection};
use garuda_rules::{Color, Game};

use crate::brute_force::{same_result, solve};
use crate::helpers::{gumbel, puct};
use crate::toy_games::{Heap, WhiteWins, numbered};

/// Too large to be solved, so that values are backed up unproven.
const LARGE: u8 = 60;

#[test]
fn backup_of_three_moves_in_a_row_keeps_the_side() {
    for first in 0..4 {
        let mut heap = Heap::new(LARGE);
        (0..first).for_each(|_| heap.play(numbered(1)));
        let expected = if heap.turn == Color::White {
            WhiteWins::VALUE
        } else {
            -WhiteWins::VALUE
        };
        let search = puct(&heap, 40, &mut WhiteWins::default());
        let value = search.value().unwrap().value();
        assert!((value - expected).abs() < 1e-5, "{first}: {value}");
        let settings = GumbelSettings {
            simulations: 40,
            ..GumbelSettings::default()
        };
        let search = gumbel(&heap, settings, 1, &mut WhiteWins::default());
        let value = search.value().unwrap().value();
        assert!((value - expected).abs() < 1e-5, "{first}: {value}");
        for wdl in search.completed_values() {
            assert!((wdl.value() - expected).abs() < 1e-5, "{first}");
        }
    }
}

#[test]
fn proofs_are_correct_with_three_moves_in_a_row() {
    let mut solved = HashMap::new();
    let mut rollout = Rollout::new(1, 4, 100);
    let mut moves = 0;
    for left in 5..40 {
        let mut heap = Heap::new(left);
        while heap.outcome().is_none() {
            let best = solve(&heap, &mut solved);
            let search = puct(&heap, 3000, &mut rollout);
            let mv = search.best_move(MoveSelection::Lcb).unwrap();
            assert!(search.proof().is_some() || heap.left > 8, "{heap:?}");
            if let Some(proof) = search.proof() {
                assert!(same_result(proof, best), "{heap:?}");
                let mut next = heap.clone();
                next.play(mv);
                let mut after = solve(&next, &mut solved);
                if next.turn != heap.turn {
                    after = after.reversed();
                }
                assert!(same_result(after, best), "{heap:?} {mv:?}");
            }
            heap.play(mv);
            moves += 1;
        }
    }
    assert!(moves > 100);
}
