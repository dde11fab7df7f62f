//! What a move does: captures and promotions.

use garuda_rules::{Move, Occupant, Origin, Position};

/// Whether a move takes a piece of either side.
pub(crate) fn captures_piece<P: Position>(position: &P, mv: Move) -> bool {
    match mv.origin() {
        // A move to its own square is a promotion in place.
        Origin::Board(from) if from == mv.to() => false,
        Origin::Board(_) => matches!(position.occupant(mv.to()), Some(Occupant::Piece(_))),
        Origin::Hand(_) => false,
    }
}

/// Whether a move turns a piece into one of another type. `next` is the position after it.
pub(crate) fn promotes<P: Position>(position: &P, mv: Move, next: &P) -> bool {
    let Origin::Board(from) = mv.origin() else {
        return false;
    };
    match (position.occupant(from), next.occupant(mv.to())) {
        (Some(Occupant::Piece(before)), Some(Occupant::Piece(after))) => {
            before.piece_type != after.piece_type
        }
        _ => false,
    }
}
