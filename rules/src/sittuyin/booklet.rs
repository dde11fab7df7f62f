//! Sittuyin as the AncientChess booklet tells it.

use super::{first_ranks, promotion_squares};
use crate::chaturanga::{
    GENERAL, KHON, KNIGHT, Men, ROOK, Safety, Sink, between, file_of, forward, spread,
};
use crate::{Bits, Color, Square};

/// Where a side may place men of a kind, if the square is empty: rooks on the back rank, all
/// others on the second and third.
pub(super) const fn zone(color: Color, kind: u8) -> u64 {
    let back = first_ranks(color, 1);
    if kind == ROOK {
        back
    } else {
        first_ranks(color, 3) & !back
    }
}

/// The squares of the back rank where a rook of `color` would face the enemy's king on a file
/// with nothing but pawns between them.
pub(super) fn facing_king(men: &Men, color: Color) -> u64 {
    let Some(king) = men.king(!color) else {
        return 0;
    };
    let back = first_ranks(color, 1);
    let pieces = men.occupied() & !men.pawns();
    (file_of(king) & back)
        .squares()
        .filter(|&square| square != king && between(king, square) & pieces == 0)
        .fold(0, |set, square| set | u64::of(square))
}

/// A pawn on a promotion square may become a general there, while its side has none.
#[inline(always)]
pub(super) fn promotions(men: &Men, color: Color, safety: &Safety, sink: &mut impl Sink) {
    let own = men.of(color);
    if safety.checkers == 0 && men.generals() & own == 0 {
        for pawn in (men.pawns() & own & promotion_squares(color)).squares() {
            sink.from(pawn, u64::of(pawn));
        }
    }
}

/// Whether `color` has so many men that can move that no one move of the other side takes them
/// all away.
///
/// A move can capture one of them or stand in the way of one (a pawn), and each rook of the other
/// side can come to pin one: the one that moved, or one whose line was opened. Pawns' captures do
/// not count, for their prey may go.
pub(super) fn is_mobile(men: &Men, color: Color, king: Square) -> bool {
    let enough = 2 + men.count(!color, ROOK);
    let safety = Safety::of(men, color, king);
    let free = men.of(color) & !safety.pinned();
    let targets = !men.of(color);
    // A man can move if a man of the other side on some target could move to it: steps of the
    // two sides are each other's reverse.
    let sources = |kind| spread(targets, kind, !color);
    let movable = free
        & (men.generals() & sources(GENERAL)
            | men.khons() & sources(KHON)
            | men.knights() & sources(KNIGHT)
            | men.rooks() & sources(ROOK)
            | men.pawns() & forward(!men.occupied(), !color));
    movable.len() >= enough
}
