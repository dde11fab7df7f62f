//! The sparse network in libtorch: what is trained, and how it becomes integers.

use std::sync::Arc;

use tch::{Kind, Tensor};

use super::conv_net::{SCALARS, WDL};
use super::weights::{Init, Layout, numbers};
use crate::sparse::{
    FeatureLayout, SUM_SCALE, SparseNetwork, SparseSample, SparseShape, SparseWeights, WEIGHT_SCALE,
};

/// Feature weights stay within this, so that no sum of them leaves 16 bits.
const MAX_ROW: f64 = 2.2;
/// Likewise the bias.
const MAX_BIAS: f64 = 4.0;
/// Policy and hidden weights stay within this over the width, so that no dot product leaves 32 bits.
const MAX_WEIGHT_SUM: f64 = 4096.0;
/// Stands for minus infinity where a position has fewer legal moves than another.
const ABSENT: f64 = -1e9;

/// The structure of a sparse network: which tensors it has, and what it does with them. The
/// tensors themselves are passed in.
#[derive(Clone, Debug)]
pub(crate) struct SparseGraph {
    pub(crate) layout: FeatureLayout,
    pub(crate) shape: SparseShape,
    pub(crate) params: Arc<Layout>,
}

/// The tensors of a sparse network, in the order of its layout.
const ROWS: usize = 0;
/// One row for each piece feature whatever its threat state, added to the rows of all four. What
/// is common to them is learned four times as fast; when exported they are one.
const FACTORISED: usize = 1;
const BIAS: usize = 2;
const HIDDEN: usize = 3;
const HIDDEN_BIAS: usize = 4;
const SCALAR: usize = 5;
const SCALAR_BIAS: usize = 6;
const POLICY: usize = 7;
const MOVES: usize = 8;

/// Positions as index lists.
#[derive(Debug)]
pub(crate) struct SparseInput {
    /// Active features of all positions, and where each position's begin: `[active]`, `[batch]`.
    features: Tensor,
    offsets: Tensor,
    /// Of every legal move of all positions: its action, table entry, position, and place in the
    /// padded logits. `[legal]`
    actions: Tensor,
    moves: Tensor,
    positions: Tensor,
    places: Tensor,
    batch: i64,
    longest: i64,
}

impl SparseInput {
    /// `longest` is the number of legal moves that logits are padded to.
    pub(crate) fn new<'a>(
        samples: impl ExactSizeIterator<Item = &'a SparseSample>,
        longest: usize,
    ) -> SparseInput {
        let batch = samples.len();
        let mut features = Vec::with_capacity(batch * 40);
        let mut offsets = Vec::with_capacity(batch);
        let mut actions = Vec::with_capacity(batch * 40);
        let mut moves = Vec::with_capacity(batch * 40);
        let mut positions = Vec::with_capacity(batch * 40);
        let mut places = Vec::with_capacity(batch * 40);
        for (position, sample) in samples.enumerate() {
            offsets.push(features.len() as i64);
            features.extend(sample.features.iter().map(|&f| i64::from(f)));
            let first = (position * longest) as i64;
            places.extend((first..).take(sample.actions.len()));
            positions.extend(std::iter::repeat_n(position as i64, sample.actions.len()));
            actions.extend(sample.actions.iter().map(|&a| i64::from(a)));
            moves.extend(sample.moves.iter().map(|&m| i64::from(m)));
        }
        SparseInput {
            features: Tensor::from_slice(&features),
            offsets: Tensor::from_slice(&offsets),
            actions: Tensor::from_slice(&actions),
            moves: Tensor::from_slice(&moves),
            positions: Tensor::from_slice(&positions),
            places: Tensor::from_slice(&places),
            batch: batch as i64,
            longest: longest as i64,
        }
    }
}

impl SparseGraph {
    pub(crate) fn new(layout: FeatureLayout, shape: SparseShape) -> SparseGraph {
        let (width, hidden) = (shape.width() as i64, shape.hidden() as i64);
        let mut params = Layout::default();
        let mut add = |name: &str, shape: &[i64], init| {
            params.add(name.to_owned(), shape, init);
        };
        let plain = layout.piece_features() / layout.threat_states();
        add(
            "rows",
            &[layout.features() as i64, width],
            Init::Normal(0.05),
        );
        add("factorised", &[plain as i64, width], Init::Zeros);
        add("bias", &[width], Init::Zeros);
        let deviation = 1.0 / (width as f64).sqrt();
        add("hidden.weight", &[hidden, width], Init::Normal(deviation));
        add("hidden.bias", &[hidden], Init::Constant(0.25));
        add("scalars.weight", &[SCALARS, hidden], Init::Normal(0.05));
        add("scalars.bias", &[SCALARS], Init::Zeros);
        add(
            "policy",
            &[layout.actions() as i64, width],
            Init::Normal(0.02),
        );
        add("moves", &[layout.moves() as i64], Init::Zeros);
        SparseGraph {
            layout,
            shape,
            params: Arc::new(params),
        }
    }

    /// The rows that features are looked up in, `[features, width]`.
    fn rows(&self, params: &[Tensor]) -> Tensor {
        let states = self.layout.threat_states() as i64;
        let squares = self.layout.squares() as i64;
        let pieces = self.layout.piece_features() as i64;
        let others = self.layout.features() as i64 - pieces;
        let width = self.shape.width() as i64;
        let by_state = [-1, states, squares, width];
        let with_states = params[ROWS].narrow(0, 0, pieces).view(by_state)
            + params[FACTORISED].view([-1, 1, squares, width]);
        let others = params[ROWS].narrow(0, pieces, others);
        Tensor::cat(&[with_states.view([pieces, width]), others], 0)
    }

    /// Logits of the legal moves, `[batch, longest]` and padded with a number that softmax makes
    /// 0, and the scalar outputs `[batch, SCALARS]`.
    pub(crate) fn forward(&self, params: &[Tensor], input: &SparseInput) -> (Tensor, Tensor) {
        let (sum, _, _, _) = Tensor::embedding_bag(
            &self.rows(params),
            &input.features,
            &input.offsets,
            false,
            0,
            false,
            None::<Tensor>,
            false,
        );
        let activations = (sum + &params[BIAS]).clamp(0.0, 1.0).square();
        let hidden = activations
            .linear(&params[HIDDEN], Some(&params[HIDDEN_BIAS]))
            .clamp(0.0, 1.0)
            .square();
        let scalars = hidden.linear(&params[SCALAR], Some(&params[SCALAR_BIAS]));
        let rows = params[POLICY].index_select(0, &input.actions);
        let logits = (rows * activations.index_select(0, &input.positions)).sum_dim_intlist(
            1,
            false,
            None::<Kind>,
        ) + params[MOVES].index_select(0, &input.moves);
        let padded = Tensor::full(
            [input.batch * input.longest],
            ABSENT,
            (Kind::Float, logits.device()),
        );
        let padded = padded.index_put(&[Some(&input.places)], &logits, false);
        (padded.view([input.batch, input.longest]), scalars)
    }

    /// Keeps weights where integers can hold them. To be called after every update.
    pub(crate) fn clamp(&self, params: &[Tensor]) {
        let _ = params[ROWS]
            .shallow_clone()
            .clamp_(-MAX_ROW / 2.0, MAX_ROW / 2.0);
        let _ = params[FACTORISED]
            .shallow_clone()
            .clamp_(-MAX_ROW / 2.0, MAX_ROW / 2.0);
        let _ = params[BIAS].shallow_clone().clamp_(-MAX_BIAS, MAX_BIAS);
        let most = MAX_WEIGHT_SUM / self.shape.width() as f64;
        for weight in [HIDDEN, POLICY] {
            let _ = params[weight].shallow_clone().clamp_(-most, most);
        }
    }

    /// The network in integers, as it plays.
    pub(crate) fn quantise(&self, params: &[Tensor]) -> SparseNetwork {
        let integers = |tensor: &Tensor, scale: f32| -> Vec<i16> {
            let rounded = |x: f32| (x * scale).round().clamp(-32767.0, 32767.0) as i16;
            numbers(tensor).into_iter().map(rounded).collect()
        };
        let outcomes = |tensor: &Tensor| numbers(&tensor.narrow(0, WDL, 3));
        let weights = SparseWeights {
            rows: integers(&self.rows(params), SUM_SCALE),
            bias: integers(&params[BIAS], SUM_SCALE),
            hidden: integers(&params[HIDDEN], WEIGHT_SCALE),
            hidden_bias: numbers(&params[HIDDEN_BIAS]),
            value: outcomes(&params[SCALAR]),
            value_bias: outcomes(&params[SCALAR_BIAS]),
            policy: integers(&params[POLICY], WEIGHT_SCALE),
            moves: numbers(&params[MOVES]),
        };
        SparseNetwork::new(self.layout.sizes(), self.shape, weights)
            .expect("weights that were clamped are within their bounds")
    }
}
