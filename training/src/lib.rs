//! The loop of a run, `garuda train`: games are played, the replay window keeps the recent ones, the
//! network trains on them, and each checkpoint is evaluated against earlier ones.

mod checkpoints;
mod evaluate;
mod learn;
mod machine;
pub mod nnue;
mod play;
mod progress;
pub mod replay;
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
