//! The sides need not alternate.

use std::collections::HashMap;

use garuda_mcts::evaluators::Rollout;
use garuda_mcts::{Choice, GumbelSettings};
use garuda_rules::{Color, Game};

use crate::brute::{same_result, solve};
use crate::runs::{gumbel, puct};
use crate::toys::{Heap, Partisan, numbered};

/// With these, values flow back unproven: the heap is too large to be exhausted.
const LARGE: u8 = 60;

#[test]
fn three_moves_running_back_up_correctly() {
    for first in 0..4 {
        let mut heap = Heap::new(LARGE);
        (0..first).for_each(|_| heap.play(numbered(1)));
        let expected = if heap.turn == Color::White {
            Partisan::VALUE
        } else {
            -Partisan::VALUE
        };
        let search = puct(&heap, 40, &mut Partisan::default());
        let value = search.value().unwrap().value();
        assert!((value - expected).abs() < 1e-5, "{first}: {value}");
        let settings = GumbelSettings {
            simulations: 40,
            ..GumbelSettings::default()
        };
        let search = gumbel(&heap, settings, 1, &mut Partisan::default());
        let value = search.value().unwrap().value();
        assert!((value - expected).abs() < 1e-5, "{first}: {value}");
        for wdl in search.completed() {
            assert!((wdl.value() - expected).abs() < 1e-5, "{first}");
        }
    }
}

#[test]
fn both_searches_play_a_game_of_three_moves_running_well() {
    let mut known = HashMap::new();
    let mut rollout = Rollout::new(1, 4, 100);
    let mut moves = 0;
    for left in 5..40 {
        let mut heap = Heap::new(left);
        while heap.outcome().is_none() {
            let best = solve(&heap, &mut known);
            let search = puct(&heap, 3000, &mut rollout);
            let mv = search.best(Choice::LowerBound).unwrap();
            assert!(search.proof().is_some() || heap.left > 8, "{heap:?}");
            if let Some(proof) = search.proof() {
                assert!(same_result(proof, best), "{heap:?}");
                let mut next = heap.clone();
                next.play(mv);
                let mut after = solve(&next, &mut known);
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
