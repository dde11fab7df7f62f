use garuda_rules::eternal::{EternalPosition, Phase, WINNING_POINTS};
use garuda_rules::{Occupant, Played, Position, RuleSet};

use super::{Encode, Painter};

impl Encode for EternalPosition {
    const RULES: RuleSet = RuleSet::Eternal;

    fn paint(game: &Played<Self>, painter: &mut Painter<'_>) {
        let position = game.position();
        painter.men(position);
        let stones = Self::BOARD
            .all()
            .filter(|&square| position.occupant(square) == Some(Occupant::Stone));
        painter.squares::<Self>(format_args!("stones"), stones);
        let points = position.points().unwrap_or_default();
        for n in 1..WINNING_POINTS {
            painter.both::<Self>(format_args!("points at least {n}"), |color| {
                f32::from(u8::from(points[color] >= n))
            });
        }
        let deported = match position.phase() {
            Phase::Deport(square) => Some(square),
            Phase::Move | Phase::Place(_) => None,
        };
        painter.squares::<Self>(format_args!("man to deport"), deported);
        for (kind, named) in Self::KINDS.iter().enumerate() {
            painter.both::<Self>(format_args!("{} to place", named.letter), |color| {
                let to_place = position
                    .pending()
                    .is_some_and(|man| man.color == color && usize::from(man.kind) == kind);
                f32::from(u8::from(to_place))
            });
        }
        painter.occurrences(game);
    }
}
