use std::sync::Arc;

use garuda_model::nnue::{CompactLayout, CompactNetwork, HIDDEN_1, HIDDEN_2, NnueStack};
use tch::{Kind, Tensor};

use super::set::NnueBatch;
use crate::weights::{Init, Layout, Weights, numbers};

/// What 1 is in the engine's units, before they are divided by 16: in the PSQT and at the output.
const OUTPUT_UNIT: f64 = 9600.0;
/// The engine's units in the network's 1.
const INTERNAL_PER_UNIT: f64 = 600.0;
/// The engine's units that make a win e times as likely as a loss.
const INTERNAL_PER_LOGIT: f64 = 361.0;
/// Activations are 0…127 in integers, weights of the layers 1/64.
const ACTIVATION_UNIT: f64 = 127.0;
const WEIGHT_UNIT: f64 = 64.0;
/// Largest weights that 8 bits hold.
const MAX_LAYER: f64 = 127.0 / WEIGHT_UNIT;
const MAX_OUTPUT: f64 = 127.0 * ACTIVATION_UNIT / OUTPUT_UNIT;
/// No accumulator of 40 rows, each the sum of a shared and an own part, leaves 16 bits.
const MAX_ROW: f64 = 3.0;
const MAX_BIAS: f64 = 4.0;

/// The tensors, in the order of the layout. Rows that all king buckets share:
const SHARED: usize = 0;
/// … what each bucket adds to them, where there is more than one;
const ROWS: usize = 1;
const SHARED_PSQT: usize = 2;
const PSQT: usize = 3;
const BIAS: usize = 4;
/// Layers of all stacks, one after another.
const WEIGHT_1: usize = 5;
const BIAS_1: usize = 6;
const WEIGHT_2: usize = 7;
const BIAS_2: usize = 8;
const WEIGHT_3: usize = 9;
const BIAS_3: usize = 10;

/// The structure of a network: which tensors it has, and what it does with them.
#[derive(Clone, Debug)]
pub(super) struct NnueGraph {
    pub(super) layout: CompactLayout,
    pub(super) width: usize,
    pub(super) stacks: usize,
    /// What outputs are multiplied by when they become integers.
    pub(super) scale: f64,
    pub(super) params: Arc<Layout>,
}

impl NnueGraph {
    pub(super) fn new(layout: CompactLayout, width: usize, stacks: usize, scale: f64) -> NnueGraph {
        let (rows, classes) = (layout.rows() as i64, layout.classes() as i64);
        let own = if rows == classes { 0 } else { rows };
        let (w, s) = (width as i64, stacks as i64);
        let (h1, h2) = (HIDDEN_1 as i64, HIDDEN_2 as i64);
        let mut params = Layout::default();
        let mut add = |name: &str, shape: &[i64], init| {
            params.add(name.to_owned(), shape, init);
        };
        add("shared", &[classes, w], Init::Normal(0.05));
        // Decays like the shared rows, and starts as good as zero.
        add("rows", &[own, w], Init::Normal(1e-6));
        add("shared_psqt", &[classes, s], Init::Zeros);
        add("psqt", &[own, s], Init::Zeros);
        add("bias", &[w], Init::Constant(0.25));
        let deviation = 1.0 / (2.0 * width as f64).sqrt();
        add("1.weight", &[s * h1, 2 * w], Init::Normal(deviation));
        add("1.bias", &[s * h1], Init::Constant(0.1));
        add("2.weight", &[s * h2, h1], Init::Normal(0.25));
        add("2.bias", &[s * h2], Init::Constant(0.1));
        add("3.weight", &[s, h2], Init::Normal(0.05));
        add("3.bias", &[s], Init::Zeros);
        NnueGraph {
            layout,
            width,
            stacks,
            scale,
            params: Arc::new(params),
        }
    }

    /// Untrained weights that count material.
    pub(super) fn init(&self, seed: u64) -> Weights {
        let weights = Weights::random(Arc::clone(&self.params), seed);
        let values: Vec<f32> = (0..self.layout.classes())
            .map(|class| f64::from(self.layout.piece_value(class)) / INTERNAL_PER_UNIT)
            .flat_map(|value| std::iter::repeat_n(value as f32, self.stacks))
            .collect();
        let psqt = &weights.tensors[SHARED_PSQT];
        psqt.shallow_clone()
            .copy_(&Tensor::from_slice(&values).view_as(psqt));
        weights
    }

    /// Rows and PSQT that features are looked up in, `[rows, width]` and `[rows, stacks]`.
    fn tables(&self, params: &[Tensor]) -> [Tensor; 2] {
        [(SHARED, ROWS), (SHARED_PSQT, PSQT)].map(|(shared, own)| {
            let (shared, own) = (&params[shared], &params[own]);
            if own.size()[0] == 0 {
                return shared.shallow_clone();
            }
            let (classes, columns) = (shared.size()[0], shared.size()[1]);
            let by_bucket = own.view([-1, classes, columns]) + shared.unsqueeze(0);
            by_bucket.view([-1, columns])
        })
    }

    /// The evaluation of each position for the side to move, `[batch]`.
    fn forward(&self, params: &[Tensor], batch: &NnueBatch) -> Tensor {
        let table = Tensor::cat(&self.tables(params), 1);
        let (width, stacks) = (self.width as i64, self.stacks as i64);
        let mut inputs = Vec::with_capacity(2);
        let mut psqts = Vec::with_capacity(2);
        for (rows, offsets) in &batch.sides {
            let none = None::<Tensor>;
            let (sum, _, _, _) =
                Tensor::embedding_bag(&table, rows, offsets, false, 0, false, none, false);
            inputs.push((sum.narrow(1, 0, width) + &params[BIAS]).clamp(0.0, 1.0));
            psqts.push(sum.narrow(1, width, stacks));
        }
        let count = batch.stacks.size()[0];
        // All stacks are computed and one is taken: they are small.
        let choose = |all: Tensor, outputs: i64| {
            let place = batch
                .stacks
                .view([count, 1, 1])
                .expand([count, 1, outputs], false);
            all.view([count, stacks, outputs])
                .gather(1, &place, false)
                .squeeze_dim(1)
        };
        let layer = |input: &Tensor, weight: usize, bias: usize, outputs: usize| {
            let all = input.linear(&params[weight], Some(&params[bias]));
            choose(all, outputs as i64)
        };
        let input = Tensor::cat(&inputs, 1);
        let hidden_1 = layer(&input, WEIGHT_1, BIAS_1, HIDDEN_1).clamp(0.0, 1.0);
        let hidden_2 = layer(&hidden_1, WEIGHT_2, BIAS_2, HIDDEN_2).clamp(0.0, 1.0);
        let output = layer(&hidden_2, WEIGHT_3, BIAS_3, 1).squeeze_dim(1);
        let psqt = choose(&psqts[0] - &psqts[1], 1).squeeze_dim(1) * 0.5;
        output + psqt
    }

    /// The sums over a batch of the weighted squared errors of the expected score, and of the weights.
    pub(super) fn loss(&self, params: &[Tensor], batch: &NnueBatch) -> (Tensor, Tensor) {
        let scale = INTERNAL_PER_UNIT / INTERNAL_PER_LOGIT;
        let score = (self.forward(params, batch) * scale).sigmoid();
        let errors = (score - &batch.targets).square() * &batch.weights;
        (errors.sum(Kind::Float), batch.weights.sum(Kind::Float))
    }

    /// Keeps weights where integers can hold them. To be called after every update.
    pub(super) fn clamp(&self, params: &[Tensor]) {
        let output = MAX_OUTPUT / self.scale.max(1.0);
        for (tensor, most) in [
            (SHARED, MAX_ROW),
            (ROWS, MAX_ROW),
            (BIAS, MAX_BIAS),
            (WEIGHT_1, MAX_LAYER),
            (WEIGHT_2, MAX_LAYER),
            (WEIGHT_3, output),
        ] {
            let _ = params[tensor].shallow_clone().clamp_(-most, most);
        }
    }

    /// The network in the engine's integers.
    pub(super) fn quantise(&self, params: &[Tensor]) -> CompactNetwork {
        let [rows, psqt] = self.tables(params);
        let integers = |tensor: &Tensor, unit: f64| -> Vec<i32> {
            let rounded = |x: f32| (f64::from(x) * unit).round() as i32;
            numbers(tensor).into_iter().map(rounded).collect()
        };
        let i16s = |tensor: &Tensor| -> Vec<i16> {
            let clip = |n: i32| n.clamp(-32767, 32767) as i16;
            let all = integers(tensor, ACTIVATION_UNIT);
            all.into_iter().map(clip).collect()
        };
        let i8s = |tensor: &Tensor, unit: f64| -> Vec<i8> {
            let clip = |n: i32| n.clamp(-127, 127) as i8;
            integers(tensor, unit).into_iter().map(clip).collect()
        };
        let output = OUTPUT_UNIT * self.scale;
        let stack = |number: usize| {
            let part = |tensor: usize| {
                let tensor = &params[tensor];
                let outputs = tensor.size()[0] / self.stacks as i64;
                tensor.narrow(0, number as i64 * outputs, outputs)
            };
            NnueStack {
                bias_1: integers(&part(BIAS_1), ACTIVATION_UNIT * WEIGHT_UNIT),
                weights_1: i8s(&part(WEIGHT_1), WEIGHT_UNIT),
                bias_2: integers(&part(BIAS_2), ACTIVATION_UNIT * WEIGHT_UNIT),
                weights_2: i8s(&part(WEIGHT_2), WEIGHT_UNIT),
                bias_3: integers(&part(BIAS_3), output)[0],
                weights_3: i8s(&part(WEIGHT_3), output / ACTIVATION_UNIT),
            }
        };
        CompactNetwork {
            layout: self.layout.clone(),
            width: self.width,
            bias: i16s(&params[BIAS]),
            rows: i16s(&rows),
            psqt: integers(&psqt, output),
            stacks: (0..self.stacks).map(stack).collect(),
        }
    }
}
