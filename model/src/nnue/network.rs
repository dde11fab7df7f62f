use super::layout::NnueLayout;
use super::position::NnuePosition;

/// Accumulator columns per side.
pub const WIDTH: usize = 512;
/// Outputs of the first and the second layer.
pub const HIDDEN_1: usize = 16;
pub const HIDDEN_2: usize = 32;
/// Layer stacks and PSQT columns, chosen by the number of pieces.
pub const STACKS: usize = 8;
/// The file's second layer has 32 inputs, of which the engine uses 16.
pub(super) const PADDED_1: usize = 32;
/// Both PSQT and output are in 1/16 of the engine's units.
pub const OUTPUT_SCALE: i32 = 16;
/// What the engine's `eval` shows as one pawn.
pub const INTERNAL_PER_PAWN: f64 = 208.0;
/// Accumulators and hidden values are clipped to 0…127, and layers shift their sums by 6 bits.
const MAX_ACTIVATION: i32 = 127;
const WEIGHT_SHIFT: i32 = 6;

/// The layers of one stack, of the engine's width, 512, or of a smaller one before it is expanded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NnueStack {
    /// \[16\]
    pub bias_1: Vec<i32>,
    /// \[16\]\[2 · width\]: the side to move's accumulator, then the other's.
    pub weights_1: Vec<i8>,
    /// \[32\]
    pub bias_2: Vec<i32>,
    /// \[32\]\[16\]; expanded \[32\]\[32\], of which the last 16 inputs are zero.
    pub weights_2: Vec<i8>,
    pub bias_3: i32,
    /// \[32\]
    pub weights_3: Vec<i8>,
}

/// The contents of a `.nnue` for one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NnueNetwork {
    /// Free text for people.
    pub description: String,
    /// \[512\]
    pub bias: Vec<i16>,
    /// \[features\]\[512\]
    pub rows: Vec<i16>,
    /// \[features\]\[8\]
    pub psqt: Vec<i32>,
    /// 8 of them.
    pub stacks: Vec<NnueStack>,
}

/// The two parts of an evaluation, for the side to move, in 1/16 of the engine's units.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct NnueEvaluation {
    /// Half the difference of the sides' PSQT sums.
    pub psqt: i32,
    /// The output of the layers.
    pub positional: i32,
}

impl NnueEvaluation {
    /// In the engine's units, 208 of which its `eval` shows as a pawn.
    pub fn internal(self) -> i32 {
        (self.psqt + self.positional) / OUTPUT_SCALE
    }

    /// In pawns, as the engine's `eval` shows it.
    pub fn pawns(self) -> f64 {
        f64::from(self.internal()) / INTERNAL_PER_PAWN
    }
}

impl NnueNetwork {
    /// What the engine computes, in the same integers.
    pub fn evaluate(&self, layout: &NnueLayout, position: &NnuePosition) -> NnueEvaluation {
        let bucket = position.bucket();
        let (input, psqt) = self.accumulators(layout, position);
        let stack = &self.stacks[bucket];
        let hidden_1 = layer(&stack.bias_1, &stack.weights_1, &input, 2 * WIDTH);
        let hidden_2 = layer(&stack.bias_2, &stack.weights_2, &hidden_1, PADDED_1);
        NnueEvaluation {
            psqt: psqt[0].wrapping_sub(psqt[1]) / 2,
            positional: stack.bias_3 + dot(&stack.weights_3, &hidden_2),
        }
    }

    /// The inputs of the layers, the side to move's first, and the PSQT sums of both sides.
    fn accumulators(&self, layout: &NnueLayout, position: &NnuePosition) -> (Vec<i32>, [i32; 2]) {
        let (bucket, turn) = (position.bucket(), position.turn());
        let mut active = Vec::new();
        let mut input = Vec::with_capacity(2 * WIDTH);
        let mut psqt = [0_i32; 2];
        for (side, perspective) in [turn, !turn].into_iter().enumerate() {
            layout.fill(position, perspective, &mut active);
            let mut accumulator = self.bias.clone();
            for &feature in &active {
                let feature = feature as usize;
                let row = &self.rows[feature * WIDTH..][..WIDTH];
                for (sum, &weight) in accumulator.iter_mut().zip(row) {
                    *sum = sum.wrapping_add(weight);
                }
                psqt[side] = psqt[side].wrapping_add(self.psqt[feature * STACKS + bucket]);
            }
            input.extend(accumulator.into_iter().map(i32::from).map(activation));
        }
        (input, psqt)
    }

    /// How often the 16-bit sums of the engine's AVX2 code, which are of four products, overflow in
    /// the layers of a position. The engine would saturate and show another value.
    pub fn saturations(&self, layout: &NnueLayout, position: &NnuePosition) -> usize {
        let (input, _) = self.accumulators(layout, position);
        let stack = &self.stacks[position.bucket()];
        let mut hidden_1 = layer(&stack.bias_1, &stack.weights_1, &input, 2 * WIDTH);
        hidden_1.resize(PADDED_1, 0);
        overflows(&stack.weights_1, &input) + overflows(&stack.weights_2, &hidden_1)
    }

    /// The largest sum that an accumulator could reach with `active` features: it must not exceed
    /// what 16 bits hold.
    pub fn largest_accumulator(&self, active: usize) -> i64 {
        let mut largest = 0;
        for column in 0..WIDTH {
            let mut weights: Vec<i64> = (self.rows[column..].iter().step_by(WIDTH))
                .map(|&weight| i64::from(weight).abs())
                .collect();
            let from = weights.len().saturating_sub(active);
            if from > 0 {
                weights.select_nth_unstable(from);
            }
            let sum: i64 = weights[from..].iter().sum();
            largest = largest.max(sum + i64::from(self.bias[column]).abs());
        }
        largest
    }
}

pub(super) fn activation(sum: i32) -> i32 {
    sum.clamp(0, MAX_ACTIVATION)
}

/// A layer of as many outputs as it has biases, each with a row of `row` weights, of which those
/// beyond the input are not used.
pub(super) fn layer(bias: &[i32], weights: &[i8], input: &[i32], row: usize) -> Vec<i32> {
    (bias.iter().zip(weights.chunks_exact(row)))
        .map(|(&bias, weights)| activation((bias + dot(weights, input)) >> WEIGHT_SHIFT))
        .collect()
}

pub(super) fn dot(weights: &[i8], input: &[i32]) -> i32 {
    (weights.iter().zip(input))
        .map(|(&weight, &value)| i32::from(weight) * value)
        .sum()
}

/// Sums of four products that 16 bits do not hold. Of each eight inputs the engine adds the first and
/// the second pair of one half to those of the other.
fn overflows(weights: &[i8], input: &[i32]) -> usize {
    let fits = |sum: i32| i16::try_from(sum).is_ok();
    (weights.chunks_exact(input.len()))
        .flat_map(|row| row.chunks_exact(8).zip(input.chunks_exact(8)))
        .map(|(weights, input)| {
            let product = |i: usize| i32::from(weights[i]) * input[i];
            let sums = [[0, 1, 4, 5], [2, 3, 6, 7]].map(|four| four.map(product).iter().sum());
            sums.into_iter().filter(|&sum| !fits(sum)).count()
        })
        .sum()
}
