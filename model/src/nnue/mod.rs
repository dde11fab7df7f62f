//! Fairy-Stockfish's `.nnue`: which features a position has, what the engine computes from them,
//! and the file.
//!
//! - [`NnueLayout`] numbers the features of a game as the engine does; [`NnuePosition`] is what the
//!   engine's network sees of a position.
//! - [`NnueNetwork`] is the contents of a file: [`NnueNetwork::evaluate`] computes what the engine
//!   does, in the same integers.
//! - [`CompactNetwork`] is what is trained: about a thousand rows that many features share.
//!   [`CompactNetwork::expand`] gives every feature of the engine the row of its class.
//!
//! Nothing here needs libtorch.

mod compact;
mod error;
mod file;
mod layout;
mod network;
mod position;
#[cfg(test)]
mod tests;

pub use compact::{CompactLayout, CompactNetwork, KingBuckets};
pub use error::{NnueFileError, NnueLayoutError};
pub use layout::NnueLayout;
pub use network::{
    HIDDEN_1, HIDDEN_2, INTERNAL_PER_PAWN, NnueEvaluation, NnueNetwork, NnueStack, OUTPUT_SCALE,
    STACKS, WIDTH,
};
pub use position::NnuePosition;
