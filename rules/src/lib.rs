//! Rules of Makruk, Sittuyin (two rule sets), Tori Shogi and Eternal chess.
//!
//! A [`Position`] is the state of a game without its past; [`Played`] adds the past and is the
//! [`Game`] a search plays. One folder per game; what they share lies beside them.

mod bits;
mod board;
mod chaturanga;
mod color;
mod error;
pub mod eternal;
mod game;
mod kind;
pub mod makruk;
mod moves;
mod outcome;
mod perft;
mod position;
mod rule_set;
pub mod sittuyin;
mod svg;
mod text;
pub mod tori;
mod zobrist;

pub use bits::{Bits, Squares};
pub use board::{Board, Mark, Square};
pub use color::{ByColor, Color};
pub use error::{MoveError, TextError};
pub use game::{Game, Played};
pub use kind::{Kind, Man, Occupant, Purpose, Step};
pub use moves::{Move, MoveList, Origin};
pub use outcome::{Outcome, Reason};
pub use perft::{divide, perft};
pub use position::{Clock, Position, Repetition};
pub use rule_set::{RuleSet, UnknownRuleSet};
pub use svg::{SvgOptions, svg};

/// A game of Eternal chess.
pub type Eternal = Played<eternal::EternalPosition>;
/// A game of Tori Shogi.
pub type ToriShogi = Played<tori::ToriPosition>;
/// A game of Makruk.
pub type Makruk = Played<makruk::MakrukPosition>;
/// A game of Sittuyin as it is played online.
pub type Sittuyin = Played<sittuyin::SittuyinPosition<false>>;
/// A game of Sittuyin as the AncientChess booklet tells it.
pub type SittuyinBooklet = Played<sittuyin::SittuyinPosition<true>>;
