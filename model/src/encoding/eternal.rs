use garuda_rules::eternal::{EternalPosition, Phase, WINNING_POINTS};
use garuda_rules::{GameState, Occupant, Position, RuleSet};

use super::{Encode, PlaneWriter};

impl Encode for EternalPosition {
    const RULES: RuleSet = RuleSet::Eternal;

    fn write_planes(game: &GameState<Self>, planes_out: &mut PlaneWriter<'_>) {
        let position = game.position();
        planes_out.pieces(position);
        let stones = Self::BOARD
            .all()
            .filter(|&square| position.occupant(square) == Some(Occupant::Stone));
        planes_out.squares::<Self>(format_args!("stones"), stones);
        let points = position.points().unwrap_or_default();
        for n in 1..WINNING_POINTS {
            planes_out.both::<Self>(format_args!("points at least {n}"), |color| {
                f32::from(u8::from(points[color] >= n))
            });
        }
        let deported = match position.phase() {
            Phase::Deport(square) => Some(square),
            Phase::Move | Phase::Place(_) => None,
        };
        planes_out.squares::<Self>(format_args!("piece to deport"), deported);
        for (kind, named) in Self::PIECE_TYPES.iter().enumerate() {
            planes_out.both::<Self>(format_args!("{} to place", named.letter), |color| {
                let to_place = position.pending().is_some_and(|piece| {
                    piece.color == color && usize::from(piece.piece_type) == kind
                });
                f32::from(u8::from(to_place))
            });
        }
        planes_out.occurrences(game);
    }
}
