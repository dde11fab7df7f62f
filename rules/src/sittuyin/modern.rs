//! Sittuyin as pychess and Fairy-Stockfish play it.

use super::{first_ranks, is_promotion, promotion_squares};
use crate::chaturanga::{Counting, GENERAL, Men, ROOK, Safety, Sink, hiding, leaps, spread};
use crate::{Bits, Color, Move, MoveList, Origin};

/// Where a side may place men of a kind, if the square is empty.
pub(super) const fn zone(color: Color, kind: u8) -> u64 {
    first_ranks(color, if kind == ROOK { 1 } else { 3 })
}

/// A pawn on a promotion square, or the last one anywhere, becomes a general where it stands or
/// on an empty diagonal neighbour, while its side has none. The new general may attack nothing,
/// and no check may be given.
#[inline(always)]
pub(super) fn promotions(men: &Men, color: Color, safety: &Safety, sink: &mut impl Sink) {
    let own = men.of(color);
    let pawns = men.pawns() & own;
    let last = pawns & pawns.wrapping_sub(1) == 0;
    let candidates = if last {
        pawns
    } else {
        pawns & promotion_squares(color)
    };
    if candidates == 0 || men.generals() & own != 0 || safety.answers == 0 {
        return;
    }
    let quiet = !spread(men.of(!color), GENERAL, color);
    let stuck = safety.pinned() | hiding(men, color);
    for pawn in candidates.squares() {
        let steps = if stuck.has(pawn) {
            0
        } else {
            leaps(pawn, GENERAL, color) & !men.occupied()
        };
        let to = (steps | u64::of(pawn)) & safety.answers & quiet;
        sink.from(pawn, to);
    }
}

/// Whether a side has nothing but its king and one pawn, and that pawn nothing to do but become
/// a general.
pub(super) fn can_only_promote(men: &Men, color: Color, legal: &MoveList) -> bool {
    let own = men.of(color);
    let pawns = men.pawns() & own;
    let promotion = |mv: &Move| match mv.origin() {
        Origin::Board(from) => pawns.has(from) && is_promotion(men, from, mv.to()),
        Origin::Hand(_) => false,
    };
    pawns.len() == 1 && own == pawns | men.kings() & own && legal.iter().all(promotion)
}

/// The limits, in plies, that counting can have.
pub(super) const LIMITS: [u16; 3] = [32, 88, 128];

/// Starts counting after a move of `mover` if the enemy is a bare king and no pawn is left. Once
/// it runs nothing changes it: the bare king can only take men, and there are no pawns to
/// promote.
#[inline(always)]
pub(super) fn update_counting(counting: &mut Counting, men: &Men, mover: Color) {
    if men.pawns() != 0 || counting.is_running() || !men.is_bare(!mover) {
        return;
    }
    let own = men.of(mover);
    let protection = [(men.rooks(), 16), (men.khons(), 44), (men.knights(), 64)];
    if let Some((_, moves)) = protection.into_iter().find(|(men, _)| men & own != 0) {
        *counting = Counting::start(0, moves);
    }
}
