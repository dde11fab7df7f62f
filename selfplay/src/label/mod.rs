//! Labelled positions for networks of Fairy-Stockfish: positions of recorded games, each searched
//! again by the newest network or a teacher engine.

mod candidates;
mod engine;
mod games;
mod job;
mod search;

pub use job::{LabelOptions, LabelSummary, Labeller, label};
