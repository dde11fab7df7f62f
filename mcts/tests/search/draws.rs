//! When a search takes an available draw and when it plays on.

use garuda_mcts::{GumbelSettings, MoveSelection, Puct, PuctSettings, Shard};

use crate::helpers::{TREE_BYTES, gumbel};
use crate::toy_games::{ConstantEvaluator, DrawOffer, number};

/// Whether PUCT and Gumbel take the draw after a few simulations.
fn takes_draw(value: f32, draw_value: f32) -> [bool; 2] {
    let settings = PuctSettings {
        draw_value,
        ..PuctSettings::default()
    };
    let mut search = Puct::new(DrawOffer::START, TREE_BYTES, settings);
    search.begin(32);
    let mut shard = Shard::new(vec![search], None);
    while !garuda_mcts::Search::is_over(&shard.searches()[0]) {
        shard.step(&mut ConstantEvaluator::of_value(value)).unwrap();
    }
    let by_puct = shard.searches()[0].best_move(MoveSelection::Lcb).unwrap();
    let settings = GumbelSettings {
        simulations: 32,
        gumbel_scale: 0.0,
        draw_value,
        ..GumbelSettings::default()
    };
    let search = gumbel(
        &DrawOffer::START,
        settings,
        1,
        &mut ConstantEvaluator::of_value(value),
    );
    let by_gumbel = search.moves()[search.best()];
    [by_puct, by_gumbel].map(|mv| number(mv) == 0)
}

#[test]
fn the_better_side_plays_on_despite_uncertainty() {
    for value in [0.02, 0.1, 0.4] {
        assert_eq!(takes_draw(value, 0.0), [false; 2], "{value}");
        assert_eq!(takes_draw(-value, 0.0), [true; 2], "{value}");
    }
}

#[test]
fn draw_value_decides_whether_a_draw_is_taken() {
    // Playing on has the given value plus half the draw value, as half of the results are draws.
    assert_eq!(takes_draw(-0.1, -0.3), [false; 2]);
    assert_eq!(takes_draw(-0.1, -0.1), [true; 2]);
    assert_eq!(takes_draw(0.1, 0.1), [false; 2]);
    assert_eq!(takes_draw(0.1, 0.3), [true; 2]);
}
