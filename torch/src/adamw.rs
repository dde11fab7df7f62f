use rayon::prelude::*;
use tch::{Tensor, no_grad};

use super::weights::Weights;

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f32 = 1e-8;

/// Numbers that are updated at a time: few enough that they stay in a core's cache from the first
/// read to the last write.
const CHUNK: i64 = 1 << 13;

/// AdamW whose moments can be saved. One pass over memory, on all cores, makes the update, keeps
/// the weights within their limits, and moves their average. Its result does not depend on the
/// number of cores.
#[derive(Debug)]
pub(crate) struct AdamW {
    /// Running means of the gradients and of their squares.
    pub(crate) first: Weights,
    pub(crate) second: Weights,
    chunks: Vec<Chunk>,
}

/// A part of a tensor.
#[derive(Debug)]
struct Chunk {
    /// The tensor's place in the layout, and where in it the part begins.
    entry: usize,
    start: i64,
    /// Views into the memory of the weights, their average, and the moments.
    weights: Tensor,
    average: Tensor,
    first: Tensor,
    second: Tensor,
    gradient: Vec<f32>,
    decays: bool,
    limit: f32,
}

/// What an update depends on besides weights and gradient.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Update {
    /// The number of the update, from 1.
    pub(crate) step: u64,
    pub(crate) rate: f64,
    pub(crate) weight_decay: f64,
    /// The gradient is multiplied by this.
    pub(crate) gradient_scale: f64,
    /// Share of the average that is kept.
    pub(crate) average_decay: f64,
}

/// The gradients of a part of a batch, one for each tensor, and the part's share of the batch.
#[derive(Debug)]
pub(crate) struct Gradients {
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) share: f32,
}

/// The numbers of a chunk while they are worked on.
#[derive(Default)]
struct Buffers([Vec<f32>; 4]);

impl AdamW {
    /// An optimiser of `weights` that also moves `average`. Neither may get other memory later.
    /// `limits` are what weights may not exceed in either direction, for each tensor.
    pub(crate) fn new(weights: &Weights, average: &Weights, limits: &[f64]) -> AdamW {
        let first = Weights::zeros(weights.layout.clone());
        let second = Weights::zeros(weights.layout.clone());
        let mut chunks = Vec::new();
        for (i, entry) in weights.layout.entries.iter().enumerate() {
            let numel = entry.numel();
            for start in (0..numel).step_by(CHUNK as usize) {
                let length = CHUNK.min(numel - start);
                let view =
                    |weights: &Weights| weights.tensors[i].view([-1]).narrow(0, start, length);
                chunks.push(Chunk {
                    entry: i,
                    start,
                    weights: view(weights),
                    average: view(average),
                    first: view(&first),
                    second: view(&second),
                    gradient: vec![0.0; length as usize],
                    decays: entry.decays(),
                    limit: limits[i] as f32,
                });
            }
        }
        AdamW {
            first,
            second,
            chunks,
        }
    }

    /// Adds up the gradients of a batch's parts for the next [`update`](AdamW::update), and
    /// returns the norm of the sum.
    pub(crate) fn set_gradient(&mut self, parts: &[Gradients]) -> f64 {
        let views = |chunk: &Chunk| -> Vec<(Tensor, f32)> {
            let length = chunk.gradient.len() as i64;
            let view = |part: &Gradients| {
                let tensor = part.tensors[chunk.entry].contiguous().view([-1]);
                (tensor.narrow(0, chunk.start, length), part.share)
            };
            parts.iter().map(view).collect()
        };
        let views: Vec<_> = self.chunks.iter().map(views).collect();
        let squares: Vec<f64> = (self.chunks.par_iter_mut().zip(views))
            .map_init(Vec::new, |buffer, (chunk, views)| {
                chunk.set_gradient(&views, buffer)
            })
            .collect();
        squares.iter().sum::<f64>().sqrt()
    }

    /// Moves the weights against the gradient, and the average towards them.
    pub(crate) fn update(&mut self, update: &Update) {
        self.chunks
            .par_iter_mut()
            .for_each_init(Buffers::default, |buffers, chunk| {
                chunk.update(update, buffers);
            });
    }
}

impl Chunk {
    /// Returns the sum of the gradient's squares.
    fn set_gradient(&mut self, parts: &[(Tensor, f32)], buffer: &mut Vec<f32>) -> f64 {
        let length = self.gradient.len();
        self.gradient.fill(0.0);
        buffer.resize(length, 0.0);
        for (tensor, share) in parts {
            tensor.copy_data(buffer, length);
            for (sum, number) in self.gradient.iter_mut().zip(buffer.iter()) {
                *sum += share * number;
            }
        }
        // Several sums at once: one alone would wait for each addition.
        let mut sums = [0.0_f32; 32];
        let (whole, rest) = self.gradient.as_chunks::<32>();
        for numbers in whole {
            for (sum, number) in sums.iter_mut().zip(numbers) {
                *sum += number * number;
            }
        }
        let squares = sums
            .into_iter()
            .chain(rest.iter().map(|number| number * number));
        squares.map(f64::from).sum()
    }

    fn update(&mut self, update: &Update, buffers: &mut Buffers) {
        let length = self.gradient.len();
        let tensors = [
            &mut self.weights,
            &mut self.average,
            &mut self.first,
            &mut self.second,
        ];
        for (tensor, buffer) in tensors.iter().zip(&mut buffers.0) {
            buffer.resize(length, 0.0);
            tensor.copy_data(buffer, length);
        }
        // The running means start at zero; the corrections make up for it.
        let correction = |beta: f64| 1.0 - beta.powf(update.step as f64);
        let numbers = Factors {
            gradient: update.gradient_scale as f32,
            decay: match self.decays {
                true => (update.rate * update.weight_decay) as f32,
                false => 0.0,
            },
            rate: (update.rate / correction(BETA1)) as f32,
            scale: (1.0 / correction(BETA2).sqrt()) as f32,
            average: (1.0 - update.average_decay) as f32,
            limit: self.limit,
        };
        let [weights, average, first, second] = &mut buffers.0;
        numbers.apply(&self.gradient, weights, average, first, second);
        no_grad(|| {
            for (tensor, buffer) in tensors.into_iter().zip(&buffers.0) {
                tensor.copy_(&Tensor::from_slice(buffer));
            }
        });
    }
}

/// An update as factors of single numbers.
struct Factors {
    gradient: f32,
    decay: f32,
    rate: f32,
    scale: f32,
    average: f32,
    limit: f32,
}

impl Factors {
    fn apply(
        &self,
        gradient: &[f32],
        weights: &mut [f32],
        average: &mut [f32],
        first: &mut [f32],
        second: &mut [f32],
    ) {
        const NEW1: f32 = (1.0 - BETA1) as f32;
        const NEW2: f32 = (1.0 - BETA2) as f32;
        let length = gradient.len();
        let (weights, average) = (&mut weights[..length], &mut average[..length]);
        let (first, second) = (&mut first[..length], &mut second[..length]);
        for i in 0..length {
            let slope = gradient[i] * self.gradient;
            first[i] += (slope - first[i]) * NEW1;
            second[i] += (slope * slope - second[i]) * NEW2;
            let scale = second[i].sqrt() * self.scale + EPSILON;
            let kept = weights[i] - weights[i] * self.decay;
            let moved = kept - first[i] / scale * self.rate;
            // Not `clamp` or `min`: this is vectorised, and what is no number stays none.
            let moved = if moved > self.limit {
                self.limit
            } else {
                moved
            };
            weights[i] = if moved < -self.limit {
                -self.limit
            } else {
                moved
            };
            average[i] += (weights[i] - average[i]) * self.average;
        }
    }
}
