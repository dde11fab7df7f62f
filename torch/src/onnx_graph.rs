use garuda_model::onnx::writer::{FLOAT, GraphWriter, file, int, ints, network_file, value_info};
use garuda_model::onnx::{INPUT, MOVES_LEFT, POLICY, WDL, proto};
use garuda_model::{Architecture, Encoding, NetworkInfo};
use prost::Message;
use tch::Tensor;

use super::folded::{Folded, Graph, Layer};
use super::weights::numbers;

/// An ONNX file of the network.
pub(crate) fn onnx_file(
    folded: &Folded,
    encoding: &Encoding,
    architecture: Architecture,
    step: u64,
    run: &str,
) -> Vec<u8> {
    let sizes = folded.sizes;
    let mut writer = GraphWriter::default();
    let output = folded.apply(&mut writer, &INPUT.to_owned());
    writer.rename_output(&output.policy, POLICY);
    writer.rename_output(&output.wdl, WDL);
    writer.rename_output(&output.moves_left, MOVES_LEFT);
    let graph = proto::Graph {
        node: writer.nodes,
        name: encoding.rules.to_owned(),
        initializer: writer.constants,
        input: vec![value_info(
            INPUT,
            FLOAT,
            &[sizes.planes, sizes.ranks, sizes.files],
        )],
        output: vec![
            value_info(POLICY, FLOAT, &[sizes.actions()]),
            value_info(WDL, FLOAT, &[3]),
            value_info(MOVES_LEFT, FLOAT, &[1]),
        ],
    };
    let info = NetworkInfo {
        rules: encoding.rules.to_owned(),
        encoding_version: Encoding::VERSION,
        encoding: encoding.describe(),
        architecture,
        step,
        run: run.to_owned(),
        hash: String::new(),
    };
    network_file(graph, info)
}

/// A file that multiplies a matrix by another one, for comparison.
pub(crate) fn product_file(factor: &Tensor) -> Vec<u8> {
    let mut writer = GraphWriter::default();
    let factor_name = constant(&mut writer, factor);
    let product = writer.matmul(&INPUT.to_owned(), &factor_name);
    let shape = factor.size();
    let graph = proto::Graph {
        node: writer.nodes,
        name: "product".to_owned(),
        initializer: writer.constants,
        input: vec![value_info(INPUT, FLOAT, &shape[..1])],
        output: vec![value_info(&product, FLOAT, &shape[1..])],
    };
    file(graph).encode_to_vec()
}

fn constant(writer: &mut GraphWriter, tensor: &Tensor) -> String {
    writer.floats(&tensor.size(), &numbers(tensor))
}

fn inputs(writer: &mut GraphWriter, x: &str, layer: &Layer) -> Vec<String> {
    vec![
        x.to_owned(),
        constant(writer, &layer.weight),
        constant(writer, &layer.bias),
    ]
}

impl Graph for GraphWriter {
    type Value = String;

    fn conv(&mut self, x: &String, layer: &Layer) -> String {
        let kernel = layer.weight.size()[2];
        let attributes = vec![
            ints("kernel_shape", &[kernel; 2]),
            ints("pads", &[kernel / 2; 4]),
        ];
        let inputs = inputs(self, x, layer);
        self.node("Conv", inputs, attributes)
    }

    fn linear(&mut self, x: &String, layer: &Layer) -> String {
        let inputs = inputs(self, x, layer);
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
        let shape: Vec<_> = std::iter::once(&0).chain(rest).copied().collect();
        let shape = self.integers(&[shape.len() as i64], &shape);
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
