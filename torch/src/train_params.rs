use serde::{Deserialize, Serialize};

/// The numbers of training that do not change during a run.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainParams {
    pub loss: LossWeights,
    /// Share of a weight's size that is taken off it each step, times the learning rate.
    pub weight_decay: f64,
    /// Longer gradients are cut to this length.
    pub grad_clip_norm: f64,
    /// Share of the averaged weights that is kept each step.
    pub ema_decay: f64,
}

/// How much each head counts.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LossWeights {
    pub policy: f64,
    pub soft_policy: f64,
    pub opponent_policy: f64,
    pub value: f64,
    pub short_term_value: f64,
    pub moves_left: f64,
}

impl Default for TrainParams {
    fn default() -> Self {
        TrainParams {
            loss: LossWeights::default(),
            weight_decay: 1e-4,
            grad_clip_norm: 1.0,
            ema_decay: 0.999,
        }
    }
}

impl Default for LossWeights {
    fn default() -> Self {
        LossWeights {
            policy: 1.0,
            soft_policy: 2.0,
            opponent_policy: 0.15,
            value: 1.0,
            short_term_value: 0.3,
            moves_left: 0.05,
        }
    }
}

/// The learning rate over a run: a linear warm-up to `base`, and drops.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Schedule {
    pub base: f64,
    /// Steps until the rate is at its base.
    pub warmup: u64,
    /// Each multiplies the rate from its step on.
    pub drops: Vec<LrDrop>,
}

#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LrDrop {
    pub step: u64,
    pub factor: f64,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule {
            base: 1e-3,
            warmup: 500,
            drops: Vec::new(),
        }
    }
}

impl Schedule {
    /// The rate of the update that follows `step` updates.
    pub fn at(&self, step: u64) -> f64 {
        let warm = ((step + 1) as f64 / self.warmup.max(1) as f64).min(1.0);
        let drops = self.drops.iter().filter(|drop| step >= drop.step);
        self.base * warm * drops.map(|drop| drop.factor).product::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_stays_and_drops() {
        let schedule = Schedule {
            base: 1e-3,
            warmup: 10,
            drops: vec![
                LrDrop {
                    step: 100,
                    factor: 0.1,
                },
                LrDrop {
                    step: 200,
                    factor: 0.5,
                },
            ],
        };
        let close = |step, rate: f64| assert!((schedule.at(step) / rate - 1.0).abs() < 1e-9);
        close(0, 1e-4);
        close(4, 5e-4);
        close(9, 1e-3);
        close(99, 1e-3);
        close(100, 1e-4);
        close(1000, 5e-5);
    }
}
