//! Zobrist keys.

use super::kinds;
use super::squares::BOARD;
use crate::zobrist::{number, numbers};
use crate::{Color, Square};

const SQUARES: usize = BOARD.squares();
/// A side can hold 0 to 15 men of a kind before it gets one more.
const HELD: usize = 16;

static MEN: [u64; 2 * kinds::COUNT * SQUARES] = numbers(0x70_01);
static HANDS: [u64; 2 * kinds::IN_HAND * HELD] = numbers(0x70_02);

pub(super) const TURN: u64 = number(0x70_03, 0);
pub(super) const DROPPED_CHECK: u64 = number(0x70_03, 1);

#[inline]
pub(super) fn man(color: Color, kind: usize, square: Square) -> u64 {
    MEN[(color as usize * kinds::COUNT + kind) * SQUARES + square.index()]
}

/// The key of having one more than `held` men of a kind in hand; the keys of all men in a hand
/// are combined.
#[inline]
pub(super) fn in_hand(color: Color, kind: usize, held: u8) -> u64 {
    HANDS[(color as usize * kinds::IN_HAND + kind) * HELD + usize::from(held)]
}
