//! `garuda train`: self-play, training and evaluation in turn, until it is stopped.

mod checkpoints;
mod evaluate;
mod learn;
mod machine;
mod play;
mod progress;
mod report;
mod session;
mod stats;
mod warnings;

#[cfg(test)]
mod tests;

pub use progress::Progress;
pub use report::Summary;
pub use session::{TrainOptions, shards, train, train_with};

/// How a phase of a run ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[must_use]
enum PhaseEnd {
    Complete,
    /// The end of the run came first.
    Interrupted,
}
