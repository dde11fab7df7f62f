use prost::Message;

use super::proto;
use crate::hash::sha256;
use crate::{NetworkError, NetworkInfo};

/// An ONNX file with our metadata.
#[derive(Clone, Debug)]
pub(crate) struct OnnxFile {
    bytes: Vec<u8>,
}

impl OnnxFile {
    /// Checks that the bytes are an ONNX file with our metadata, and undamaged.
    pub(crate) fn decode(bytes: &[u8]) -> Result<(NetworkInfo, OnnxFile), NetworkError> {
        let model = proto::Model::decode(bytes).map_err(NetworkError::NotOnnx)?;
        let graph = model.graph.unwrap_or_default();
        let get = |key: &str| {
            let mut entries = model.metadata_props.iter();
            let entry = entries.find(|entry| entry.key == key)?;
            Some(entry.value.as_str())
        };
        let info = NetworkInfo::from_metadata(get, hash_of(&graph))?;
        let bytes = bytes.to_vec();
        Ok((info, OnnxFile { bytes }))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The hash of a network, independent of its metadata.
pub(crate) fn hash_of(graph: &proto::Graph) -> String {
    sha256(&graph.encode_to_vec())
}
