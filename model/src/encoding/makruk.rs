use garuda_rules::makruk::MakrukPosition;
use garuda_rules::{Played, RuleSet};

use super::{Encode, Painter};

impl Encode for MakrukPosition {
    const RULES: RuleSet = RuleSet::Makruk;

    fn paint(game: &Played<Self>, painter: &mut Painter<'_>) {
        painter.men(game.position());
        painter.counting(game.position());
        painter.occurrences(game);
    }
}
