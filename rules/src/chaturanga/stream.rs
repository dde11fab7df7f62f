//! The streams of Zobrist numbers: each thing that goes into a key has its own, lest two of them
//! cancel.

use crate::Color;

pub(crate) const TURN: u64 = 0;
pub(crate) const COUNTING: u64 = 1;
pub(crate) const CLOCK: u64 = 2;

pub(crate) const fn hand(color: Color) -> u64 {
    4 + color as u64
}

/// PieceBoard by side (0 or 1) and code (1 to 6).
pub(crate) const fn pieces(color: usize, code: usize) -> u64 {
    (16 + color * 8 + code) as u64
}
