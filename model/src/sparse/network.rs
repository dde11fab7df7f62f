use std::fmt;

use garuda_mcts::Wdl;
use serde::{Deserialize, Serialize};

use super::exp::softmax;
use super::features::{FeatureLayout, SparseSample};
use crate::ArchitectureError;

/// What 1.0 is in the sums of feature rows, and the most that an activation keeps of them.
pub const SUM_SCALE: f32 = 255.0;
/// What 1.0 is after squaring: 255² shifted down by [`ACTIVATION_SHIFT`].
pub(crate) const ACTIVATION_SCALE: f32 = 65025.0 / 64.0;
const ACTIVATION_SHIFT: u32 = 6;
/// What 1.0 is in the weights of the value's hidden layer and of the policy.
pub const WEIGHT_SCALE: f32 = 512.0;

/// The size of a sparse network.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "UncheckedSparseShape", into = "UncheckedSparseShape")]
pub struct SparseShape {
    width: u32,
    hidden: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedSparseShape {
    width: u32,
    hidden: u32,
}

impl SparseShape {
    /// The widths that the kernel is compiled for.
    pub const WIDTHS: [u32; 5] = [32, 64, 128, 256, 512];
    /// The most hidden neurons.
    pub const MAX_HIDDEN: u32 = 64;

    /// Refuses a size that the kernel is not made for.
    pub fn new(width: u32, hidden: u32) -> Result<SparseShape, ArchitectureError> {
        if !Self::WIDTHS.contains(&width) {
            return Err(ArchitectureError::Width(width));
        }
        if !(1..=Self::MAX_HIDDEN).contains(&hidden) {
            return Err(ArchitectureError::Hidden(hidden));
        }
        Ok(SparseShape { width, hidden })
    }

    /// Numbers of the feature sum.
    pub fn width(self) -> usize {
        self.width as usize
    }

    /// Neurons between the feature sum and win, draw and loss.
    pub fn hidden(self) -> usize {
        self.hidden as usize
    }
}

impl TryFrom<UncheckedSparseShape> for SparseShape {
    type Error = ArchitectureError;

    fn try_from(shape: UncheckedSparseShape) -> Result<Self, Self::Error> {
        SparseShape::new(shape.width, shape.hidden)
    }
}

impl From<SparseShape> for UncheckedSparseShape {
    fn from(SparseShape { width, hidden }: SparseShape) -> UncheckedSparseShape {
        UncheckedSparseShape { width, hidden }
    }
}

/// The weights of a sparse network, as they are kept in its file.
#[derive(Clone, PartialEq, Debug)]
pub struct SparseWeights {
    /// `[features][width]`, in units of 1/255.
    pub rows: Vec<i16>,
    /// `[width]`, likewise.
    pub bias: Vec<i16>,
    /// `[hidden][width]`, in units of 1/512.
    pub hidden: Vec<i16>,
    /// `[hidden]`
    pub hidden_bias: Vec<f32>,
    /// `[3][hidden]`: win, draw, loss.
    pub value: Vec<f32>,
    /// `[3]`
    pub value_bias: Vec<f32>,
    /// `[actions][width]`, in units of 1/512.
    pub policy: Vec<i16>,
    /// `[moves]`, logits.
    pub moves: Vec<f32>,
}

/// What a game adds to the size of a sparse network.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SparseSizes {
    /// Features, each with a row.
    pub features: usize,
    /// Actions, each with a row of the policy.
    pub actions: usize,
    /// Entries of the move table.
    pub moves: usize,
}

/// A sparse network that plays.
#[derive(Clone, PartialEq)]
pub struct SparseNetwork {
    sizes: SparseSizes,
    shape: SparseShape,
    weights: SparseWeights,
}

impl SparseNetwork {
    /// Refuses weights of the wrong sizes, floats that are not finite, and integers whose sums
    /// could overflow, naming everything that is wrong.
    pub fn new(
        sizes: SparseSizes,
        shape: SparseShape,
        weights: SparseWeights,
    ) -> Result<SparseNetwork, Vec<String>> {
        let mut problems = Vec::new();
        let (width, hidden) = (shape.width(), shape.hidden());
        for (name, found, wanted) in [
            ("rows", weights.rows.len(), sizes.features * width),
            ("bias", weights.bias.len(), width),
            ("hidden", weights.hidden.len(), hidden * width),
            ("hidden_bias", weights.hidden_bias.len(), hidden),
            ("value", weights.value.len(), 3 * hidden),
            ("value_bias", weights.value_bias.len(), 3),
            ("policy", weights.policy.len(), sizes.actions * width),
            ("moves", weights.moves.len(), sizes.moves),
        ] {
            if found != wanted {
                problems.push(format!("{name} has {found} numbers, not {wanted}"));
            }
        }
        if problems.is_empty() {
            problems.extend(overflows(&weights, width));
            let floats = [
                &weights.hidden_bias,
                &weights.value,
                &weights.value_bias,
                &weights.moves,
            ];
            let bad = floats
                .into_iter()
                .flatten()
                .filter(|x| !x.is_finite())
                .count();
            if bad > 0 {
                problems.push(format!("it has {bad} numbers that are not finite"));
            }
        }
        if problems.is_empty() {
            Ok(SparseNetwork {
                sizes,
                shape,
                weights,
            })
        } else {
            Err(problems)
        }
    }

    /// What its game adds to its size.
    pub fn sizes(&self) -> SparseSizes {
        self.sizes
    }

    /// Its size.
    pub fn shape(&self) -> SparseShape {
        self.shape
    }

    pub fn weights(&self) -> &SparseWeights {
        &self.weights
    }

    /// Evaluates a position: the chances of the side to move, and a logit for each of the
    /// sample's moves, which replace the contents of `logits`.
    pub fn evaluate(&self, sample: &SparseSample, logits: &mut Vec<f32>) -> Wdl {
        match self.shape.width {
            32 => self.forward::<32, 32>(sample, logits),
            64 => self.forward::<64, 64>(sample, logits),
            128 => self.forward::<128, 128>(sample, logits),
            256 => self.forward::<256, 128>(sample, logits),
            512 => self.forward::<512, 128>(sample, logits),
            width => unreachable!("a network of width {width} was refused"),
        }
    }

    /// `BLOCK` is the number of columns of feature rows that are added up at a time.
    fn forward<const WIDTH: usize, const BLOCK: usize>(
        &self,
        sample: &SparseSample,
        logits: &mut Vec<f32>,
    ) -> Wdl {
        let weights = &self.weights;
        let (rows, _) = weights.rows.as_chunks::<WIDTH>();
        let (bias, _) = weights.bias.as_chunks::<WIDTH>();
        let activations = activate(&sum_rows::<WIDTH, BLOCK>(&bias[0], rows, &sample.features));

        let (hidden, _) = weights.hidden.as_chunks::<WIDTH>();
        let scale = 1.0 / (ACTIVATION_SCALE * WEIGHT_SCALE);
        let mut neurons = [0.0; SparseShape::MAX_HIDDEN as usize];
        for ((neuron, row), bias) in neurons.iter_mut().zip(hidden).zip(&weights.hidden_bias) {
            let sum = dot(&activations, row) as f32 * scale + bias;
            let kept = sum.clamp(0.0, 1.0);
            *neuron = kept * kept;
        }
        let mut outcomes = [
            weights.value_bias[0],
            weights.value_bias[1],
            weights.value_bias[2],
        ];
        for (outcome, row) in outcomes.iter_mut().zip(weights.value.chunks(hidden.len())) {
            for (weight, neuron) in row.iter().zip(&neurons) {
                *outcome += weight * neuron;
            }
        }
        let [win, draw, loss] = softmax(outcomes);

        let (policy, _) = weights.policy.as_chunks::<WIDTH>();
        logits.clear();
        logits.extend(
            sample
                .actions
                .iter()
                .zip(&sample.moves)
                .map(|(&action, &mv)| {
                    let row = &policy[usize::from(action)];
                    dot(&activations, row) as f32 * scale + weights.moves[usize::from(mv)]
                }),
        );
        Wdl { win, draw, loss }
    }
}

impl fmt::Debug for SparseNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SparseNetwork")
            .field("sizes", &self.sizes)
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

/// The bias and the rows of the active features, added up. Cannot overflow: that was checked for
/// any [`FeatureLayout::MAX_ACTIVE`] rows.
#[inline]
fn sum_rows<const WIDTH: usize, const BLOCK: usize>(
    bias: &[i16; WIDTH],
    rows: &[[i16; WIDTH]],
    features: &[u16],
) -> [i16; WIDTH] {
    // A block of columns at a time: its sums stay in registers while the rows pass by.
    let mut sum = *bias;
    let (blocks, _) = sum.as_chunks_mut::<BLOCK>();
    for (place, block) in blocks.iter_mut().enumerate() {
        let mut sums = *block;
        for &feature in features {
            let (parts, _) = rows[usize::from(feature)].as_chunks::<BLOCK>();
            let part = &parts[place];
            for i in 0..BLOCK {
                sums[i] = sums[i].wrapping_add(part[i]);
            }
        }
        *block = sums;
    }
    sum
}

/// Clamps to 0…1 and squares.
#[inline]
fn activate<const WIDTH: usize>(sum: &[i16; WIDTH]) -> [i16; WIDTH] {
    let mut activations = [0; WIDTH];
    for i in 0..WIDTH {
        let kept = sum[i].clamp(0, SUM_SCALE as i16) as u16;
        activations[i] = (kept.wrapping_mul(kept) >> ACTIVATION_SHIFT) as i16;
    }
    activations
}

#[inline]
fn dot<const WIDTH: usize>(a: &[i16; WIDTH], b: &[i16; WIDTH]) -> i32 {
    // With as many sums as a 256-bit register has numbers, compilers multiply whole registers
    // (vpmaddwd); with one sum they take halves.
    let (a, _) = a.as_chunks::<16>();
    let (b, _) = b.as_chunks::<16>();
    let mut sums = [0_i32; 16];
    for (a, b) in a.iter().zip(b) {
        for i in 0..16 {
            sums[i] = sums[i].wrapping_add(i32::from(a[i]) * i32::from(b[i]));
        }
    }
    sums.iter().fold(0, |sum, &part| sum.wrapping_add(part))
}

/// The sums that could leave their integers.
fn overflows(weights: &SparseWeights, width: usize) -> Vec<String> {
    let mut problems = Vec::new();
    let size = |weight: i16| i64::from(weight).abs();
    let most_active = FeatureLayout::MAX_ACTIVE;
    let bad = (0..width)
        .filter(|&column| {
            let mut sizes: Vec<i64> = weights.rows[column..]
                .iter()
                .step_by(width)
                .map(|&weight| size(weight))
                .collect();
            let kept = most_active.min(sizes.len());
            if kept < sizes.len() {
                sizes.select_nth_unstable_by(kept, |a, b| b.cmp(a));
            }
            let most: i64 = sizes[..kept].iter().sum();
            size(weights.bias[column]) + most > i64::from(i16::MAX)
        })
        .count();
    if bad > 0 {
        problems.push(format!("{bad} sums of feature rows can overflow"));
    }
    let largest = (SUM_SCALE * SUM_SCALE) as i64 >> ACTIVATION_SHIFT;
    for (name, rows) in [("hidden", &weights.hidden), ("policy", &weights.policy)] {
        let bad = rows
            .chunks(width)
            .filter(|row| {
                let sum: i64 = row.iter().map(|&weight| size(weight)).sum();
                sum * largest > i64::from(i32::MAX)
            })
            .count();
        if bad > 0 {
            problems.push(format!("{bad} dot products of {name} can overflow"));
        }
    }
    problems
}
