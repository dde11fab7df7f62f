//! What a run teaches: openings, piece values and the balance of a game. Each study is data
//! first; text, CSV, HTML and charts are made from the data.

pub mod balance;
pub mod charts;
pub mod openings;
pub mod values;

mod interval;
mod moves;

pub use interval::ConfidenceInterval;
