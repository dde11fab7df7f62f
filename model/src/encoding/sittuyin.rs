use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::{GameState, Position, RuleSet};

use super::{Encode, PlaneWriter};

/// For K S F R N: what a side has at the start.
const HAND_UNITS: [u8; 5] = [1, 2, 1, 2, 2];

impl Encode for SittuyinPosition<false> {
    const RULES: RuleSet = RuleSet::Sittuyin;

    fn write_planes(game: &GameState<Self>, planes_out: &mut PlaneWriter<'_>) {
        write_common(game, planes_out);
        planes_out.counting(game.position());
    }
}

/// The booklet knows no counting.
impl Encode for SittuyinPosition<true> {
    const RULES: RuleSet = RuleSet::SittuyinBooklet;

    fn write_planes(game: &GameState<Self>, planes_out: &mut PlaneWriter<'_>) {
        write_common(game, planes_out);
    }
}

fn write_common<P: Position>(game: &GameState<P>, planes_out: &mut PlaneWriter<'_>) {
    planes_out.pieces(game.position());
    planes_out.hands(game.position(), &HAND_UNITS);
    planes_out.move_rule(game.position());
    planes_out.occurrences(game);
}
