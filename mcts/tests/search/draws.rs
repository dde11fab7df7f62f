//! Who takes a draw that is there to be taken, and who plays on.

use garuda_mcts::{Choice, GumbelSettings};

use crate::runs::{gumbel, puct};
use crate::toys::{Offer, Opinion, number};

/// Whether searches with a few simulations take the draw: PUCT's, and Gumbel's.
fn takes_draw(value: f32) -> [bool; 2] {
    let search = puct(&Offer::START, 32, &mut Opinion::of_value(value));
    let by_puct = search.best(Choice::LowerBound).unwrap();
    let settings = GumbelSettings {
        simulations: 32,
        noise: 0.0,
        ..GumbelSettings::default()
    };
    let search = gumbel(&Offer::START, settings, 1, &mut Opinion::of_value(value));
    let by_gumbel = search.moves()[search.best()];
    [by_puct, by_gumbel].map(|mv| number(mv) == 0)
}

#[test]
fn who_stands_better_plays_on_however_much_in_doubt() {
    for value in [0.02, 0.1, 0.4] {
        assert_eq!(takes_draw(value), [false; 2], "{value}");
        assert_eq!(takes_draw(-value), [true; 2], "{value}");
    }
}
