//! The names of a checkpoint's files.

use std::path::{Path, PathBuf};

/// What the other files belong to, their hashes, and the notes of the run.
pub const STATE: &str = "state.json";
/// The averaged weights, which are exported.
pub const WEIGHTS: &str = "weights.safetensors";
/// What only training needs: the weights that it changes, and the optimiser's moments. A checkpoint
/// without it can be played and exported.
pub const OPTIMIZER: &str = "optimizer.safetensors";
/// The exported network.
pub const NETWORK: &str = "model.onnx";

/// The exported network of the checkpoint in `directory`.
pub fn network(directory: &Path) -> PathBuf {
    directory.join(NETWORK)
}
