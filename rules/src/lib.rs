//! Rules of Makruk, Sittuyin (two rule sets), Tori Shogi and Eternal chess.
//!
//! A [`Position`] is the state of a game without its past; [`GameState`] adds the past and is the
//! [`Game`] a search plays. One folder per game; what they share lies beside them.

#![warn(missing_docs)]

mod attack_map;
mod bits;
mod board;
mod book;
mod chaturanga;
mod color;
mod diagram;
mod error;
pub mod eternal;
mod fen;
mod game;
pub mod makruk;
mod material;
pub mod mini_makruk;
mod moves;
mod outcome;
mod perft;
mod piece;
mod planes;
mod position;
mod rule_set;
pub mod sittuyin;
mod svg;
pub mod tori;
mod varied_start;
mod zobrist;

pub use attack_map::AttackMap;
pub use bits::{Bits, Squares};
pub use board::{Board, Mark, Square};
pub use book::{BookError, OpeningBook};
pub use color::{ByColor, Color};
pub use diagram::diagram;
pub use error::{FenError, MoveError};
pub use game::{Game, GameState, first_winning_move};
pub use material::{FeaturePlace, GamePhase, MaterialFeature};
pub use moves::{Move, MoveList, Origin};
pub use outcome::{Outcome, Termination};
pub use perft::{divide, perft};
pub use piece::{Occupant, Piece, PieceType, Purpose, Step};
pub use planes::Planes;
pub use position::{Clock, Position, Repetition};
pub use rule_set::games::*;
pub use rule_set::{RuleSet, UnknownRuleSet};
pub use svg::{SvgOptions, TileMarks, svg};
