//! Who takes a draw that is there to be taken, and who plays on.

use garuda_mcts::{Choice, GumbelSettings, Puct, PuctSettings, Shard};

use crate::runs::{MEMORY, gumbel};
use crate::toys::{Offer, Opinion, number};

/// Whether searches with a few simulations take the draw: PUCT's, and Gumbel's.
fn takes_draw(value: f32, draw_value: f32) -> [bool; 2] {
    let settings = PuctSettings {
        draw_value,
        ..PuctSettings::default()
    };
    let mut search = Puct::new(Offer::START, MEMORY, settings);
    search.begin(32);
    let mut shard = Shard::new(vec![search], None);
    while !garuda_mcts::Search::is_over(&shard.searches()[0]) {
        shard.step(&mut Opinion::of_value(value)).unwrap();
    }
    let by_puct = shard.searches()[0].best(Choice::LowerBound).unwrap();
    let settings = GumbelSettings {
        simulations: 32,
        gumbel_scale: 0.0,
        draw_value,
        ..GumbelSettings::default()
    };
    let search = gumbel(&Offer::START, settings, 1, &mut Opinion::of_value(value));
    let by_gumbel = search.moves()[search.best()];
    [by_puct, by_gumbel].map(|mv| number(mv) == 0)
}

#[test]
fn who_stands_better_plays_on_however_much_in_doubt() {
    for value in [0.02, 0.1, 0.4] {
        assert_eq!(takes_draw(value, 0.0), [false; 2], "{value}");
        assert_eq!(takes_draw(-value, 0.0), [true; 2], "{value}");
    }
}

#[test]
fn a_draw_is_worth_what_it_is_said_to_be() {
    // To go on is worth the value, and half of a draw.
    assert_eq!(takes_draw(-0.1, -0.3), [false; 2]);
    assert_eq!(takes_draw(-0.1, -0.1), [true; 2]);
    assert_eq!(takes_draw(0.1, 0.1), [false; 2]);
    assert_eq!(takes_draw(0.1, 0.3), [true; 2]);
}
