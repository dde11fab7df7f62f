//! Opening statistics: what was played in a run's games, and what a network thinks of every move.
//!
//! A *play* is a move as people count it: in Eternal chess all decisions of a player's turn,
//! elsewhere one decision. Positions are told apart by their key, so that transpositions are one.
//!
//! [`count_games`] gathers what was played; [`study`] searches every play of a position with equal
//! effort, follows the good ones, and sets the games beside them; a [`OpeningsReport`] is what came out,
//! and can be shown as a [`table`], as [`csv`] and as a [`page`].

mod candidates;
mod csv;
mod games;
mod html;
mod opening_move;
mod perturbed;
mod report;
mod results;
mod root;
mod search;
mod setups;
mod study;
mod summary;
mod text;

pub use csv::csv;
pub use games::{CheckpointRange, CheckpointRanges, GameTable, PlayedMove, count_games};
pub use html::page;
pub use opening_move::OpeningMove;
pub use report::{
    CountedGames, MoveReport, MoveSearch, OpeningNode, OpeningsReport, PlayedCounts, RangeCounts,
    ReportSource, SearchEffort,
};
pub use results::GameResults;
pub use root::OpeningRoot;
pub use search::{PLACES, PositionSearch, SearchSettings, search_positions};
pub use setups::{Formation, PieceMap, SetUps, SideSetUps};
pub use study::{EvaluatorFactory, StudyInputs, study};
pub use text::table;
