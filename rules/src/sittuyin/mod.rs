//! Sittuyin, the chess of Burma, by two rule sets: as it is played online today, and as the
//! AncientChess booklet tells it. What differs between them is in `modern` and `booklet`.

mod booklet;
mod fen;
mod hands;
mod modern;
mod position;

pub use position::SittuyinPosition;

use crate::chaturanga::{BOARD, GENERAL, KHON, KING, KNIGHT, PieceBoard, ROOK};
use crate::{Color, Square};

/// The kinds that are placed before play, in the order in which a hand is written.
const PLACEABLE: [u8; 5] = [KING, KHON, GENERAL, ROOK, KNIGHT];
/// What a side has of each at the start.
const HAND_UNITS: [u8; PLACEABLE.len()] = [1, 2, 1, 2, 2];

/// The pawns at the start, which stay where they are until all else is placed.
const fn starting_pawns(color: Color) -> u64 {
    match color {
        Color::White => 0x0000_0000_f00f_0000,
        Color::Black => 0x0000_f00f_0000_0000,
    }
}

/// The ranks of a side from its first on.
const fn first_ranks(color: Color, ranks: u32) -> u64 {
    match color {
        Color::White => u64::MAX >> (64 - 8 * ranks),
        Color::Black => u64::MAX << (64 - 8 * ranks),
    }
}

/// The enemy's half of the two long diagonals, where a pawn may become a general.
const fn promotion_squares(color: Color) -> u64 {
    match color {
        Color::White => 0x8142_2418_0000_0000,
        Color::Black => 0x0000_0000_1824_4281,
    }
}

/// Whether a pawn's move is its promotion: it stays, or steps aside to an empty square.
fn is_promotion(pieces: &PieceBoard, from: Square, to: Square) -> bool {
    from == to || BOARD.file(from) != BOARD.file(to) && pieces.piece_type(to).is_none()
}
