//! A sparse network as a file: one safetensors with integer tensors, and a line of metadata that
//! says what it is.

use std::collections::{BTreeMap, HashMap};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use thiserror::Error;

use super::features::FeatureLayout;
use super::network::{SparseNetwork, SparseSizes, SparseWeights};
use crate::hash::sha256;
use crate::{Architecture, NetworkError, NetworkInfo};

/// The name of the one metadata entry; several would be written in a random order.
const METADATA: &str = "garuda";

/// Why a file is not a sparse network that can be used.
#[derive(Debug, Error)]
pub enum SparseFileError {
    #[error("not a safetensors file: {0}")]
    Container(String),
    #[error("a safetensors file holds a sparse network, not {0}")]
    OtherKind(Architecture),
    #[error("the network is damaged: {}", .0.join("; "))]
    Damaged(Vec<String>),
}

impl SparseNetwork {
    /// The network as a file, of the game that `layout` belongs to. Equal networks give equal bytes.
    pub fn to_bytes(&self, layout: &FeatureLayout, run: &str, step: u64) -> Vec<u8> {
        let (width, hidden) = (self.shape().width(), self.shape().hidden());
        debug_assert_eq!(self.sizes(), layout.sizes());
        let weights = self.weights();
        let tensors = [
            integers("bias", &[width], &weights.bias),
            integers("hidden", &[hidden, width], &weights.hidden),
            floats("hidden_bias", &[hidden], &weights.hidden_bias),
            floats("moves", &[layout.moves()], &weights.moves),
            integers("policy", &[layout.actions(), width], &weights.policy),
            integers("rows", &[layout.features(), width], &weights.rows),
            floats("value", &[3, hidden], &weights.value),
            floats("value_bias", &[3], &weights.value_bias),
        ];
        let info = NetworkInfo {
            rules: layout.game().to_owned(),
            encoding_version: FeatureLayout::VERSION,
            encoding: layout.describe(),
            architecture: self.shape().into(),
            step,
            run: run.to_owned(),
            hash: hash(tensors.iter().map(|tensor| tensor.bytes.as_slice())),
        };
        let info = serde_json::to_string(&BTreeMap::from(info.metadata()))
            .expect("a map of texts has a JSON form");
        let views = tensors.iter().map(|tensor| {
            let view = TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes);
            (
                tensor.name,
                view.expect("the bytes are of the shape's size"),
            )
        });
        let metadata = HashMap::from([(METADATA.to_owned(), info)]);
        safetensors::serialize(views, Some(metadata)).expect("tensors can be written")
    }

    /// Whether a file begins as a safetensors file does: with the length of a JSON header, and it.
    pub(crate) fn is_file(bytes: &[u8]) -> bool {
        bytes.get(8) == Some(&b'{')
    }

    /// Reads a file. Refuses one that is damaged. Whether its features are those of a game is checked
    /// when an evaluator is made.
    pub fn from_bytes(bytes: &[u8]) -> Result<(NetworkInfo, SparseNetwork), NetworkError> {
        let container =
            |error: safetensors::SafeTensorError| SparseFileError::Container(error.to_string());
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(container)?;
        let metadata: BTreeMap<String, String> = header
            .metadata()
            .as_ref()
            .and_then(|metadata| metadata.get(METADATA))
            .and_then(|text| serde_json::from_str(text).ok())
            .ok_or(NetworkError::NoMetadata(METADATA))?;
        let file = SafeTensors::deserialize(bytes).map_err(container)?;
        let mut tensors: BTreeMap<String, TensorView<'_>> = file.tensors().into_iter().collect();
        let hash = hash(tensors.values().map(TensorView::data));
        let info = NetworkInfo::from_metadata(|key| Some(metadata.get(key)?.as_str()), hash)?;
        let Architecture::Sparse(shape) = info.architecture else {
            return Err(SparseFileError::OtherKind(info.architecture).into());
        };
        let mut problems = Vec::new();
        let mut take = |name: &str, dtype| match tensors.remove(name) {
            Some(tensor) if tensor.dtype() == dtype => tensor.data().to_vec(),
            Some(tensor) => {
                problems.push(format!("{name} holds {:?}, not {dtype:?}", tensor.dtype()));
                Vec::new()
            }
            None => {
                problems.push(format!("the tensor {name} is missing"));
                Vec::new()
            }
        };
        let i16s = |bytes: Vec<u8>| -> Vec<i16> {
            let (chunks, _) = bytes.as_chunks();
            chunks
                .iter()
                .map(|&bytes| i16::from_le_bytes(bytes))
                .collect()
        };
        let f32s = |bytes: Vec<u8>| -> Vec<f32> {
            let (chunks, _) = bytes.as_chunks();
            chunks
                .iter()
                .map(|&bytes| f32::from_le_bytes(bytes))
                .collect()
        };
        let weights = SparseWeights {
            rows: i16s(take("rows", Dtype::I16)),
            bias: i16s(take("bias", Dtype::I16)),
            hidden: i16s(take("hidden", Dtype::I16)),
            hidden_bias: f32s(take("hidden_bias", Dtype::F32)),
            value: f32s(take("value", Dtype::F32)),
            value_bias: f32s(take("value_bias", Dtype::F32)),
            policy: i16s(take("policy", Dtype::I16)),
            moves: f32s(take("moves", Dtype::F32)),
        };
        problems.extend(
            tensors
                .keys()
                .map(|name| format!("there is an unknown tensor {name}")),
        );
        if problems.is_empty() {
            let sizes = SparseSizes {
                features: weights.rows.len() / shape.width(),
                actions: weights.policy.len() / shape.width(),
                moves: weights.moves.len(),
            };
            match SparseNetwork::new(sizes, shape, weights) {
                Ok(network) => return Ok((info, network)),
                Err(found) => problems = found,
            }
        }
        Err(SparseFileError::Damaged(problems).into())
    }
}

struct Tensor {
    name: &'static str,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

fn integers(name: &'static str, shape: &[usize], numbers: &[i16]) -> Tensor {
    Tensor {
        name,
        dtype: Dtype::I16,
        shape: shape.to_vec(),
        bytes: numbers.iter().flat_map(|n| n.to_le_bytes()).collect(),
    }
}

fn floats(name: &'static str, shape: &[usize], numbers: &[f32]) -> Tensor {
    Tensor {
        name,
        dtype: Dtype::F32,
        shape: shape.to_vec(),
        bytes: numbers.iter().flat_map(|n| n.to_le_bytes()).collect(),
    }
}

/// The hash of the tensors' bytes, in the order of their names.
fn hash<'a>(tensors: impl Iterator<Item = &'a [u8]>) -> String {
    let mut all = Vec::new();
    for tensor in tensors {
        all.extend_from_slice(&(tensor.len() as u64).to_le_bytes());
        all.extend_from_slice(tensor);
    }
    sha256(&all)
}
