use garuda_rules::Position;
use tch::{Tensor, no_grad};

use super::AveragedNetwork;
use super::adamw::AdamW;
use super::averaged::Graph;
use super::loss::{Losses, TensorBatch};
use super::weights::Weights;
use crate::{Architecture, Batch, TrainParams};

/// A network in training: its weights, their averages, and the optimiser.
///
/// ```no_run
/// use garuda_model::{Batch, ConvShape, NetworkKind, TrainParams, Trainer};
/// use garuda_rules::tori::ToriPosition;
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
        let averaged = AveragedNetwork::new(architecture.into(), seed);
        let params = averaged.params.duplicate();
        Trainer {
            train_params,
            leaves: params.leaves(),
            stats: averaged.stats.duplicate(),
            adam: AdamW::new(&params.layout),
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
        let batch = TensorBatch::new(batch);
        let stats_before = self.stats.flat.copy();
        let train = true;
        let graph = &self.averaged.graph;
        let output = graph.forward(&self.leaves, &self.stats.tensors, &batch.input, train);
        let (loss, parts) = batch.loss(&output, &self.train_params.loss);
        let gradients = Tensor::run_backward(&[&loss], &self.leaves, false, false);
        let gradients: Vec<_> = gradients
            .iter()
            .map(|gradient| gradient.flatten(0, -1))
            .collect();
        let gradient = Tensor::cat(&gradients, 0);
        let norm = gradient.norm().double_value(&[]);
        let losses = parts.read();
        let report = StepReport {
            losses,
            gradient: norm as f32,
            applied: norm.is_finite() && losses.total.is_finite(),
        };
        if report.applied {
            self.apply(
                &(gradient * (self.train_params.grad_clip_norm / norm).min(1.0)),
                rate,
            );
        } else {
            self.stats.flat.copy_(&stats_before);
        }
        report
    }

    fn apply(&mut self, gradient: &Tensor, rate: f64) {
        let averaged = &mut self.averaged;
        no_grad(|| {
            averaged.steps += 1;
            self.adam.update(
                &mut self.params.flat,
                gradient,
                averaged.steps,
                rate,
                self.train_params.weight_decay,
            );
            if let Graph::Sparse(graph) = &averaged.graph {
                graph.clamp(&self.params.tensors);
            }
            // Early on an average over a thousand steps would be mostly the random start.
            let steps = averaged.steps as f64;
            let decay = self.train_params.ema_decay.min(steps / (steps + 10.0));
            let averages = [
                (&mut averaged.params, &self.params),
                (&mut averaged.stats, &self.stats),
            ];
            for (average, current) in averages {
                let _ = average.flat.lerp_(&current.flat, 1.0 - decay);
            }
        });
    }

    /// The losses of the averaged network on a batch, which must not be empty.
    pub fn validate(&self, batch: &Batch<P>) -> Losses {
        let batch = TensorBatch::new(batch);
        no_grad(|| {
            let output = self.averaged.forward(&batch.input);
            batch.loss(&output, &self.train_params.loss).1.read()
        })
    }
}
