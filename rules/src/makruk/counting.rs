//! Counting: when the weaker side may start it, and how long the stronger side has to mate.

use crate::chaturanga::{Counting, KHON, KNIGHT, Men, PAWN, ROOK};
use crate::{Bits, Color};

/// The limits, in plies, that only a bare king can have.
pub(super) const PIECES_HONOUR: [u16; 5] = [16, 32, 44, 64, 88];
/// The limit of a side with men left, or of a bare king against weak men.
pub(super) const BOARD_HONOUR: u16 = 128;

/// The number of own moves that protects a side; 0 if nothing does.
fn protection(men: &Men, side: Color) -> u16 {
    let enemy = !side;
    if men.pawns() != 0 || men.is_bare(enemy) {
        return 0;
    }
    if !men.is_bare(side) {
        return 64;
    }
    let count = |kind| men.count(enemy, kind);
    match (count(ROOK), count(KHON), count(KNIGHT)) {
        (2.., _, _) => 8,
        (1, _, _) => 16,
        (_, 2.., _) => 22,
        (_, _, 2..) => 32,
        (_, 1, _) => 44,
        _ => 64,
    }
}

/// Starts counting, or starts it anew, after a move of `mover`.
#[inline(always)]
pub(super) fn update(
    counting: &mut Counting,
    men: &Men,
    mover: Color,
    captured: Option<u8>,
    promoted: bool,
) {
    if men.pawns() == 0 && (!counting.is_running() || captured.is_some() || promoted) {
        start(counting, men, mover, captured, promoted);
    }
}

fn start(counting: &mut Counting, men: &Men, mover: Color, captured: Option<u8>, promoted: bool) {
    let all = men.occupied().len() as u16;
    if captured == Some(PAWN) && men.is_bare(mover) {
        let moves = protection(men, mover);
        if moves > 0 {
            *counting = Counting::start(2 * all - 1, moves);
        }
    }
    let next = !mover;
    let bared = men.is_bare(next);
    if !counting.is_running() || (captured.is_some() || promoted) && bared {
        let moves = protection(men, next);
        if moves > 0 {
            *counting = Counting::start(if bared { 2 * all } else { 0 }, moves);
        }
    }
}
