//! The names of a checkpoint's files.

use std::path::{Path, PathBuf};

use crate::NetworkKind;

/// What the other files belong to, their hashes, and the notes of the run.
pub const STATE: &str = "state.json";
/// The averaged weights, which are exported.
pub const WEIGHTS: &str = "weights.safetensors";
/// What only training needs: the weights that it changes, and the optimiser's moments. A checkpoint
/// without it can be played and exported.
pub const OPTIMIZER: &str = "optimizer.safetensors";

/// The exported network of a kind.
pub const fn network_name(kind: NetworkKind) -> &'static str {
    match kind {
        NetworkKind::Conv => "model.onnx",
        NetworkKind::Sparse => "model.safetensors",
    }
}

/// The exported network of the checkpoint in `directory`; the name of a convolutional one if there
/// is none.
pub fn network(directory: &Path) -> PathBuf {
    let path = |kind| directory.join(network_name(kind));
    let sparse = path(NetworkKind::Sparse);
    if sparse.is_file() {
        sparse
    } else {
        path(NetworkKind::Conv)
    }
}
