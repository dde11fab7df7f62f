//! What Makruk and Sittuyin, two descendants of chaturanga, share: the pieces and their moves on
//! 8×8, check and pins, the material test, counting state, and the common part of their text.

mod attacks;
mod checks;
mod counting;
mod generate;
mod material;
mod phases;
mod piece_board;
mod piece_types;
mod safety;
mod state;
pub(crate) mod stream;
mod validate;

pub(crate) use attacks::{between, file_of, forward, leaps, rank_of, spread};
pub(crate) use checks::Checks;
pub(crate) use counting::Counting;
pub(crate) use generate::{Count, Sink, generate};
pub(crate) use material::neither_can_win;
pub(crate) use phases::{PHASES, phase};
pub(crate) use piece_board::PieceBoard;
pub(crate) use piece_types::{
    GENERAL, GUIDE, KHON, KING, KNIGHT, PAWN, PIECE_TYPE_COUNT, ROOK, piece_types,
};
pub(crate) use safety::{Safety, attack_map, hiding, is_attacked};
pub(crate) use state::State;
pub(crate) use validate::{Census, first_name, validate};

use crate::Board;

pub(crate) const BOARD: Board = Board { files: 8, ranks: 8 };

/// The length limit of both games, in plies: they are drawn then.
pub(crate) const LONGEST_GAME: u32 = 600;
