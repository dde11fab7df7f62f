//! A sparse network made wider without changing what it computes.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tch::{Kind, Tensor, no_grad};

use super::weights::{Weights, uniform};

/// Copies the tensors of a sparse network into those of one whose width is a multiple of its own.
///
/// Every neuron of the trunk becomes several with the same inputs, and what it passed on is divided
/// among them. Were it divided evenly, the copies would learn the same for ever: each of its outputs
/// is divided at random. Equal seeds divide equally. (Chen et al., "Net2Net", 2015.)
pub(crate) fn widen(from: &Weights, to: &Weights, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    no_grad(|| {
        for (index, entry) in to.layout.entries.iter().enumerate() {
            let (source, target) = (&from.tensors[index], &to.tensors[index]);
            let copies = target.size().last().unwrap_or(&1) / source.size().last().unwrap_or(&1);
            let widened = match entry.name.as_str() {
                "rows" | "factorised" | "bias" => Tensor::cat(&vec![source; copies as usize], -1),
                "hidden.weight" | "policy" => {
                    let shares: Vec<_> = (0..copies).map(|_| random(source, &mut rng)).collect();
                    let total: Tensor = shares.iter().sum();
                    let parts: Vec<_> = shares.iter().map(|x| source * x / &total).collect();
                    Tensor::cat(&parts, -1)
                }
                _ => source.shallow_clone(),
            };
            target.shallow_clone().copy_(&widened);
        }
    });
}

/// Positive random numbers in the shape of a tensor.
fn random(like: &Tensor, rng: &mut ChaCha8Rng) -> Tensor {
    let numbers: Vec<f32> = (0..like.numel())
        .map(|_| 0.05 + uniform(rng) as f32)
        .collect();
    Tensor::from_slice(&numbers)
        .view_as(like)
        .to_kind(Kind::Float)
}
