//! Opening statistics: what was played in a run's games, and how a network evaluates every move.
//!
//! A *move* here is a move as people count it ([`OpeningMove`]): in Eternal chess all decisions of
//! a turn, elsewhere one decision. Positions are identified by their key, so transpositions are
//! one position.
//!
//! [`count_games`] counts what was played; [`study_openings`] searches every move of a position
//! with equal effort, follows the good ones, and adds the games. The result is an
//! [`OpeningsReport`], rendered by [`text`], [`csv`] and [`html`].

mod book;
mod candidates;
mod csv;
mod experiment_text;
mod games;
mod html;
mod inputs;
mod opening_move;
mod perturbed;
mod report;
mod root;
mod search;
mod setups;
mod study;
mod summary;
mod text;
mod tree;

pub use book::{book, book_pgn};
pub use candidates::{MoveCandidate, candidates, priors};
pub use csv::csv;
pub use games::{CheckpointRanges, GameTable, PlayedMove, count_games};
pub use html::{html, html_of};
pub use inputs::{EvaluatorFactory, StudyInputs};
pub use opening_move::OpeningMove;
pub use report::{
    CountedGames, MoveReport, MoveSearch, OpeningNode, OpeningsReport, PlayedCounts, RangeCounts,
    ReportSource, SearchEffort,
};
pub use root::OpeningRoot;
pub use search::{PARALLEL_SEARCHES, PositionSearch, SearchSettings, search_positions};
pub use setups::{Formation, PieceMap, SetUps, SideSetUps};
pub use study::study_openings;
pub use text::text;
