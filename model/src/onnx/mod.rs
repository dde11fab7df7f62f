//! Networks as ONNX files, run by ONNX Runtime.

pub mod check;
mod evaluator;
mod file;
pub mod proto;
pub mod structure;
pub mod writer;

pub use check::GraphError;
pub(crate) use evaluator::OnnxEvaluator;
pub use evaluator::session;
pub(crate) use file::OnnxFile;
pub use file::content_hash;

/// The names of a network's input, planes `[batch, planes, rank, file]`, and of its outputs:
/// logits `[batch, actions]`, probabilities of win, draw and loss `[batch, 3]`, plies to the end of
/// the game `[batch, 1]`.
pub const INPUT: &str = "planes";
pub const POLICY: &str = "policy";
pub const WDL: &str = "wdl";
pub const MOVES_LEFT: &str = "moves_left";
