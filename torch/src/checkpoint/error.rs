use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a checkpoint could not be written or read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    #[error("cannot write the checkpoint {path}", path = .path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot read {path} of a checkpoint", path = .path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the checkpoint {path} cannot be used: {}", .problems.join("; "), path = .path.display())]
    Refused {
        path: PathBuf,
        /// Everything that is wrong.
        problems: Vec<String>,
    },
    #[error("the notes of a checkpoint are not what is expected")]
    Notes(#[source] serde_json::Error),
}
