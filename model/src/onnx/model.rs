use std::fs;
use std::path::Path;

use prost::Message;

use super::{ModelError, ModelInfo, proto};

/// An exported network that has been read and found whole.
#[derive(Clone)]
pub struct Model {
    info: ModelInfo,
    bytes: Vec<u8>,
}

impl Model {
    pub fn read(path: &Path) -> Result<Model, ModelError> {
        let bytes = fs::read(path).map_err(|source| ModelError::Read {
            path: path.to_owned(),
            source,
        })?;
        Model::from_bytes(bytes)
    }

    /// Checks that the bytes are an ONNX file of ours and undamaged.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Model, ModelError> {
        let model = proto::Model::decode(bytes.as_slice()).map_err(ModelError::NotOnnx)?;
        let graph = model.graph.unwrap_or_default();
        let info = ModelInfo::read(&model.metadata_props, &graph)?;
        Ok(Model { info, bytes })
    }

    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// The ONNX file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}
