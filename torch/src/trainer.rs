use garuda_model::Architecture;
use garuda_rules::Position;
use rayon::prelude::*;
use tch::{Tensor, no_grad};

use super::adamw::{AdamW, Gradients, Update};
use super::averaged::Graph;
use super::loss::{Losses, TensorBatch};
use super::sparse::SparseGraph;
use super::weights::Weights;
use super::{AveragedNetwork, set_threads};
use crate::{Batch, TrainParams};

/// A network in training: its weights, their averages, and the optimiser.
///
/// ```no_run
/// use garuda_model::{ConvShape, NetworkKind};
/// use garuda_rules::tori::ToriPosition;
/// use garuda_torch::{Batch, TrainParams, Trainer};
///
/// let shape = ConvShape::new(4, 64)?;
/// let mut trainer = Trainer::<ToriPosition>::new(shape, TrainParams::default(), 1);
/// let mut batch = Batch::new(NetworkKind::Conv);
/// // … positions and targets are pushed to the batch …
/// let learning_rate = 1e-3;
/// let report = trainer.step(&batch, learning_rate);
/// println!("loss {}", report.losses.total);
/// let network = trainer.averaged().export("tori");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Trainer<P> {
    pub(crate) train_params: TrainParams,
    /// The weights being trained, and the running statistics of their batch norms.
    pub(crate) params: Weights,
    pub(crate) stats: Weights,
    /// `params` as tensors with gradients, in the same memory.
    leaves: Vec<Tensor>,
    pub(crate) averaged: AveragedNetwork<P>,
    pub(crate) adam: AdamW,
}

/// The result of a training step.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct StepReport {
    pub losses: Losses,
    /// Norm of the gradient before clipping.
    pub gradient: f32,
    /// Whether the weights were changed. They are not when the loss or the gradient is not
    /// finite; the trainer is then as it was before the step.
    pub applied: bool,
}

impl<P: Position> Trainer<P> {
    /// An untrained network. Equal seeds give equal networks.
    pub fn new(
        architecture: impl Into<Architecture>,
        train_params: TrainParams,
        seed: u64,
    ) -> Self {
        Trainer::from_network(
            AveragedNetwork::new(architecture.into(), seed),
            train_params,
        )
    }

    /// Begins to train a network that may have been trained before. Steps are counted from 0.
    pub fn from_network(mut averaged: AveragedNetwork<P>, train_params: TrainParams) -> Self {
        averaged.steps = 0;
        let params = averaged.params.duplicate();
        Trainer {
            train_params,
            leaves: params.leaves(),
            stats: averaged.stats.duplicate(),
            adam: AdamW::new(&params, &averaged.params, &averaged.graph.limits()),
            params,
            averaged,
        }
    }

    /// Number of steps applied so far.
    pub fn steps(&self) -> u64 {
        self.averaged.steps
    }

    pub fn architecture(&self) -> Architecture {
        self.averaged.architecture()
    }

    /// The averaged weights, which are exported.
    pub fn averaged(&self) -> &AveragedNetwork<P> {
        &self.averaged
    }

    /// Makes a training step with a batch, which must not be empty.
    pub fn step(&mut self, batch: &Batch<P>, rate: f64) -> StepReport {
        let stats_before = self.stats.flat.copy();
        let (gradients, losses) = match &self.averaged.graph {
            Graph::Conv(_) => self.gradients(batch),
            Graph::Sparse(graph) => self.sparse_gradients(graph, batch),
        };
        let norm = self.adam.set_gradient(&gradients);
        drop(gradients);
        let report = StepReport {
            losses,
            gradient: norm as f32,
            applied: norm.is_finite() && losses.total.is_finite(),
        };
        if report.applied {
            self.apply((self.train_params.grad_clip_norm / norm).min(1.0), rate);
        } else {
            self.stats.flat.copy_(&stats_before);
        }
        report
    }

    fn gradients(&self, batch: &Batch<P>) -> (Vec<Gradients>, Losses) {
        let batch = TensorBatch::new(batch, &(0..batch.len()));
        let leaves = &self.leaves;
        let train = true;
        let graph = &self.averaged.graph;
        let output = graph.forward(leaves, &self.stats.tensors, &batch.input, train);
        let (loss, parts) = batch.loss(&output, &self.train_params.loss);
        let tensors = Tensor::run_backward(&[&loss], leaves, false, false);
        let gradients = Gradients {
            tensors,
            share: 1.0,
        };
        (vec![gradients], parts.read())
    }

    /// The gradients of each part of a batch, computed on all cores that libtorch may use. Its own
    /// threads would work on parts of operations that are too short for it.
    fn sparse_gradients(&self, graph: &SparseGraph, batch: &Batch<P>) -> (Vec<Gradients>, Losses) {
        let part = |start: usize| {
            let range = start..batch.len().min(start + SparseGraph::PART);
            // Tensors can be sent to another thread but not shared with it.
            let params: Vec<_> = self
                .params
                .tensors
                .iter()
                .map(Tensor::shallow_clone)
                .collect();
            (range, params)
        };
        let parts: Vec<_> = (0..batch.len())
            .step_by(SparseGraph::PART)
            .map(part)
            .collect();
        let weights = &self.train_params.loss;
        let parts: Vec<_> = parts
            .into_par_iter()
            .map(|(range, params)| {
                set_threads(1);
                let share = range.len() as f32 / batch.len() as f32;
                let batch = TensorBatch::new(batch, &range);
                let (tensors, losses) = batch.sparse_gradients(graph, &params, weights);
                (Gradients { tensors, share }, losses)
            })
            .collect();
        let losses: Vec<_> = (parts.iter())
            .map(|(gradients, losses)| (*losses, gradients.share))
            .collect();
        let gradients = parts.into_iter().map(|(gradients, _)| gradients);
        (gradients.collect(), Losses::weighted_sum(&losses))
    }

    fn apply(&mut self, gradient_scale: f64, rate: f64) {
        let averaged = &mut self.averaged;
        averaged.steps += 1;
        // Early on an average over a thousand steps would be mostly the random start.
        let steps = averaged.steps as f64;
        let average_decay = self.train_params.ema_decay.min(steps / (steps + 10.0));
        self.adam.update(&Update {
            step: averaged.steps,
            rate,
            weight_decay: self.train_params.weight_decay,
            gradient_scale,
            average_decay,
        });
        let stats = &mut averaged.stats.flat;
        no_grad(|| {
            let _ = stats.lerp_(&self.stats.flat, 1.0 - average_decay);
        });
    }

    /// The losses of the averaged network on a batch, which must not be empty.
    pub fn validate(&self, batch: &Batch<P>) -> Losses {
        let batch = TensorBatch::new(batch, &(0..batch.len()));
        no_grad(|| {
            let output = self.averaged.forward(&batch.input);
            batch.loss(&output, &self.train_params.loss).1.read()
        })
    }
}
