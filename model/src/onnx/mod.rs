//! Exported networks: ONNX files that say which game they play and how to show it to them.

mod error;
mod info;
mod model;
pub(crate) mod proto;
#[cfg(feature = "torch")]
#[cfg(test)]
mod tests;

#[cfg(feature = "torch")]
pub(crate) use info::hash_of;

pub use error::ModelError;
pub use info::ModelInfo;
pub use model::Model;

/// The names of a network's input, planes `[batch, planes, rank, file]`, and of its outputs:
/// logits `[batch, actions]`, chances of win, draw and loss `[batch, 3]`, plies to the end of the
/// game `[batch, 1]`.
pub(crate) const INPUT: &str = "planes";
pub(crate) const POLICY: &str = "policy";
pub(crate) const WDL: &str = "wdl";
#[cfg(feature = "torch")]
pub(crate) const MOVES_LEFT: &str = "moves_left";
