//! Counting: when the weaker side may start it, and how long the stronger side has to mate.

use crate::chaturanga::{Counting, KHON, KNIGHT, PAWN, PieceBoard, ROOK};
use crate::{Bits, Color};

/// The limits, in plies, that only a bare king can have.
pub(super) const PIECES_HONOUR: [u16; 5] = [16, 32, 44, 64, 88];
/// The limit of a side with pieces left, or of a bare king against weak pieces.
pub(super) const BOARD_HONOUR: u16 = 128;

/// The number of own moves that protects a side; 0 if nothing does.
fn protection(pieces: &PieceBoard, side: Color) -> u16 {
    let enemy = !side;
    if pieces.pawns() != 0 || pieces.is_bare(enemy) {
        return 0;
    }
    if !pieces.is_bare(side) {
        return 64;
    }
    let count = |piece_type| pieces.count(enemy, piece_type);
    match (count(ROOK), count(KHON), count(KNIGHT)) {
        (2.., _, _) => 8,
        (1, _, _) => 16,
        (_, 2.., _) => 22,
        (_, _, 2..) => 32,
        (_, 1, _) => 44,
        _ => 64,
    }
}

/// Starts counting, or restarts it, after a move of `mover`.
#[inline(always)]
pub(super) fn update(
    counting: &mut Counting,
    pieces: &PieceBoard,
    mover: Color,
    captured: Option<u8>,
    promoted: bool,
) {
    if pieces.pawns() == 0 && (!counting.is_running() || captured.is_some() || promoted) {
        start(counting, pieces, mover, captured, promoted);
    }
}

fn start(
    counting: &mut Counting,
    pieces: &PieceBoard,
    mover: Color,
    captured: Option<u8>,
    promoted: bool,
) {
    let all = pieces.occupied().len() as u16;
    if captured == Some(PAWN) && pieces.is_bare(mover) {
        let moves = protection(pieces, mover);
        if moves > 0 {
            *counting = Counting::start(2 * all - 1, moves);
        }
    }
    let next = !mover;
    let bared = pieces.is_bare(next);
    if !counting.is_running() || (captured.is_some() || promoted) && bared {
        let moves = protection(pieces, next);
        if moves > 0 {
            *counting = Counting::start(if bared { 2 * all } else { 0 }, moves);
        }
    }
}
