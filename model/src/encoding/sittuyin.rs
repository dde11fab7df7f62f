use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::{Played, Position, RuleSet};

use super::{Encode, Painter};

/// For K S F R N: what a side has at the start.
const HAND_UNITS: [u8; 5] = [1, 2, 1, 2, 2];

impl Encode for SittuyinPosition<false> {
    const RULES: RuleSet = RuleSet::Sittuyin;

    fn paint(game: &Played<Self>, painter: &mut Painter<'_>) {
        paint_common(game, painter);
        painter.counting(game.position());
    }
}

/// The booklet knows no counting.
impl Encode for SittuyinPosition<true> {
    const RULES: RuleSet = RuleSet::SittuyinBooklet;

    fn paint(game: &Played<Self>, painter: &mut Painter<'_>) {
        paint_common(game, painter);
    }
}

fn paint_common<P: Position>(game: &Played<P>, painter: &mut Painter<'_>) {
    painter.men(game.position());
    painter.hands(game.position(), &HAND_UNITS);
    painter.move_rule(game.position());
    painter.occurrences(game);
}
