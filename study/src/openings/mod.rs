//! Opening statistics: what was played in a run's games, and what a network thinks of every move.
//!
//! A *play* is a move as people count it: in Eternal chess all decisions of a player's turn,
//! elsewhere one decision. Positions are told apart by their key, so that transpositions are one.
//!
//! [`count_games`] gathers what was played; [`study`] searches every play of a position with equal
//! effort, follows the good ones, and sets the games beside them; a [`Report`] is what came out,
//! and can be shown as a [`table`], as [`csv`] and as a [`page`].

mod csv;
mod enumerate;
mod games;
mod page;
mod play;
mod report;
mod results;
mod root;
mod search;
mod setups;
mod study;
mod table;
mod varied;
mod words;

pub use csv::csv;
pub use games::{GameTable, PlayedPlay, Range, Ranges, count_games};
pub use page::page;
pub use play::Play;
pub use report::{
    CountedGames, Effort, MoveReport, Node, PlayedCounts, RangeCounts, Report, Searched, Source,
};
pub use results::Results;
pub use root::Root;
pub use search::{Found, PLACES, SearchSettings, search_positions};
pub use setups::{Formation, PieceMap, SetUps, SideSetUps};
pub use study::{Open, Study, study};
pub use table::table;
