//! Sittuyin as pychess and Fairy-Stockfish play it.

use super::{first_ranks, is_promotion, promotion_squares};
use crate::chaturanga::{Counting, GENERAL, PieceBoard, ROOK, Safety, Sink, hiding, leaps, spread};
use crate::{Bits, Color, Move, MoveList, Origin};

/// Where a side may place pieces of a type, if the square is empty.
pub(super) const fn zone(color: Color, piece_type: u8) -> u64 {
    first_ranks(color, if piece_type == ROOK { 1 } else { 3 })
}

/// A pawn on a promotion square, or the last one anywhere, becomes a general where it stands or
/// on an empty diagonal neighbour, while its side has none. The new general may attack nothing,
/// and no check may be given.
#[inline(always)]
pub(super) fn promotions(pieces: &PieceBoard, color: Color, safety: &Safety, sink: &mut impl Sink) {
    let own = pieces.of(color);
    let pawns = pieces.pawns() & own;
    let last = pawns & pawns.wrapping_sub(1) == 0;
    let candidates = if last {
        pawns
    } else {
        pawns & promotion_squares(color)
    };
    if candidates == 0 || pieces.generals() & own != 0 || safety.answers == 0 {
        return;
    }
    let quiet = !spread(pieces.of(!color), GENERAL, color);
    let stuck = safety.pinned() | hiding(pieces, color);
    for pawn in candidates.squares() {
        let steps = if stuck.has(pawn) {
            0
        } else {
            leaps(pawn, GENERAL, color) & !pieces.occupied()
        };
        let to = (steps | u64::of(pawn)) & safety.answers & quiet;
        sink.from(pawn, to);
    }
}

/// Whether a side has nothing but its king and one pawn, and that pawn nothing to do but become
/// a general.
pub(super) fn can_only_promote(pieces: &PieceBoard, color: Color, legal: &MoveList) -> bool {
    let own = pieces.of(color);
    let pawns = pieces.pawns() & own;
    let promotion = |mv: &Move| match mv.origin() {
        Origin::Board(from) => pawns.has(from) && is_promotion(pieces, from, mv.to()),
        Origin::Hand(_) => false,
    };
    pawns.len() == 1 && own == pawns | pieces.kings() & own && legal.iter().all(promotion)
}

/// The limits, in plies, that counting can have.
pub(super) const LIMITS: [u16; 3] = [32, 88, LONGEST_COUNT];
pub(super) const LONGEST_COUNT: u16 = 128;

/// Starts counting after a move of `mover` if the enemy is a bare king and no pawn is left. Once
/// it runs nothing changes it: the bare king can only take pieces, and there are no pawns to
/// promote.
#[inline(always)]
pub(super) fn update_counting(counting: &mut Counting, pieces: &PieceBoard, mover: Color) {
    if pieces.pawns() != 0 || counting.is_running() || !pieces.is_bare(!mover) {
        return;
    }
    let own = pieces.of(mover);
    let protection = [
        (pieces.rooks(), 16),
        (pieces.khons(), 44),
        (pieces.knights(), 64),
    ];
    if let Some((_, moves)) = protection.into_iter().find(|(pieces, _)| pieces & own != 0) {
        *counting = Counting::start(0, moves);
    }
}
