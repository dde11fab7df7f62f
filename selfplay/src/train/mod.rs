//! `garuda train`: self-play, training and evaluation in turn, for as long as one likes.

mod checkpoints;
mod evaluate;
mod learn;
mod machine;
mod play;
mod progress;
mod session;
mod stats;
mod warnings;

#[cfg(test)]
mod tests;

pub use progress::Progress;
pub use session::{Summary, TrainOptions, train};
