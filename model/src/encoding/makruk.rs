use garuda_rules::makruk::MakrukPosition;
use garuda_rules::{GameState, RuleSet};

use super::{Encode, PlaneWriter};

impl Encode for MakrukPosition {
    const RULES: RuleSet = RuleSet::Makruk;

    fn write_planes(game: &GameState<Self>, planes_out: &mut PlaneWriter<'_>) {
        planes_out.pieces(game.position());
        planes_out.counting(game.position());
        planes_out.occurrences(game);
    }
}
