use garuda_rules::tori::ToriPosition;
use garuda_rules::{Played, RuleSet};

use super::{Encode, Painter};

/// For S F C L R P; more than a few swallows are rarely in a hand.
const HAND_UNITS: [u8; 6] = [4, 2, 2, 2, 2, 2];

impl Encode for ToriPosition {
    const RULES: RuleSet = RuleSet::ToriShogi;

    fn paint(game: &Played<Self>, painter: &mut Painter<'_>) {
        painter.men(game.position());
        painter.hands(game.position(), &HAND_UNITS);
        painter.occurrences(game);
    }
}
