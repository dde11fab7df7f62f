//! Writes networks as ONNX files.

use prost::Message;

use super::file::content_hash;
use super::proto;
use crate::NetworkInfo;

/// The standard's numbers of types.
pub const FLOAT: i32 = 1;
pub const INT64: i32 = 7;
const INT_ATTRIBUTE: i32 = 2;
const INTS_ATTRIBUTE: i32 = 7;

/// The version of ONNX that the files are written in.
const IR_VERSION: i64 = 8;
const OPERATOR_SET: i64 = 17;

/// A network's file. Its hash is the graph's, whatever `info` says.
pub fn network_file(graph: proto::Graph, info: NetworkInfo) -> Vec<u8> {
    let mut file = file(graph);
    let info = NetworkInfo {
        hash: content_hash(&mut file),
        ..info
    };
    let metadata = info.metadata().map(|(key, value)| proto::Entry {
        key: key.to_owned(),
        value,
    });
    file.metadata_props = metadata.into();
    file.encode_to_vec()
}

/// A graph as a file, without metadata.
pub fn file(graph: proto::Graph) -> proto::Model {
    proto::Model {
        ir_version: IR_VERSION,
        producer_name: "garuda".to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        graph: Some(graph),
        opset_import: vec![proto::OperatorSet {
            domain: String::new(),
            version: OPERATOR_SET,
        }],
        metadata_props: Vec::new(),
    }
}

/// A tensor `[batch, rest…]` of one of the types above, for any batch.
pub fn value_info(name: &str, elem_type: i32, rest: &[i64]) -> proto::ValueInfo {
    let batch = proto::Dimension {
        dim_param: Some("batch".to_owned()),
        ..Default::default()
    };
    let rest = rest.iter().map(|&size| proto::Dimension {
        dim_value: Some(size),
        ..Default::default()
    });
    let tensor_type = proto::TensorType {
        elem_type,
        shape: Some(proto::Shape {
            dim: std::iter::once(batch).chain(rest).collect(),
        }),
    };
    proto::ValueInfo {
        name: name.to_owned(),
        r#type: Some(proto::Type {
            tensor_type: Some(tensor_type),
        }),
    }
}

/// Builds a network as nodes. A value is its name.
#[derive(Debug, Default)]
pub struct GraphWriter {
    pub nodes: Vec<proto::Node>,
    pub constants: Vec<proto::Tensor>,
}

impl GraphWriter {
    /// Adds a node with one output, which has the node's name.
    pub fn node(
        &mut self,
        op: &str,
        input: Vec<String>,
        attribute: Vec<proto::Attribute>,
    ) -> String {
        let name = format!("{}{}", op.to_ascii_lowercase(), self.nodes.len());
        self.nodes.push(proto::Node {
            input,
            output: vec![name.clone()],
            name: name.clone(),
            op_type: op.to_owned(),
            attribute,
        });
        name
    }

    /// Renames the output of a node. No other node may use it.
    pub fn rename_output(&mut self, value: &str, name: &str) {
        let node = self.nodes.iter_mut().find(|node| node.name == value);
        node.expect("a value is some node's output").output = vec![name.to_owned()];
    }

    pub fn floats(&mut self, dims: &[i64], numbers: &[f32]) -> String {
        let bytes = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.constant(dims, FLOAT, bytes)
    }

    pub fn integers(&mut self, dims: &[i64], numbers: &[i64]) -> String {
        let bytes = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.constant(dims, INT64, bytes)
    }

    fn constant(&mut self, dims: &[i64], data_type: i32, raw_data: Vec<u8>) -> String {
        let name = format!("constant{}", self.constants.len());
        self.constants.push(proto::Tensor {
            dims: dims.to_vec(),
            data_type,
            name: name.clone(),
            raw_data,
        });
        name
    }
}

pub fn int(name: &str, value: i64) -> proto::Attribute {
    proto::Attribute {
        name: name.to_owned(),
        i: Some(value),
        r#type: INT_ATTRIBUTE,
        ..Default::default()
    }
}

pub fn ints(name: &str, values: &[i64]) -> proto::Attribute {
    proto::Attribute {
        name: name.to_owned(),
        ints: values.to_vec(),
        r#type: INTS_ATTRIBUTE,
        ..Default::default()
    }
}
