//! The board's squares as bits.

use crate::{Board, Color};

pub(super) const BOARD: Board = Board { files: 7, ranks: 7 };
pub(super) const SQUARES: usize = BOARD.squares();

pub(super) const ALL: u64 = (1 << SQUARES) - 1;
const RANK_1: u64 = (1 << BOARD.files) - 1;
const FILE_A: u64 = ALL / RANK_1;

/// The rank beyond which a side's swallow would have no move.
pub(super) const fn last_rank(color: Color) -> u64 {
    match color {
        Color::White => RANK_1 << (SQUARES - BOARD.files as usize),
        Color::Black => RANK_1,
    }
}

/// The last two ranks of a side, where swallows and falcons promote.
pub(super) const fn promotion_zone(color: Color) -> u64 {
    let ranks = RANK_1 | RANK_1 << BOARD.files;
    match color {
        Color::White => ranks << (SQUARES - 2 * BOARD.files as usize),
        Color::Black => ranks,
    }
}

/// The whole files on which `count` or more of the squares are.
#[inline(always)]
pub(super) fn files_with(count: usize, squares: u64) -> u64 {
    // Files as bits of the lowest rank, by how many squares were found on them so far.
    let mut found = [0; 3];
    for rank in 0..BOARD.ranks {
        let here = squares >> (rank * BOARD.files) & RANK_1;
        found[2] |= found[1] & here;
        found[1] |= found[0] & here;
        found[0] |= here;
    }
    found[count - 1] * FILE_A
}
