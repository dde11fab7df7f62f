use prost::Message;
use tch::Tensor;

use super::folded::{Folded, Graph, Layer};
use super::weights::numbers;
use crate::onnx::{INPUT, MOVES_LEFT, POLICY, WDL, content_hash, proto};
use crate::{Architecture, Encoding, NetworkInfo};

/// The standard's numbers of types.
const FLOAT: i32 = 1;
const INT64: i32 = 7;
const INT_ATTRIBUTE: i32 = 2;
const INTS_ATTRIBUTE: i32 = 7;

/// The version of ONNX that the files are written in.
const IR_VERSION: i64 = 8;
const OPERATOR_SET: i64 = 17;

/// An ONNX file of the network.
pub(crate) fn onnx_file(
    folded: &Folded,
    encoding: &Encoding,
    architecture: Architecture,
    step: u64,
    run: &str,
) -> Vec<u8> {
    let sizes = folded.sizes;
    let mut writer = Writer::default();
    let output = folded.apply(&mut writer, &INPUT.to_owned());
    writer.rename_output(&output.policy, POLICY);
    writer.rename_output(&output.wdl, WDL);
    writer.rename_output(&output.moves_left, MOVES_LEFT);
    let graph = proto::Graph {
        node: writer.nodes,
        name: encoding.rules.to_owned(),
        initializer: writer.constants,
        input: vec![value_info(INPUT, &[sizes.planes, sizes.ranks, sizes.files])],
        output: vec![
            value_info(POLICY, &[sizes.actions()]),
            value_info(WDL, &[3]),
            value_info(MOVES_LEFT, &[1]),
        ],
    };
    let mut file = file(graph);
    let info = NetworkInfo {
        rules: encoding.rules.to_owned(),
        encoding_version: Encoding::VERSION,
        encoding: encoding.describe(),
        architecture,
        step,
        run: run.to_owned(),
        hash: content_hash(&mut file),
    };
    let metadata = info.metadata().map(|(key, value)| proto::Entry {
        key: key.to_owned(),
        value,
    });
    file.metadata_props = metadata.into();
    file.encode_to_vec()
}

/// A file that multiplies a matrix by another one, for comparison.
pub(crate) fn product_file(factor: &Tensor) -> Vec<u8> {
    let mut writer = Writer::default();
    let factor_name = writer.tensor(factor);
    let product = writer.matmul(&INPUT.to_owned(), &factor_name);
    let shape = factor.size();
    let graph = proto::Graph {
        node: writer.nodes,
        name: "product".to_owned(),
        initializer: writer.constants,
        input: vec![value_info(INPUT, &shape[..1])],
        output: vec![value_info(&product, &shape[1..])],
    };
    file(graph).encode_to_vec()
}

fn file(graph: proto::Graph) -> proto::Model {
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

/// A float tensor `[batch, rest…]`, for any batch.
fn value_info(name: &str, rest: &[i64]) -> proto::ValueInfo {
    let batch = proto::Dimension {
        dim_param: Some("batch".to_owned()),
        ..Default::default()
    };
    let rest = rest.iter().map(|&size| proto::Dimension {
        dim_value: Some(size),
        ..Default::default()
    });
    let tensor_type = proto::TensorType {
        elem_type: FLOAT,
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
#[derive(Default)]
struct Writer {
    nodes: Vec<proto::Node>,
    constants: Vec<proto::Tensor>,
}

impl Writer {
    /// Adds a node with one output, which has the node's name.
    fn node(&mut self, op: &str, input: Vec<String>, attribute: Vec<proto::Attribute>) -> String {
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
    fn rename_output(&mut self, value: &str, name: &str) {
        let node = self.nodes.iter_mut().find(|node| node.name == value);
        node.expect("a value is some node's output").output = vec![name.to_owned()];
    }

    fn constant(&mut self, dims: Vec<i64>, data_type: i32, raw_data: Vec<u8>) -> String {
        let name = format!("constant{}", self.constants.len());
        self.constants.push(proto::Tensor {
            dims,
            data_type,
            name: name.clone(),
            raw_data,
        });
        name
    }

    fn tensor(&mut self, tensor: &Tensor) -> String {
        let bytes = numbers(tensor)
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        self.constant(tensor.size(), FLOAT, bytes)
    }

    fn layer(&mut self, x: &str, layer: &Layer) -> Vec<String> {
        vec![
            x.to_owned(),
            self.tensor(&layer.weight),
            self.tensor(&layer.bias),
        ]
    }
}

fn int(name: &str, value: i64) -> proto::Attribute {
    proto::Attribute {
        name: name.to_owned(),
        i: Some(value),
        r#type: INT_ATTRIBUTE,
        ..Default::default()
    }
}

fn ints(name: &str, values: &[i64]) -> proto::Attribute {
    proto::Attribute {
        name: name.to_owned(),
        ints: values.to_vec(),
        r#type: INTS_ATTRIBUTE,
        ..Default::default()
    }
}

impl Graph for Writer {
    type Value = String;

    fn conv(&mut self, x: &String, layer: &Layer) -> String {
        let kernel = layer.weight.size()[2];
        let attributes = vec![
            ints("kernel_shape", &[kernel; 2]),
            ints("pads", &[kernel / 2; 4]),
        ];
        let inputs = self.layer(x, layer);
        self.node("Conv", inputs, attributes)
    }

    fn linear(&mut self, x: &String, layer: &Layer) -> String {
        let inputs = self.layer(x, layer);
        self.node("Gemm", inputs, vec![int("transB", 1)])
    }

    fn relu(&mut self, x: String) -> String {
        self.node("Relu", vec![x], vec![])
    }

    fn add(&mut self, a: String, b: String) -> String {
        self.node("Add", vec![a, b], vec![])
    }

    fn pool(&mut self, x: &String) -> String {
        let mean = self.node("GlobalAveragePool", vec![x.clone()], vec![]);
        let max = self.node("GlobalMaxPool", vec![x.clone()], vec![]);
        let both = self.node("Concat", vec![mean, max], vec![int("axis", 1)]);
        self.node("Flatten", vec![both], vec![int("axis", 1)])
    }

    fn reshape(&mut self, x: &String, rest: &[i64]) -> String {
        // Zero keeps a dimension as it is: the batch.
        let shape = std::iter::once(&0).chain(rest);
        let bytes = shape.flat_map(|size| size.to_le_bytes()).collect();
        let dims = vec![rest.len() as i64 + 1];
        let shape = self.constant(dims, INT64, bytes);
        self.node("Reshape", vec![x.clone(), shape], vec![])
    }

    fn transpose(&mut self, x: &String) -> String {
        self.node("Transpose", vec![x.clone()], vec![ints("perm", &[0, 2, 1])])
    }

    fn concat(&mut self, a: &String, b: &String) -> String {
        self.node("Concat", vec![a.clone(), b.clone()], vec![int("axis", 1)])
    }

    fn matmul(&mut self, a: &String, b: &String) -> String {
        self.node("MatMul", vec![a.clone(), b.clone()], vec![])
    }

    fn softmax(&mut self, x: &String) -> String {
        self.node("Softmax", vec![x.clone()], vec![int("axis", -1)])
    }
}
