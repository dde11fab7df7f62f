//! Labelled positions for networks of Fairy-Stockfish: positions of recorded games, each searched
//! again by the newest network or a teacher engine.

mod candidates;
mod engine;
mod games;
mod job;
mod search;
#[cfg(feature = "torch")]
mod train;

pub use job::{LabelOptions, LabelSummary, Labeller, label};
#[cfg(feature = "torch")]
pub use train::{MIN_LABELS, NnueExport, NnueOptions, export_nnue};
