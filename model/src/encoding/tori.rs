use garuda_rules::tori::ToriPosition;
use garuda_rules::{GameState, RuleSet};

use super::{Encode, PlaneWriter};

/// For S F C L R P; more than a few swallows are rarely in a hand.
const HAND_UNITS: [u8; 6] = [4, 2, 2, 2, 2, 2];

impl Encode for ToriPosition {
    const RULES: RuleSet = RuleSet::ToriShogi;

    fn write_planes(game: &GameState<Self>, planes_out: &mut PlaneWriter<'_>) {
        planes_out.pieces(game.position());
        planes_out.hands(game.position(), &HAND_UNITS);
        planes_out.occurrences(game);
    }
}
