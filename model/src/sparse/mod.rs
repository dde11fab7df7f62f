//! The sparse network, made for CPUs: a few dozen active features of some thousands, one hidden
//! layer in 16-bit integers, and a policy that is computed for the legal moves only.
//!
//! ```text
//! features (20–60 active) ─► sum of rows, i16 [width] ─► clamp, square ─┬─► i32 [hidden] ─► win, draw, loss
//!                                                                       └─► one dot product a legal move + table
//! ```
//!
//! [`FeatureLayout`] says which features there are and [`Sample`](SparseSample) lists the active
//! ones of a position; [`SparseNetwork`] holds the weights and evaluates; [`SparseEvaluator`] plays
//! with it. All sums are integers and the few floating-point operations come in a fixed order, so
//! that an evaluation is the same, bit for bit, on every CPU.

mod evaluator;
mod exp;
mod features;
mod file;
mod mirror;
mod move_table;
mod network;
mod onnx;
#[cfg(test)]
mod tests;

pub use evaluator::SparseEvaluator;
pub use features::{FeatureLayout, SparseSample};
pub use file::SparseFileError;
pub use mirror::MirrorTable;
pub use network::{SUM_SCALE, SparseWeights, WEIGHT_SCALE};
pub use network::{SparseNetwork, SparseShape, SparseSizes};
