use tch::Tensor;

use super::weights::{Layout, Weights};

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// AdamW whose moments can be saved, on all weights at once.
#[derive(Debug)]
pub(crate) struct AdamW {
    /// Running means of the gradients and of their squares.
    pub(crate) first: Weights,
    pub(crate) second: Weights,
    /// Ones where weights decay.
    decaying: Tensor,
}

impl AdamW {
    pub(crate) fn new(layout: &std::sync::Arc<Layout>) -> AdamW {
        AdamW {
            first: Weights::zeros(layout.clone()),
            second: Weights::zeros(layout.clone()),
            decaying: layout.decay_mask(),
        }
    }

    /// Moves `params` against `gradient`, both `[layout.len()]`. `step` counts updates from 1.
    pub(crate) fn update(
        &mut self,
        params: &mut Tensor,
        gradient: &Tensor,
        step: u64,
        rate: f64,
        weight_decay: f64,
    ) {
        let _ = self.first.flat.lerp_(gradient, 1.0 - BETA1);
        let _ = self.second.flat.lerp_(&gradient.square(), 1.0 - BETA2);
        // The running means start at zero; this makes up for it.
        let correction = |beta: f64| 1.0 - beta.powf(step as f64);
        let mut scale = &self.second.flat / correction(BETA2);
        let scale = scale.sqrt_() + EPSILON;
        let _ = params.addcmul_(&self.decaying, &(&*params * (-rate * weight_decay)));
        *params -= &self.first.flat / scale * (rate / correction(BETA1));
    }
}
