//! Networks as ONNX files, run by ONNX Runtime.

mod check;
mod evaluator;
mod file;
pub(crate) mod proto;
mod structure;
#[cfg(feature = "torch")]
#[cfg(test)]
mod tests;
pub(crate) mod writer;

pub use check::GraphError;
pub(crate) use evaluator::OnnxEvaluator;
#[cfg(feature = "torch")]
pub(crate) use evaluator::session;
pub(crate) use file::OnnxFile;

/// The names of a network's input, planes `[batch, planes, rank, file]`, and of its outputs:
/// logits `[batch, actions]`, probabilities of win, draw and loss `[batch, 3]`, plies to the end of
/// the game `[batch, 1]`.
pub(crate) const INPUT: &str = "planes";
pub(crate) const POLICY: &str = "policy";
pub(crate) const WDL: &str = "wdl";
#[cfg(feature = "torch")]
pub(crate) const MOVES_LEFT: &str = "moves_left";
