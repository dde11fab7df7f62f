//! The sparse network in libtorch: what is trained, and how it becomes integers.

use std::ops::Range;
use std::sync::Arc;

use garuda_model::sparse::{
    FeatureLayout, SUM_SCALE, SparseNetwork, SparseShape, SparseWeights, WEIGHT_SCALE,
};
use tch::{Kind, Tensor, no_grad};

use super::conv_net::{Output, Policies, SCALARS, WDL};
use super::weights::{Init, Layout, numbers};
use crate::batch::SparseLists;

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
    features: Bags,
    /// The actions of the legal moves.
    actions: Bags,
    /// Of every legal move of all positions: its table entry and its place in the padded logits.
    /// `[legal]`
    moves: Tensor,
    places: Tensor,
    batch: i64,
    /// The number of legal moves that logits are padded to.
    longest: i64,
}

/// Lists of rows of a matrix, one for each position.
#[derive(Debug)]
struct Bags {
    /// The lists one after the other, `[rows]`.
    indices: Tensor,
    /// Where each list begins, `[batch]`.
    offsets: Tensor,
    /// The position of every index, `[rows]`.
    positions: Tensor,
}

impl Bags {
    /// The lists of the positions in `range`, of all that end at `ends`.
    fn new(indices: &[i32], ends: &[usize], range: &Range<usize>) -> Bags {
        let first = start(ends, range.start);
        let mut offsets = Vec::with_capacity(range.len());
        let mut positions = Vec::with_capacity(start(ends, range.end) - first);
        for (position, index) in range.clone().enumerate() {
            offsets.push(positions.len() as i32);
            positions.resize(ends[index] - first, position as i32);
        }
        Bags {
            indices: Tensor::from_slice(&indices[first..start(ends, range.end)]),
            offsets: Tensor::from_slice(&offsets),
            positions: Tensor::from_slice(&positions),
        }
    }

    /// The sum of each list's rows of `weights`, times a factor each if there are factors:
    /// `[batch, width]`
    fn sums(&self, weights: &Tensor, factors: Option<&Tensor>) -> Tensor {
        let (indices, offsets) = (&self.indices, &self.offsets);
        Tensor::embedding_bag(weights, indices, offsets, false, SUM, false, factors, false).0
    }

    /// The gradient of the rows, `[rows, width]`, given that of [`sums`](Bags::sums),
    /// `[batch, width]`.
    fn rows_gradient(&self, gradient: &Tensor, rows: usize, factors: Option<&Tensor>) -> Tensor {
        let (indices, positions) = (&self.indices, &self.positions);
        // Only needed for means and maxima.
        let unused = &self.offsets;
        Tensor::internal_embedding_bag_dense_backward(
            gradient,
            indices,
            positions,
            unused,
            unused,
            rows as i64,
            false,
            SUM,
            factors,
            -1,
        )
    }

    /// The dot product of every index's row of `weights` with its position's row of `vectors`:
    /// `[rows]`. This is the gradient of the factors of [`sums`](Bags::sums), and far cheaper than
    /// gathering rows.
    fn dot_products(&self, vectors: &Tensor, weights: &Tensor) -> Tensor {
        let (indices, offsets) = (&self.indices, &self.offsets);
        Tensor::internal_embedding_bag_per_sample_weights_backward(
            vectors,
            weights,
            indices,
            offsets,
            &self.positions,
            SUM,
            -1,
        )
    }
}

/// libtorch's number for bags that are summed.
const SUM: i64 = 0;

/// Where the lists of position `index` begin.
fn start(ends: &[usize], index: usize) -> usize {
    index.checked_sub(1).map_or(0, |before| ends[before])
}

impl SparseInput {
    /// The positions in `range`.
    pub(crate) fn new(lists: &SparseLists, range: &Range<usize>) -> SparseInput {
        let ends = &lists.moves_ends;
        let legal = start(ends, range.start)..start(ends, range.end);
        let longest = lists.longest(range);
        let mut places = Vec::with_capacity(legal.len());
        for (position, index) in range.clone().enumerate() {
            let count = ends[index] - start(ends, index);
            places.extend(((position * longest) as i64..).take(count));
        }
        SparseInput {
            features: Bags::new(&lists.features, &lists.features_ends, range),
            actions: Bags::new(&lists.actions, ends, range),
            moves: Tensor::from_slice(&lists.moves[legal]),
            places: Tensor::from_slice(&places),
            batch: range.len() as i64,
            longest: longest as i64,
        }
    }

    /// Numbers of all legal moves, `[legal]`, as `[batch, longest]`, padded with a number that
    /// softmax makes 0.
    fn padded(&self, logits: &Tensor) -> Tensor {
        let kind = (Kind::Float, logits.device());
        Tensor::full([self.batch * self.longest], ABSENT, kind)
            .index_put(&[Some(&self.places)], logits, false)
            .view([self.batch, self.longest])
    }
}

impl SparseGraph {
    /// Positions that gradients are computed of on one core. A number that does not depend on the
    /// cores, so that what is learned does not either.
    pub(crate) const PART: usize = 256;

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
        let pieces = self.layout.piece_features() as i64;
        let others = self.layout.features() as i64 - pieces;
        let width = self.shape.width() as i64;
        let with_states = self.by_state(&params[ROWS])
            + params[FACTORISED].view([-1, 1, self.layout.squares() as i64, width]);
        let others = params[ROWS].narrow(0, pieces, others);
        Tensor::cat(&[with_states.view([pieces, width]), others], 0)
    }

    /// The rows of piece features, of all rows: `[sides and types, states, squares, width]`
    fn by_state(&self, rows: &Tensor) -> Tensor {
        let states = self.layout.threat_states() as i64;
        let squares = self.layout.squares() as i64;
        let width = self.shape.width() as i64;
        rows.narrow(0, 0, self.layout.piece_features() as i64)
            .view([-1, states, squares, width])
    }

    /// Logits of the legal moves and the scalar outputs.
    pub(crate) fn forward(&self, params: &[Tensor], input: &SparseInput) -> Output {
        let sums = input.features.sums(&self.rows(params), None) + &params[BIAS];
        let activations = screlu(&sums);
        let rows = params[POLICY].index_select(0, &input.actions.indices);
        let vectors = activations.index_select(0, &input.actions.positions);
        let products = (rows * vectors).sum_dim_intlist(1, false, None::<Kind>);
        let logits = products + params[MOVES].index_select(0, &input.moves);
        Output {
            policies: Policies::Legal(input.padded(&logits)),
            scalars: scalars(params, &activations),
        }
    }

    /// The gradients of a loss with respect to all tensors, and what `loss` returned beside it.
    ///
    /// The same as [`forward`](SparseGraph::forward) and libtorch's gradients of it, but no row of
    /// the two large matrices is ever copied: their part is written out here, and the rest left to
    /// libtorch.
    pub(crate) fn gradients<T>(
        &self,
        params: &[Tensor],
        input: &SparseInput,
        loss: impl FnOnce(&Output) -> (Tensor, T),
    ) -> (Vec<Tensor>, T) {
        let leaf = |tensor: &Tensor| tensor.detach().set_requires_grad(true);
        let (sums, activations, products) = no_grad(|| {
            let sums = input.features.sums(&self.rows(params), None) + &params[BIAS];
            let activations = screlu(&sums);
            let products = input.actions.dot_products(&activations, &params[POLICY]);
            (sums, activations, products)
        });
        let (vectors, products) = (leaf(&activations), leaf(&products));
        let small = [HIDDEN, HIDDEN_BIAS, SCALAR, SCALAR_BIAS, MOVES];
        let params: Vec<_> = (params.iter().enumerate())
            .map(|(i, tensor)| match small.contains(&i) {
                true => leaf(tensor),
                false => tensor.shallow_clone(),
            })
            .collect();
        let logits = &products + params[MOVES].index_select(0, &input.moves);
        let output = Output {
            policies: Policies::Legal(input.padded(&logits)),
            scalars: scalars(&params, &vectors),
        };
        let (loss, result) = loss(&output);
        let wanted: Vec<_> = [&vectors, &products]
            .into_iter()
            .chain(small.map(|i| &params[i]))
            .collect();
        let found = Tensor::run_backward(&[&loss], &wanted, false, false);
        let [
            by_value,
            by_product,
            hidden,
            hidden_bias,
            scalar,
            scalar_bias,
            moves,
        ] = <[Tensor; 7]>::try_from(found).expect("there is a gradient for each tensor");
        no_grad(|| {
            let by_policy = input.actions.sums(&params[POLICY], Some(&by_product));
            let actions = self.layout.actions();
            let policy = (input.actions).rows_gradient(&activations, actions, Some(&by_product));
            // Of the square, and of the clamp, which is flat outside of 0 to 1.
            let slope = sums.clamp(0.0, 1.0) * sums.le(1.0) * 2.0;
            let by_sum = (by_value + by_policy) * slope;
            let features = self.layout.features();
            let rows = input.features.rows_gradient(&by_sum, features, None);
            let factorised = self.by_state(&rows).sum_dim_intlist(1, false, None::<Kind>);
            let factorised = factorised.view([-1, self.shape.width() as i64]);
            let bias = by_sum.sum_dim_intlist(0, false, None::<Kind>);
            let gradients = vec![
                rows,
                factorised,
                bias,
                hidden,
                hidden_bias,
                scalar,
                scalar_bias,
                policy,
                moves,
            ];
            (gradients, result)
        })
    }

    /// What a weight may not exceed in either direction, so that integers can hold it, for each
    /// tensor.
    pub(crate) fn limits(&self) -> Vec<f64> {
        let mut limits = vec![f64::INFINITY; self.params.entries.len()];
        limits[ROWS] = MAX_ROW / 2.0;
        limits[FACTORISED] = MAX_ROW / 2.0;
        limits[BIAS] = MAX_BIAS;
        limits[HIDDEN] = MAX_WEIGHT_SUM / self.shape.width() as f64;
        limits[POLICY] = limits[HIDDEN];
        limits
    }

    /// Sets the tensors to what a network in integers says; those that only training uses stay.
    pub(crate) fn load_integers(&self, params: &[Tensor], network: &SparseNetwork) {
        let weights = network.weights();
        let set = |tensor: &Tensor, values: &Tensor| {
            tensor.shallow_clone().copy_(&values.view_as(tensor));
        };
        let floats = |integers: &[i16], scale: f32| {
            let values: Vec<f32> = integers.iter().map(|&x| f32::from(x) / scale).collect();
            Tensor::from_slice(&values)
        };
        set(&params[ROWS], &floats(&weights.rows, SUM_SCALE));
        // What the threat states of a piece have in common, as training would put it.
        let with_states = self.by_state(&params[ROWS]);
        let common = with_states.mean_dim([1_i64].as_slice(), true, None::<Kind>);
        set(&params[FACTORISED], &common);
        let _ = with_states.shallow_clone().subtract_(&common);
        set(&params[BIAS], &floats(&weights.bias, SUM_SCALE));
        set(&params[HIDDEN], &floats(&weights.hidden, WEIGHT_SCALE));
        set(
            &params[HIDDEN_BIAS],
            &Tensor::from_slice(&weights.hidden_bias),
        );
        for (tensor, values) in [
            (&params[SCALAR], &weights.value),
            (&params[SCALAR_BIAS], &weights.value_bias),
        ] {
            set(&tensor.narrow(0, WDL, 3), &Tensor::from_slice(values));
        }
        set(&params[POLICY], &floats(&weights.policy, WEIGHT_SCALE));
        set(&params[MOVES], &Tensor::from_slice(&weights.moves));
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

/// The trunk's non-linearity.
fn screlu(sums: &Tensor) -> Tensor {
    sums.clamp(0.0, 1.0).square()
}

/// The scalar outputs `[batch, SCALARS]` for activations `[batch, width]`.
fn scalars(params: &[Tensor], activations: &Tensor) -> Tensor {
    let hidden = activations.linear(&params[HIDDEN], Some(&params[HIDDEN_BIAS]));
    screlu(&hidden).linear(&params[SCALAR], Some(&params[SCALAR_BIAS]))
}
