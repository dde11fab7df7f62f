//! Training a network for Fairy-Stockfish: compact rows, in floating point, and how they become the
//! engine's integers.

mod net;
mod set;
#[cfg(test)]
mod tests;
mod train;

pub use set::NnueSet;
pub use train::{NnueEpoch, NnueSettings, NnueTrained, train_nnue};
