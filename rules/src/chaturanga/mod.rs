//! What Makruk and Sittuyin, two descendants of chaturanga, share: the men and their moves on
//! 8×8, check and pins, the material test, counting state, and the common part of their text.

mod attacks;
mod counting;
mod generate;
mod kinds;
mod material;
mod men;
mod safety;
mod state;
pub(crate) mod stream;
mod validate;

pub(crate) use attacks::{between, file_of, forward, leaps, rank_of, spread};
pub(crate) use counting::Counting;
pub(crate) use generate::{Count, Sink, generate};
pub(crate) use kinds::{GENERAL, KHON, KIND_COUNT, KING, KNIGHT, PAWN, ROOK, kinds};
pub(crate) use material::neither_can_win;
pub(crate) use men::Men;
pub(crate) use safety::{Safety, hiding, is_attacked};
pub(crate) use state::{State, parse_letter};
pub(crate) use validate::{Census, first_name, validate};

use crate::Board;

pub(crate) const BOARD: Board = Board { files: 8, ranks: 8 };

/// Both games' last resort: after so many plies they are drawn.
pub(crate) const LONGEST_GAME: u32 = 600;
