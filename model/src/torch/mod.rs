//! The network in libtorch, and training it.

mod adamw;
mod conv_net;
mod export;
mod folded;
mod loss;
mod onnx_graph;
mod sparse;
#[cfg(test)]
mod sparse_tests;
#[cfg(test)]
mod tests;
mod trainer;
mod weights;

pub use loss::Losses;
pub(crate) use onnx_graph::product_file;
pub use trainer::{Prediction, StepReport, Trainer};
pub(crate) use weights::{Weights, numbers};

/// Sets how many threads libtorch uses for what the calling thread asks of it: all cores while
/// training, one elsewhere. To be called on the thread that works.
pub fn set_threads(threads: usize) {
    tch::set_num_threads(threads as i32);
}
