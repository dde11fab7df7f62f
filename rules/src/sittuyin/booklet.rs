//! Sittuyin as the AncientChess booklet tells it.

use super::{first_ranks, promotion_squares};
use crate::chaturanga::{
    GENERAL, KHON, KNIGHT, PieceBoard, ROOK, Safety, Sink, between, file_of, forward, spread,
};
use crate::{Bits, Color, Square};

/// Where a side may place pieces of a type, if the square is empty: rooks on the back rank, all
/// others on the second and third.
pub(super) const fn zone(color: Color, piece_type: u8) -> u64 {
    let back = first_ranks(color, 1);
    if piece_type == ROOK {
        back
    } else {
        first_ranks(color, 3) & !back
    }
}

/// The squares of the back rank where a rook of `color` would face the enemy's king on a file
/// with nothing but pawns between them.
pub(super) fn facing_king(pieces: &PieceBoard, color: Color) -> u64 {
    let Some(king) = pieces.king(!color) else {
        return 0;
    };
    let back = first_ranks(color, 1);
    let pieces = pieces.occupied() & !pieces.pawns();
    (file_of(king) & back)
        .squares()
        .filter(|&square| square != king && between(king, square) & pieces == 0)
        .fold(0, |set, square| set | u64::of(square))
}

/// A pawn on a promotion square may become a general there, while its side has none.
#[inline(always)]
pub(super) fn promotions(pieces: &PieceBoard, color: Color, safety: &Safety, sink: &mut impl Sink) {
    let own = pieces.of(color);
    if safety.checkers == 0 && pieces.generals() & own == 0 {
        for pawn in (pieces.pawns() & own & promotion_squares(color)).squares() {
            sink.from(pawn, u64::of(pawn));
        }
    }
}

/// Whether enough pieces of `color` can move that no single move of the other side stops all of
/// them.
///
/// A move can capture one of them or stand in the way of one (a pawn), and each rook of the other
/// side can come to pin one: the one that moved, or one whose line was opened. Pawns' captures do
/// not count, for their prey may go.
pub(super) fn is_mobile(pieces: &PieceBoard, color: Color, king: Square) -> bool {
    let enough = 2 + pieces.count(!color, ROOK);
    let safety = Safety::of(pieces, color, king);
    let free = pieces.of(color) & !safety.pinned();
    let targets = !pieces.of(color);
    // A piece can move if a piece of the other side on some target could move to it: steps of the
    // two sides are each other's reverse.
    let sources = |piece_type| spread(targets, piece_type, !color);
    let movable = free
        & (pieces.generals() & sources(GENERAL)
            | pieces.khons() & sources(KHON)
            | pieces.knights() & sources(KNIGHT)
            | pieces.rooks() & sources(ROOK)
            | pieces.pawns() & forward(!pieces.occupied(), !color));
    movable.len() >= enough
}
