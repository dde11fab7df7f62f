use tch::{Kind, Tensor, no_grad};

use super::conv_net::{
    ConvNet, ConvNorm, Linear, MOVES_LEFT, MOVES_LEFT_UNIT, NORM_EPSILON, Sizes, WDL, pool,
    query_scale,
};

/// A network as it is exported: batch norms folded into the convolutions, without the heads that
/// only training uses.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) sizes: Sizes,
    stem: Layer,
    blocks: Vec<FoldedBlock>,
    queries: Layer,
    keys: Layer,
    placed: Option<Layer>,
    pooled: Layer,
    hidden: Layer,
    wdl: Layer,
    moves_left: Layer,
}

#[derive(Debug)]
struct FoldedBlock {
    first: Layer,
    global: Option<Layer>,
    second: Layer,
}

/// A convolution `[out, in, k, k]` or a linear map `[out, in]`, and its bias `[out]`.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) weight: Tensor,
    pub(crate) bias: Tensor,
}

/// A backend that a network can be built in: tensors, computed at once, or the nodes of a file.
pub(crate) trait Graph {
    type Value;

    /// A convolution that keeps the board's size.
    fn conv(&mut self, x: &Self::Value, layer: &Layer) -> Self::Value;
    fn linear(&mut self, x: &Self::Value, layer: &Layer) -> Self::Value;
    fn relu(&mut self, x: Self::Value) -> Self::Value;
    fn add(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// Means and maxima over the board: `[batch, c, rank, file]` to `[batch, 2 · c]`.
    fn pool(&mut self, x: &Self::Value) -> Self::Value;
    /// To `[batch, rest…]`.
    fn reshape(&mut self, x: &Self::Value, rest: &[i64]) -> Self::Value;
    /// `[batch, a, b]` to `[batch, b, a]`.
    fn transpose(&mut self, x: &Self::Value) -> Self::Value;
    /// `[batch, a, c]` and `[batch, b, c]` to `[batch, a + b, c]`.
    fn concat(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    fn matmul(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Over the last dimension.
    fn softmax(&mut self, x: &Self::Value) -> Self::Value;
}

/// The outputs of an exported network for a batch.
#[derive(Debug)]
pub(crate) struct FoldedOutput<V> {
    /// Logits `[batch, actions]`.
    pub(crate) policy: V,
    /// Probabilities of win, draw and loss `[batch, 3]`.
    pub(crate) wdl: V,
    /// Plies to the end of the game `[batch, 1]`.
    pub(crate) moves_left: V,
}

impl Folded {
    pub(crate) fn new(net: &ConvNet, params: &[Tensor], stats: &[Tensor]) -> Folded {
        no_grad(|| Folder { params, stats }.fold(net))
    }

    /// Builds the network, applied to planes `[batch, planes, rank, file]`.
    pub(crate) fn apply<G: Graph>(
        &self,
        graph: &mut G,
        planes: &G::Value,
    ) -> FoldedOutput<G::Value> {
        let sizes = self.sizes;
        let (squares, depth) = (sizes.squares(), sizes.depth);
        let mut x = graph.conv(planes, &self.stem);
        x = graph.relu(x);
        for block in &self.blocks {
            let mut y = graph.conv(&x, &block.first);
            y = graph.relu(y);
            if let Some(global) = &block.global {
                let pooled = graph.pool(&y);
                let bias = graph.linear(&pooled, global);
                let bias = graph.reshape(&bias, &[sizes.channels, 1, 1]);
                y = graph.add(y, bias);
            }
            y = graph.conv(&y, &block.second);
            y = graph.add(y, x);
            x = graph.relu(y);
        }
        let features = graph.conv(&x, &self.pooled);
        let features = graph.relu(features);
        let pooled = graph.pool(&features);

        let queries = graph.conv(&x, &self.queries);
        let queries = graph.reshape(&queries, &[depth, squares]);
        let mut queries = graph.transpose(&queries);
        if let Some(placed) = &self.placed {
            let placed = graph.linear(&pooled, placed);
            let placed = graph.reshape(&placed, &[sizes.kinds, depth]);
            queries = graph.concat(&queries, &placed);
        }
        let keys = graph.conv(&x, &self.keys);
        let keys = graph.reshape(&keys, &[depth, squares]);
        let policy = graph.matmul(&queries, &keys);

        let hidden = graph.linear(&pooled, &self.hidden);
        let hidden = graph.relu(hidden);
        let wdl = graph.linear(&hidden, &self.wdl);
        FoldedOutput {
            policy: graph.reshape(&policy, &[sizes.actions()]),
            wdl: graph.softmax(&wdl),
            moves_left: graph.linear(&hidden, &self.moves_left),
        }
    }

    /// Runs the network in libtorch.
    pub(crate) fn forward(&self, planes: &Tensor) -> FoldedOutput<Tensor> {
        no_grad(|| self.apply(&mut Eager, planes))
    }

    /// Number of additions and multiplications to evaluate one position.
    pub(crate) fn flops(&self) -> f64 {
        let squares = self.sizes.squares();
        let convs = [&self.stem, &self.queries, &self.keys, &self.pooled]
            .into_iter()
            .chain(
                self.blocks
                    .iter()
                    .flat_map(|block| [&block.first, &block.second]),
            );
        let linears = [&self.hidden, &self.wdl, &self.moves_left]
            .into_iter()
            .chain(&self.placed)
            .chain(self.blocks.iter().filter_map(|block| block.global.as_ref()));
        let weights = |layer: &Layer| layer.weight.numel() as i64;
        let multiplications = convs.map(weights).sum::<i64>() * squares
            + linears.map(weights).sum::<i64>()
            + self.sizes.actions() * self.sizes.depth;
        2.0 * multiplications as f64
    }
}

/// Computes a network at once.
#[derive(Debug)]
struct Eager;

impl Graph for Eager {
    type Value = Tensor;

    fn conv(&mut self, x: &Tensor, layer: &Layer) -> Tensor {
        let padding = layer.weight.size()[2] / 2;
        x.conv2d(
            &layer.weight,
            Some(&layer.bias),
            [1, 1],
            [padding, padding],
            [1, 1],
            1,
        )
    }

    fn linear(&mut self, x: &Tensor, layer: &Layer) -> Tensor {
        x.linear(&layer.weight, Some(&layer.bias))
    }

    fn relu(&mut self, mut x: Tensor) -> Tensor {
        x.relu_()
    }

    fn add(&mut self, mut a: Tensor, b: Tensor) -> Tensor {
        a += b;
        a
    }

    fn pool(&mut self, x: &Tensor) -> Tensor {
        pool(x)
    }

    fn reshape(&mut self, x: &Tensor, rest: &[i64]) -> Tensor {
        x.reshape([&[-1], rest].concat())
    }

    fn transpose(&mut self, x: &Tensor) -> Tensor {
        x.transpose(1, 2)
    }

    fn concat(&mut self, a: &Tensor, b: &Tensor) -> Tensor {
        Tensor::cat(&[a, b], 1)
    }

    fn matmul(&mut self, a: &Tensor, b: &Tensor) -> Tensor {
        a.matmul(b)
    }

    fn softmax(&mut self, x: &Tensor) -> Tensor {
        x.softmax(-1, Kind::Float)
    }
}

struct Folder<'a> {
    params: &'a [Tensor],
    stats: &'a [Tensor],
}

impl Folder<'_> {
    fn fold(&self, net: &ConvNet) -> Folded {
        let sizes = net.sizes;
        // The exported policy head comes first, and its queries before its keys.
        let scale = query_scale(sizes.depth);
        let queries = self.rows(&net.queries, 0, sizes.depth);
        Folded {
            sizes,
            stem: self.conv_norm(&net.stem),
            blocks: net
                .blocks
                .iter()
                .map(|block| FoldedBlock {
                    first: self.conv_norm(&block.first),
                    global: block.global.as_ref().map(|layer| self.linear(layer)),
                    second: self.conv_norm(&block.second),
                })
                .collect(),
            queries: queries.scaled(scale),
            keys: self.rows(&net.queries, sizes.depth, sizes.depth),
            placed: net.placed.as_ref().map(|layer| {
                let rows = sizes.kinds * sizes.depth;
                self.rows(layer, 0, rows).scaled(scale)
            }),
            pooled: self.conv_norm(&net.pooled),
            hidden: self.linear(&net.hidden),
            wdl: self.rows(&net.scalars, WDL, 3),
            moves_left: self
                .rows(&net.scalars, MOVES_LEFT, 1)
                .scaled(MOVES_LEFT_UNIT),
        }
    }

    fn conv_norm(&self, layer: &ConvNorm) -> Layer {
        let variance = &self.stats[layer.variance] + NORM_EPSILON;
        let scale = &self.params[layer.scale] / variance.sqrt();
        Layer {
            weight: &self.params[layer.weight] * scale.view([-1, 1, 1, 1]),
            bias: &self.params[layer.shift] - &self.stats[layer.mean] * &scale,
        }
    }

    fn linear(&self, layer: &Linear) -> Layer {
        self.rows(layer, 0, self.params[layer.bias].size()[0])
    }

    /// The part of a layer that computes `length` of its outputs from `start` on.
    fn rows(&self, layer: &Linear, start: i64, length: i64) -> Layer {
        let rows = |index: usize| self.params[index].narrow(0, start, length).copy();
        Layer {
            weight: rows(layer.weight),
            bias: rows(layer.bias),
        }
    }
}

impl Layer {
    fn scaled(self, factor: f64) -> Layer {
        Layer {
            weight: self.weight * factor,
            bias: self.bias * factor,
        }
    }
}
