use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::{ArchitectureError, GraphError};

/// Why a file is not a network that can be used.
#[derive(Debug, Error)]
pub enum NetworkError {
    #[error("cannot read the network {path}", path = path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("this is not an ONNX file")]
    NotOnnx(#[source] prost::DecodeError),
    #[error("this file was not exported by Garuda: it has no {0:?} in its metadata")]
    NoMetadata(&'static str),
    #[error("the network's metadata has the value {value:?} for {key:?}")]
    Metadata { key: &'static str, value: String },
    #[error("the network's metadata names an unknown architecture")]
    Architecture(#[from] ArchitectureError),
    #[error(
        "the network is damaged: its contents have the hash {found}, but it was exported with {expected}"
    )]
    Hash { expected: String, found: String },
    #[error("the network cannot be run: {0}")]
    Graph(#[from] GraphError),
    #[error("the network plays {found}, not {wanted}")]
    OtherGame { wanted: &'static str, found: String },
    #[error(
        "the network was trained with another encoding (version {found}) than this program uses \
         (version {wanted}): {difference}"
    )]
    OtherEncoding {
        wanted: u32,
        found: u32,
        difference: String,
    },
    #[error(
        "an ONNX file cannot be trained further; name the checkpoint that it was exported from"
    )]
    NotTrainable,
    #[error(transparent)]
    Sparse(#[from] crate::sparse::SparseFileError),
    #[error(transparent)]
    Runtime(#[from] crate::RuntimeError),
    #[error("ONNX Runtime cannot load the network")]
    Session(#[source] ort::Error),
}
