use std::io;
use std::path::PathBuf;

use garuda_rules::{RuleSet, UnknownRuleSet};
use thiserror::Error;

use crate::ArchitectureError;

/// Why a file is not a model that can be used.
#[derive(Debug, Error)]
pub enum ModelError {
    #[error("cannot read the model {path}", path = path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("this is not an ONNX file")]
    NotOnnx(#[source] prost::DecodeError),
    #[error("this ONNX file was not exported by Garuda: it has no {0:?} in its metadata")]
    NoMetadata(&'static str),
    #[error("the model's metadata gives {value:?} as its {key}")]
    Metadata { key: &'static str, value: String },
    #[error("the model's metadata names no game of ours")]
    Game(#[from] UnknownRuleSet),
    #[error("the model's metadata names no architecture of ours")]
    Architecture(#[from] ArchitectureError),
    #[error(
        "the model is damaged: its contents have the hash {found}, but it was exported with {expected}"
    )]
    Hash { expected: String, found: String },
    #[error("the model plays {found}, not {wanted}")]
    OtherGame { wanted: RuleSet, found: RuleSet },
    #[error(
        "the model expects positions to be shown in another way (encoding {found}) than this \
         program does (encoding {wanted}): {difference}"
    )]
    OtherEncoding {
        wanted: u32,
        found: u32,
        difference: String,
    },
    #[error(transparent)]
    Runtime(#[from] crate::RuntimeError),
    #[error("ONNX Runtime cannot load the model")]
    Session(#[source] ort::Error),
}
