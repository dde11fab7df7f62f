//! Studies of a run: openings, piece values, and how balanced the game is.
//!
//! Each study computes a report: owned, versioned data that is stored as JSON and can be read
//! back. Text, CSV, HTML and SVG are rendered from the report alone. Modules depend on those
//! above them: `charts`, `balance` and `experiment` on none, `values` on the first two, `openings` on
//! `balance` and `experiment`.

pub mod balance;
pub mod charts;
pub mod experiment;
pub mod openings;
pub mod values;

mod checkpoint_range;
mod format;
mod game_results;
mod interval;
mod markup;
mod moves;
mod versioned;

pub use checkpoint_range::CheckpointRange;
pub use game_results::GameResults;
pub use interval::ConfidenceInterval;
pub use versioned::{ReportError, VersionedReport};
