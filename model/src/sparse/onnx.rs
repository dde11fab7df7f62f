//! A sparse network as an ONNX file, for other programs. Garuda itself plays with the integers.

use super::features::FeatureLayout;
use super::network::{SUM_SCALE, SparseNetwork, WEIGHT_SCALE};
use crate::NetworkInfo;
use crate::onnx::writer::{FLOAT, GraphWriter, INT64, int, network_file, value_info};
use crate::onnx::{POLICY, WDL, proto};

/// The inputs: 1 for each active feature, `[batch, features]`, and the entry of the move table that
/// each action takes, `[batch, actions]`.
const FEATURES: &str = "features";
const MOVES: &str = "moves";

impl SparseNetwork {
    /// The network in floating point: equal to the integers within the rounding of its activations.
    pub fn to_onnx(&self, info: &NetworkInfo) -> Vec<u8> {
        let sizes = self.sizes();
        let (width, hidden) = (self.shape().width() as i64, self.shape().hidden() as i64);
        let [features, actions, moves] =
            [sizes.features, sizes.actions, sizes.moves].map(|size| size as i64);
        let weights = self.weights();
        let scaled = |numbers: &[i16], scale: f32| -> Vec<f32> {
            numbers.iter().map(|&n| f32::from(n) / scale).collect()
        };
        let mut graph = GraphWriter::default();

        let rows = graph.floats(&[features, width], &scaled(&weights.rows, SUM_SCALE));
        let bias = graph.floats(&[width], &scaled(&weights.bias, SUM_SCALE));
        let sum = graph.node("Gemm", vec![FEATURES.to_owned(), rows, bias], vec![]);
        let activations = graph.clipped_square(sum);

        let linear = || vec![int("transB", 1)];
        let layer = graph.floats(&[hidden, width], &scaled(&weights.hidden, WEIGHT_SCALE));
        let bias = graph.floats(&[hidden], &weights.hidden_bias);
        let neurons = graph.node("Gemm", vec![activations.clone(), layer, bias], linear());
        let neurons = graph.clipped_square(neurons);
        let layer = graph.floats(&[3, hidden], &weights.value);
        let bias = graph.floats(&[3], &weights.value_bias);
        let outcomes = graph.node("Gemm", vec![neurons, layer, bias], linear());
        let wdl = graph.node("Softmax", vec![outcomes], vec![int("axis", -1)]);
        graph.rename_output(&wdl, WDL);

        let layer = graph.floats(&[actions, width], &scaled(&weights.policy, WEIGHT_SCALE));
        let logits = graph.node("Gemm", vec![activations, layer], linear());
        let table = graph.floats(&[moves], &weights.moves);
        let entries = graph.node(
            "Gather",
            vec![table, MOVES.to_owned()],
            vec![int("axis", 0)],
        );
        let policy = graph.node("Add", vec![logits, entries], vec![]);
        graph.rename_output(&policy, POLICY);

        let graph = proto::Graph {
            node: graph.nodes,
            name: info.rules.clone(),
            initializer: graph.constants,
            input: vec![
                value_info(FEATURES, FLOAT, &[features]),
                value_info(MOVES, INT64, &[actions]),
            ],
            output: vec![
                value_info(POLICY, FLOAT, &[actions]),
                value_info(WDL, FLOAT, &[3]),
            ],
        };
        network_file(graph, info.clone())
    }
}

impl GraphWriter {
    /// Clamps to 0…1 and squares.
    fn clipped_square(&mut self, x: String) -> String {
        let least = self.floats(&[], &[0.0]);
        let most = self.floats(&[], &[1.0]);
        let clipped = self.node("Clip", vec![x, least, most], vec![]);
        self.node("Mul", vec![clipped.clone(), clipped], vec![])
    }
}

impl FeatureLayout {
    /// The dense inputs of a position, as the file takes them.
    pub fn onnx_inputs(&self, sample: &super::SparseSample) -> (Vec<f32>, Vec<i64>) {
        let mut features = vec![0.0; self.features()];
        for &feature in &sample.features {
            features[usize::from(feature)] = 1.0;
        }
        let mut moves = vec![0; self.actions()];
        for (&action, &entry) in sample.actions.iter().zip(&sample.moves) {
            moves[usize::from(action)] = i64::from(entry);
        }
        (features, moves)
    }
}
