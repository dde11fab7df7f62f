use std::marker::PhantomData;
use std::sync::Arc;

use garuda_rules::Position;
use tch::{Kind, Tensor, no_grad};

use super::adamw::AdamW;
use super::conv_net::{ConvNet, MOVES_LEFT, MOVES_LEFT_UNIT, Output, POLICY, Policies, WDL};
use super::loss::{Input, Losses, TensorBatch};
use super::sparse::SparseGraph;
use super::weights::{Layout, Weights, numbers};
use crate::sparse::FeatureLayout;
use crate::{Architecture, Batch, Encoding, TrainParams};

/// A network in training: its weights, their average, and the optimiser.
#[derive(Debug)]
pub struct Trainer<P> {
    pub(crate) graph: Graph,
    pub(crate) architecture: Architecture,
    pub(crate) train_params: TrainParams,
    /// The weights being trained, and the statistics their batch norms keep.
    pub(crate) params: Weights,
    pub(crate) stats: Weights,
    /// `params` as tensors that gradients are asked for.
    leaves: Vec<Tensor>,
    /// Averages over the last steps; these are exported.
    pub(crate) mean_params: Weights,
    pub(crate) mean_stats: Weights,
    pub(crate) adam: AdamW,
    pub(crate) steps: u64,
    game: PhantomData<P>,
}

/// The structure of a network of any kind.
#[derive(Debug)]
pub(crate) enum Graph {
    Conv(ConvNet),
    Sparse(SparseGraph),
}

impl Graph {
    fn new<P: Position>(architecture: Architecture) -> Graph {
        match architecture {
            Architecture::Conv(shape) => Graph::Conv(ConvNet::new(&Encoding::of::<P>(), shape)),
            Architecture::Sparse(shape) => {
                Graph::Sparse(SparseGraph::new(FeatureLayout::of::<P>(), shape))
            }
        }
    }

    /// The tensors learned by gradients, and those that normalisation keeps.
    fn layouts(&self) -> (Arc<Layout>, Arc<Layout>) {
        match self {
            Graph::Conv(net) => (net.params.clone(), net.stats.clone()),
            Graph::Sparse(graph) => (graph.params.clone(), Arc::default()),
        }
    }

    /// What the network with these tensors says about a batch of its kind.
    fn forward(&self, params: &[Tensor], stats: &[Tensor], input: &Input, train: bool) -> Output {
        match (self, input) {
            (Graph::Conv(net), Input::Planes(planes)) => net.forward(params, stats, planes, train),
            (Graph::Sparse(graph), Input::Sparse(input)) => {
                let (policies, scalars) = graph.forward(params, input);
                Output {
                    policies: Policies::Legal(policies),
                    scalars,
                }
            }
            _ => panic!("the batch was made for another kind of network"),
        }
    }
}

/// What became of a training step.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct StepReport {
    pub losses: Losses,
    /// Length of the gradient before it was cut.
    pub gradient: f32,
    /// Whether the weights were changed. They are not when the loss or the gradient is not
    /// finite; then the step leaves no trace.
    pub applied: bool,
}

/// What a network says about a batch of positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// Logits `[batch, actions]`.
    pub policy: Vec<f32>,
    /// Chances of win, draw and loss `[batch, 3]`.
    pub wdl: Vec<f32>,
    /// Plies to the end of the game `[batch]`.
    pub moves_left: Vec<f32>,
}

impl<P: Position> Trainer<P> {
    /// An untrained network. Equal seeds give equal networks.
    pub fn new(
        architecture: impl Into<Architecture>,
        train_params: TrainParams,
        seed: u64,
    ) -> Self {
        let architecture = architecture.into();
        let graph = Graph::new::<P>(architecture);
        let (params, stats) = graph.layouts();
        let params = Weights::random(params, seed);
        let stats = Weights::random(stats, seed);
        Trainer {
            graph,
            architecture,
            train_params,
            leaves: params.leaves(),
            mean_params: params.duplicate(),
            mean_stats: stats.duplicate(),
            adam: AdamW::new(&params.layout),
            params,
            stats,
            steps: 0,
            game: PhantomData,
        }
    }

    /// Updates applied so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Learns from a batch, which must not be empty.
    pub fn step(&mut self, batch: &Batch<P>, rate: f64) -> StepReport {
        let batch = TensorBatch::new(batch);
        let stats_before = self.stats.flat.copy();
        let output = self
            .graph
            .forward(&self.leaves, &self.stats.tensors, &batch.input, true);
        let (loss, parts) = batch.loss(&output, &self.train_params.loss);
        let gradients = Tensor::run_backward(&[&loss], &self.leaves, false, false);
        let gradients: Vec<_> = gradients
            .iter()
            .map(|gradient| gradient.flatten(0, -1))
            .collect();
        let gradient = Tensor::cat(&gradients, 0);
        let length = gradient.norm().double_value(&[]);
        let losses = parts.read();
        let report = StepReport {
            losses,
            gradient: length as f32,
            applied: length.is_finite() && losses.total.is_finite(),
        };
        if report.applied {
            self.apply(
                &(gradient * (self.train_params.grad_clip_norm / length).min(1.0)),
                rate,
            );
        } else {
            self.stats.flat.copy_(&stats_before);
        }
        report
    }

    fn apply(&mut self, gradient: &Tensor, rate: f64) {
        no_grad(|| {
            self.steps += 1;
            self.adam.update(
                &mut self.params.flat,
                gradient,
                self.steps,
                rate,
                self.train_params.weight_decay,
            );
            if let Graph::Sparse(graph) = &self.graph {
                graph.clamp(&self.params.tensors);
            }
            // Early on an average over a thousand steps would be mostly the random start.
            let steps = self.steps as f64;
            let keep = self.train_params.ema_decay.min(steps / (steps + 10.0));
            let averages = [
                (&mut self.mean_params, &self.params),
                (&mut self.mean_stats, &self.stats),
            ];
            for (mean, now) in averages {
                let _ = mean.flat.lerp_(&now.flat, 1.0 - keep);
            }
        });
    }

    /// What the averaged network says, in libtorch, about planes `[batch, planes, rank, file]`.
    /// `None` if the network does not look at planes.
    pub fn predict(&self, planes: &[f32]) -> Option<Prediction> {
        let Graph::Conv(net) = &self.graph else {
            return None;
        };
        let sizes = net.sizes;
        let planes = Tensor::from_slice(planes).view([-1, sizes.planes, sizes.ranks, sizes.files]);
        no_grad(|| {
            let output = net.forward(
                &self.mean_params.tensors,
                &self.mean_stats.tensors,
                &planes,
                false,
            );
            let Policies::Actions(policies) = &output.policies else {
                return None;
            };
            let wdl = output.scalars.narrow(1, WDL, 3).softmax(1, Kind::Float);
            let moves_left = output.scalars.narrow(1, MOVES_LEFT, 1) * MOVES_LEFT_UNIT;
            Some(Prediction {
                policy: numbers(&policies.select(1, POLICY)),
                wdl: numbers(&wdl),
                moves_left: numbers(&moves_left),
            })
        })
    }

    /// The losses of the averaged network on a batch, which must not be empty.
    pub fn validate(&self, batch: &Batch<P>) -> Losses {
        let batch = TensorBatch::new(batch);
        no_grad(|| {
            let output = self.graph.forward(
                &self.mean_params.tensors,
                &self.mean_stats.tensors,
                &batch.input,
                false,
            );
            batch.loss(&output, &self.train_params.loss).1.read()
        })
    }
}
