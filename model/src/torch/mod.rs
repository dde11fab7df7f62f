//! The convolutional network in libtorch, and training it.

mod adamw;
mod averaged;
mod conv_net;
mod folded;
mod loss;
mod nnue;
mod onnx_graph;
mod sparse;
#[cfg(test)]
mod sparse_tests;
#[cfg(test)]
mod tests;
mod trainer;
mod weights;

pub use averaged::{AveragedNetwork, Prediction};
pub use loss::Losses;
pub use nnue::{NnueEpoch, NnueSet, NnueSettings, NnueTrained, train_nnue};
pub(crate) use onnx_graph::product_file;
pub use trainer::{StepReport, Trainer};
pub(crate) use weights::{Weights, numbers};

/// Sets the number of threads that libtorch uses for the calling thread: all cores in training, one
/// elsewhere. Each thread has its own setting.
pub fn set_threads(threads: usize) {
    tch::set_num_threads(threads as i32);
}
