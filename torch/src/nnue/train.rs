use std::ops::ControlFlow;

use garuda_model::nnue::CompactNetwork;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use tch::Tensor;

use super::net::NnueGraph;
use super::set::NnueSet;
use crate::weights::Weights;

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-7;
const WARMUP_STEPS: f64 = 100.0;
/// The learning rate ends at this share of its peak.
const LAST_RATE: f64 = 0.02;
/// Positions evaluated at a time where there is no gradient.
const EVALUATION_BATCH: usize = 16_384;

/// Sizes and training of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct NnueSettings {
    /// Columns per side, at most 512.
    pub width: usize,
    /// 1, or 8 by the number of pieces.
    pub stacks: usize,
    pub epochs: u32,
    pub batch: usize,
    pub learning_rate: f64,
    pub weight_decay: f64,
    /// What evaluations are multiplied by in the file.
    pub scale: f64,
    pub seed: u64,
}

/// How an epoch went.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct NnueEpoch {
    /// From 1.
    pub number: u32,
    /// Mean squared error of the expected score, in training and on the positions held out.
    pub loss: f64,
    pub validation_loss: f64,
}

/// A trained network, of the epoch that was best on the positions held out.
#[derive(Clone, PartialEq, Debug)]
pub struct NnueTrained {
    pub network: CompactNetwork,
    pub best: NnueEpoch,
    /// Loss of the untrained network, which counts material.
    pub first_loss: f64,
}

/// Trains a network. `progress` is called with the share of the work done after every few steps, and
/// with the epoch after each; breaking ends the training after that step.
///
/// # Panics
/// If there is no position to train on or none that is held out.
pub fn train_nnue(
    train: &NnueSet,
    validation: &NnueSet,
    settings: &NnueSettings,
    mut progress: impl FnMut(f64, Option<NnueEpoch>) -> ControlFlow<()>,
) -> NnueTrained {
    assert!(!train.is_empty() && !validation.is_empty(), "no positions");
    let layout = train.layout().clone();
    let graph = NnueGraph::new(layout, settings.width, settings.stacks, settings.scale);
    let weights = graph.init(settings.seed);
    graph.clamp(&weights.tensors);
    let mut optimiser = Optimiser::new(&weights);
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    let mut order: Vec<u32> = (0..train.len() as u32).collect();
    let steps_per_epoch = order.len().div_ceil(settings.batch);
    let all_steps = (settings.epochs as usize * steps_per_epoch) as f64;
    let first_loss = mean_loss(&graph, &weights, validation);
    let mut best: Option<(NnueEpoch, CompactNetwork)> = None;
    let mut step = 0_u64;
    for number in 1..=settings.epochs {
        order.shuffle(&mut rng);
        let (mut sum, mut weight) = (0.0, 0.0);
        let mut flow = ControlFlow::Continue(());
        for numbers in order.chunks(settings.batch) {
            let batch = train.batch(numbers, settings.stacks);
            let leaves = weights.leaves();
            let (errors, total) = graph.loss(&leaves, &batch);
            let loss = &errors / &total;
            // An empty tensor is not used, and has no gradient.
            let used: Vec<&Tensor> = leaves.iter().filter(|leaf| leaf.numel() > 0).collect();
            let gradients = Tensor::run_backward(&[loss], &used, false, false);
            let gradient: Vec<Tensor> = gradients.iter().map(|g| g.reshape([-1])).collect();
            step += 1;
            let rate = settings.learning_rate * rate_at(step as f64, all_steps);
            let gradient = Tensor::cat(&gradient, 0);
            optimiser.update(&weights, &gradient, step, rate, settings.weight_decay);
            graph.clamp(&weights.tensors);
            sum += errors.double_value(&[]);
            weight += total.double_value(&[]);
            flow = progress(step as f64 / all_steps, None);
            if flow.is_break() {
                break;
            }
        }
        let epoch = NnueEpoch {
            number,
            loss: sum / f64::max(weight, 1e-9),
            validation_loss: mean_loss(&graph, &weights, validation),
        };
        let is_better = |(best, _): &(NnueEpoch, _)| epoch.validation_loss < best.validation_loss;
        if best.as_ref().is_none_or(is_better) {
            best = Some((epoch, graph.quantise(&weights.tensors)));
        }
        if progress(step as f64 / all_steps, Some(epoch)).is_break() || flow.is_break() {
            break;
        }
    }
    let (best, network) = best.expect("there is an epoch");
    NnueTrained {
        network,
        best,
        first_loss,
    }
}

/// Warm-up, then a cosine.
fn rate_at(step: f64, steps: f64) -> f64 {
    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * (step / steps).min(1.0)).cos());
    (step / WARMUP_STEPS).min(1.0) * (LAST_RATE + (1.0 - LAST_RATE) * cosine)
}

fn mean_loss(graph: &NnueGraph, weights: &Weights, set: &NnueSet) -> f64 {
    let numbers: Vec<u32> = (0..set.len() as u32).collect();
    let (mut sum, mut weight) = (0.0, 0.0);
    tch::no_grad(|| {
        for numbers in numbers.chunks(EVALUATION_BATCH) {
            let batch = set.batch(numbers, graph.stacks);
            let (errors, total) = graph.loss(&weights.tensors, &batch);
            sum += errors.double_value(&[]);
            weight += total.double_value(&[]);
        }
    });
    sum / f64::max(weight, 1e-9)
}

/// AdamW on all weights at once. Only rows and layers decay.
struct Optimiser {
    first: Tensor,
    second: Tensor,
    decaying: Tensor,
}

impl Optimiser {
    fn new(weights: &Weights) -> Optimiser {
        Optimiser {
            first: weights.flat.zeros_like(),
            second: weights.flat.zeros_like(),
            decaying: weights.layout.decay_mask(),
        }
    }

    fn update(&mut self, weights: &Weights, gradient: &Tensor, step: u64, rate: f64, decay: f64) {
        let _ = self.first.lerp_(gradient, 1.0 - BETA1);
        let _ = self.second.lerp_(&gradient.square(), 1.0 - BETA2);
        let correction = |beta: f64| 1.0 - beta.powf(step as f64);
        let scale = (&self.second / correction(BETA2)).sqrt() + EPSILON;
        let mut flat = weights.flat.shallow_clone();
        let _ = flat.addcmul_(&self.decaying, &(&flat * (-rate * decay)));
        flat -= &self.first / scale * (rate / correction(BETA1));
    }
}
