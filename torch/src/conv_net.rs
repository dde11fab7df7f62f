use std::sync::Arc;

use garuda_model::{ConvShape, Encoding};
use tch::{Kind, Tensor};

use super::weights::{Init, Layout};
use crate::SHORT_TERM_HORIZONS;

/// The policy heads, in the order of [`Output::policies`].
pub(crate) const POLICY: i64 = 0;
/// Learns a flattened target; training only.
pub(crate) const SOFT: i64 = 1;
/// Learns the opponent's reply; training only.
pub(crate) const REPLY: i64 = 2;
pub(crate) const POLICIES: i64 = 3;

/// The scalar outputs, in the order of [`Output::scalars`]: logits of win, draw and loss; plies
/// left in units of [`MOVES_LEFT_UNIT`]; the short-term values, training only.
pub(crate) const WDL: i64 = 0;
pub(crate) const MOVES_LEFT: i64 = 3;
pub(crate) const SHORT: i64 = 4;
pub(crate) const SHORTS: i64 = SHORT_TERM_HORIZONS.len() as i64;
pub(crate) const SCALARS: i64 = SHORT + SHORTS;

/// Keeps the plies-left output near 1.
pub(crate) const MOVES_LEFT_UNIT: f64 = 64.0;

/// Added to variances before dividing by them.
pub(crate) const NORM_EPSILON: f64 = 1e-5;
/// How fast the running means and variances follow the batches.
const NORM_MOMENTUM: f64 = 0.1;

/// Scale of the outputs before training: near zero, so that the first games do not reinforce random
/// preferences.
const UNDECIDED: f64 = 0.05;

/// The structure of a network: which tensors it has and what it does with them. The tensors
/// themselves are passed in, so that one structure serves the trained and the averaged weights.
#[derive(Clone, Debug)]
pub(crate) struct ConvNet {
    pub(crate) sizes: Sizes,
    /// Learned by gradients.
    pub(crate) params: Arc<Layout>,
    /// Means and variances that normalisation keeps.
    pub(crate) stats: Arc<Layout>,
    pub(crate) stem: ConvNorm,
    pub(crate) blocks: Vec<Block>,
    /// Queries and keys of all policy heads from the tower's channels, one 1×1 convolution.
    pub(crate) queries: Linear,
    /// Queries of the placeable kinds from the pooled features, of all policy heads.
    pub(crate) placed: Option<Linear>,
    pub(crate) pooled: ConvNorm,
    pub(crate) hidden: Linear,
    pub(crate) scalars: Linear,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Sizes {
    pub(crate) planes: i64,
    pub(crate) ranks: i64,
    pub(crate) files: i64,
    /// Placeable kinds.
    pub(crate) kinds: i64,
    /// Channels of the tower.
    pub(crate) channels: i64,
    /// Numbers of a query or key.
    pub(crate) depth: i64,
    /// Channels of the value head, pooled to twice as many features.
    pub(crate) features: i64,
}

/// A convolution with odd kernel and unchanged board size, and its batch norm: indices of its
/// tensors.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ConvNorm {
    pub(crate) weight: usize,
    pub(crate) scale: usize,
    pub(crate) shift: usize,
    pub(crate) mean: usize,
    pub(crate) variance: usize,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Linear {
    pub(crate) weight: usize,
    pub(crate) bias: usize,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Block {
    pub(crate) first: ConvNorm,
    /// Adds to each channel a bias made from the mean and the maximum of all.
    pub(crate) global: Option<Linear>,
    pub(crate) second: ConvNorm,
}

/// The logits of a network's policies.
#[derive(Debug)]
pub(crate) enum Policies {
    /// Of all actions, `[batch, POLICIES, actions]`.
    Actions(Tensor),
    /// Of the legal moves alone and the main policy alone, `[batch, moves]`, padded.
    Legal(Tensor),
}

/// The outputs of a network for a batch, training-only heads included.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) policies: Policies,
    /// `[batch, SCALARS]`
    pub(crate) scalars: Tensor,
}

impl Sizes {
    pub(crate) fn squares(self) -> i64 {
        self.ranks * self.files
    }

    pub(crate) fn actions(self) -> i64 {
        (self.squares() + self.kinds) * self.squares()
    }
}

impl ConvNet {
    pub(crate) fn new(encoding: &Encoding, shape: ConvShape) -> ConvNet {
        let channels = i64::from(shape.channels());
        let sizes = Sizes {
            planes: encoding.planes.len() as i64,
            ranks: i64::from(encoding.board.ranks),
            files: i64::from(encoding.board.files),
            kinds: encoding.placeable.len() as i64,
            channels,
            depth: channels / 2,
            features: channels / 2,
        };
        let mut builder = Builder::default();
        let stem = builder.conv_norm("stem", channels, sizes.planes, 3);
        let blocks = (0..shape.blocks())
            .map(|i| Block {
                first: builder.conv_norm(&format!("block{i}.first"), channels, channels, 3),
                global: (i % 2 == 1).then(|| {
                    builder.linear(&format!("block{i}.global"), &[channels, 2 * channels], 1.0)
                }),
                second: builder.conv_norm(&format!("block{i}.second"), channels, channels, 3),
            })
            .collect();
        let width = POLICIES * 2 * sizes.depth;
        let queries = builder.linear("policy.queries", &[width, channels, 1, 1], UNDECIDED);
        let pooled = builder.conv_norm("value.pooled", sizes.features, channels, 1);
        let placed = (sizes.kinds > 0).then(|| {
            let shape = [POLICIES * sizes.kinds * sizes.depth, 2 * sizes.features];
            builder.linear("policy.placed", &shape, UNDECIDED)
        });
        let hidden = builder.linear("value.hidden", &[channels, 2 * sizes.features], 1.0);
        let scalars = builder.linear("value.scalars", &[SCALARS, channels], UNDECIDED);
        ConvNet {
            sizes,
            params: Arc::new(builder.params),
            stats: Arc::new(builder.stats),
            stem,
            blocks,
            queries,
            placed,
            pooled,
            hidden,
            scalars,
        }
    }

    /// The network's outputs for `planes` `[batch, planes, rank, file]`. In training, batch norm
    /// uses and remembers the batch's own means and variances.
    pub(crate) fn forward(
        &self,
        params: &[Tensor],
        stats: &[Tensor],
        planes: &Tensor,
        train: bool,
    ) -> Output {
        let pass = Pass {
            params,
            stats,
            train,
        };
        let mut x = pass.conv_norm(planes, &self.stem).relu_();
        for block in &self.blocks {
            let y = pass.conv_norm(&x, &block.first).relu_();
            let y = match &block.global {
                Some(global) => {
                    let bias = pass.linear(&pool(&y), global);
                    y + bias.unsqueeze(-1).unsqueeze(-1)
                }
                None => y,
            };
            x = (pass.conv_norm(&y, &block.second) + x).relu_();
        }
        let pooled = pool(&pass.conv_norm(&x, &self.pooled).relu_());
        let hidden = pass.linear(&pooled, &self.hidden).relu_();
        Output {
            policies: Policies::Actions(self.policies(&pass, &x, &pooled)),
            scalars: pass.linear(&hidden, &self.scalars),
        }
    }

    /// Logits `[batch, POLICIES, actions]` from the tower `[batch, channels, rank, file]` and the
    /// pooled features `[batch, 2 · features]`: dot products of the queries of squares and placed
    /// kinds with the keys of squares.
    fn policies(&self, pass: &Pass<'_>, tower: &Tensor, pooled: &Tensor) -> Tensor {
        let sizes = self.sizes;
        let (squares, depth) = (sizes.squares(), sizes.depth);
        let queries_keys = pass
            .conv(tower, self.queries.weight, Some(self.queries.bias))
            .reshape([-1, POLICIES, 2, depth, squares]);
        let mut queries = queries_keys.select(2, 0).transpose(2, 3);
        let keys = queries_keys.select(2, 1);
        if let Some(placed) = &self.placed {
            let placed = pass
                .linear(pooled, placed)
                .view([-1, POLICIES, sizes.kinds, depth]);
            queries = Tensor::cat(&[queries, placed], 2);
        }
        (queries * query_scale(depth))
            .matmul(&keys)
            .reshape([-1, POLICIES, sizes.actions()])
    }
}

/// Keeps the dot products of queries and keys of this length near 1.
pub(crate) fn query_scale(depth: i64) -> f64 {
    1.0 / (depth as f64).sqrt()
}

/// Means and maxima over the board: `[batch, channels, rank, file]` to `[batch, 2 · channels]`.
pub(crate) fn pool(x: &Tensor) -> Tensor {
    let mean = x.mean_dim(&[2_i64, 3][..], false, None::<Kind>);
    Tensor::cat(&[mean, x.amax([2, 3], false)], 1)
}

/// One pass through a network.
struct Pass<'a> {
    params: &'a [Tensor],
    stats: &'a [Tensor],
    train: bool,
}

impl Pass<'_> {
    fn conv(&self, x: &Tensor, weight: usize, bias: Option<usize>) -> Tensor {
        let weight = &self.params[weight];
        let padding = weight.size()[2] / 2;
        let bias = bias.map(|bias| &self.params[bias]);
        x.conv2d(weight, bias, [1, 1], [padding, padding], [1, 1], 1)
    }

    fn conv_norm(&self, x: &Tensor, layer: &ConvNorm) -> Tensor {
        self.conv(x, layer.weight, None).batch_norm(
            Some(&self.params[layer.scale]),
            Some(&self.params[layer.shift]),
            Some(&self.stats[layer.mean]),
            Some(&self.stats[layer.variance]),
            self.train,
            NORM_MOMENTUM,
            NORM_EPSILON,
            false,
        )
    }

    fn linear(&self, x: &Tensor, layer: &Linear) -> Tensor {
        x.linear(&self.params[layer.weight], Some(&self.params[layer.bias]))
    }
}

#[derive(Default)]
struct Builder {
    params: Layout,
    stats: Layout,
}

impl Builder {
    fn conv_norm(&mut self, name: &str, out: i64, input: i64, kernel: i64) -> ConvNorm {
        // Keeps variances through the rectifier that follows.
        let deviation = (2.0 / (input * kernel * kernel) as f64).sqrt();
        let params = &mut self.params;
        let stats = &mut self.stats;
        ConvNorm {
            weight: params.add(
                format!("{name}.weight"),
                &[out, input, kernel, kernel],
                Init::Normal(deviation),
            ),
            scale: params.add(format!("{name}.scale"), &[out], Init::Ones),
            shift: params.add(format!("{name}.shift"), &[out], Init::Zeros),
            mean: stats.add(format!("{name}.mean"), &[out], Init::Zeros),
            variance: stats.add(format!("{name}.variance"), &[out], Init::Ones),
        }
    }

    /// `shape` is `[out, in]`, or `[out, in, 1, 1]` for the same at every square. The outputs are
    /// about `gain` times as large as the inputs at first.
    fn linear(&mut self, name: &str, shape: &[i64], gain: f64) -> Linear {
        let deviation = gain * (1.0 / shape[1] as f64).sqrt();
        Linear {
            weight: self
                .params
                .add(format!("{name}.weight"), shape, Init::Normal(deviation)),
            bias: self
                .params
                .add(format!("{name}.bias"), &shape[..1], Init::Zeros),
        }
    }
}
