//! Zobrist keys.

use super::piece_types;
use super::squares::BOARD;
use crate::zobrist::{number, numbers};
use crate::{Color, Square};

const SQUARES: usize = BOARD.squares();
/// A side can hold 0 to 15 pieces of a type before it gets one more.
const HELD: usize = 16;

static PIECES: [u64; 2 * piece_types::COUNT * SQUARES] = numbers(0x70_01);
static HANDS: [u64; 2 * piece_types::IN_HAND * HELD] = numbers(0x70_02);

pub(super) const TURN: u64 = number(0x70_03, 0);
pub(super) const DROPPED_CHECK: u64 = number(0x70_03, 1);

#[inline]
pub(super) fn piece(color: Color, piece_type: usize, square: Square) -> u64 {
    PIECES[(color as usize * piece_types::COUNT + piece_type) * SQUARES + square.index()]
}

/// The key of having one more than `held` pieces of a type in hand; the keys of all pieces in a hand
/// are combined.
#[inline]
pub(super) fn in_hand(color: Color, piece_type: usize, held: u8) -> u64 {
    HANDS[(color as usize * piece_types::IN_HAND + piece_type) * HELD + usize::from(held)]
}
