use prost::Message;

use super::check::{GraphError, check};
use super::proto;
use super::structure::{self, structure_len};
use crate::hash::sha256;
use crate::{NetworkError, NetworkInfo};

/// An ONNX file with our metadata that can be run within bounds.
#[derive(Clone, Debug)]
pub(crate) struct OnnxFile {
    /// The message as it was understood and hashed. Fields that the schema lacks are gone.
    bytes: Vec<u8>,
}

impl OnnxFile {
    /// Refuses what was not exported by Garuda, was damaged, or cannot be run within bounds.
    pub(crate) fn decode(bytes: &[u8]) -> Result<(NetworkInfo, OnnxFile), NetworkError> {
        let (found, limit) = (structure_len(bytes), structure::MAX_BYTES);
        if found > limit {
            return Err(GraphError::Structure { found, limit }.into());
        }
        let mut model = proto::Model::decode(bytes).map_err(NetworkError::NotOnnx)?;
        let hash = content_hash(&mut model);
        let get = |key: &str| {
            let mut entries = model.metadata_props.iter();
            let entry = entries.find(|entry| entry.key == key)?;
            Some(entry.value.as_str())
        };
        let info = NetworkInfo::from_metadata(get, hash)?;
        check(model.graph.get_or_insert_default())?;
        let bytes = model.encode_to_vec();
        Ok((info, OnnxFile { bytes }))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The hash of everything in a file that is run: all but who wrote it and the metadata, which are
/// as before afterwards.
pub fn content_hash(model: &mut proto::Model) -> String {
    let described = proto::Model {
        graph: model.graph.take(),
        ir_version: model.ir_version,
        opset_import: model.opset_import.clone(),
        ..Default::default()
    };
    let hash = sha256(&described.encode_to_vec());
    model.graph = described.graph;
    hash
}
