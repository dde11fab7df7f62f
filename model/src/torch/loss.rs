use tch::{Kind, Reduction, Tensor};

use super::conv_net::{
    MOVES_LEFT, MOVES_LEFT_UNIT, Output, POLICIES, POLICY, Policies, REPLY, SHORT, SHORTS, SOFT,
    WDL,
};
use super::sparse::SparseInput;
use crate::batch::Inputs;
use crate::{Batch, LossWeights};

/// Stands for minus infinity where a distribution is shorter than the longest one: its weight
/// after softmax is 0, and 0 times it is 0.
const ABSENT: f32 = -1e9;

/// The mean losses of a batch, each over its own head and before its weight.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Losses {
    /// The weighted sum that training makes smaller.
    pub total: f32,
    /// Cross-entropy of the policy; the least it can be is `target_entropy`.
    pub policy: f32,
    pub target_entropy: f32,
    pub soft_policy: f32,
    pub opponent_policy: f32,
    /// Cross-entropy of win, draw and loss.
    pub value: f32,
    /// Share of positions whose likeliest outcome is also the target's.
    pub value_accuracy: f32,
    /// Mean squared errors of the short-term values.
    pub short_term_value: [f32; SHORTS as usize],
    pub moves_left: f32,
}

/// What a network is shown.
#[derive(Debug)]
pub(crate) enum Input {
    /// `[batch, planes, rank, file]`
    Planes(Tensor),
    Sparse(SparseInput),
}

/// A batch as tensors.
#[derive(Debug)]
pub(crate) struct TensorBatch {
    pub(crate) input: Input,
    /// `[batch, POLICIES, moves]`, padded with action 0.
    actions: Tensor,
    /// `[batch, POLICIES, moves]`: 0, or [`ABSENT`] in the padding.
    absent: Tensor,
    /// `[batch, POLICIES, moves]`, 0 in the padding.
    policies: Tensor,
    /// `[batch, 3]`
    wdl: Tensor,
    /// `[batch, SHORTS]`
    short_term_value: Tensor,
    /// `[batch, 1]`, in units of [`MOVES_LEFT_UNIT`].
    moves_left: Tensor,
    /// Weights of the samples, `[batch]`.
    policy_weight: Tensor,
    value_weight: Tensor,
    moves_left_weight: Tensor,
    target_entropy: f32,
}

impl TensorBatch {
    pub(crate) fn new<P>(batch: &Batch<P>) -> TensorBatch {
        let size = batch.size as i64;
        let heads = POLICIES as usize;
        let longest = batch
            .policies
            .iter()
            .map(|(actions, _)| actions.len())
            .max();
        let longest = longest.unwrap_or(0).max(1);
        let mut actions = vec![0_i64; batch.size * heads * longest];
        let mut absent = vec![ABSENT; actions.len()];
        let mut policies = vec![0_f32; actions.len()];
        let mut entropy = 0.0;
        for (i, (row_actions, row_targets)) in batch.policies.iter().enumerate() {
            let weight = batch.values[i / 2].policy_weight;
            // Legal moves serve two heads, the reply's moves one.
            let row_heads = if i % 2 == 0 {
                [POLICY, SOFT].as_slice()
            } else {
                &[REPLY]
            };
            for &head in row_heads {
                let start = (i / 2 * heads + head as usize) * longest;
                let end = start + row_actions.len();
                for (slot, &action) in actions[start..end].iter_mut().zip(row_actions) {
                    *slot = i64::from(action);
                }
                absent[start..end].fill(0.0);
                policies[start..end].copy_from_slice(row_targets);
                match head {
                    SOFT => soften(&mut policies[start..end]),
                    POLICY => entropy += weight * entropy_of(row_targets),
                    _ => {}
                }
            }
        }
        let per_sample = |f: &dyn Fn(&crate::batch::Values) -> f32| {
            Tensor::from_slice(&batch.values.iter().map(f).collect::<Vec<_>>())
        };
        let wdl: Vec<f32> = batch.values.iter().flat_map(|v| v.wdl).collect();
        let short_term_value: Vec<f32> = batch
            .values
            .iter()
            .flat_map(|v| v.short_term_value)
            .collect();
        let shape = [size, POLICIES, longest as i64];
        TensorBatch {
            input: match &batch.inputs {
                Inputs::Planes { encoding, planes } => {
                    Input::Planes(Tensor::from_slice(planes).view([
                        size,
                        encoding.planes.len() as i64,
                        i64::from(encoding.board.ranks),
                        i64::from(encoding.board.files),
                    ]))
                }
                Inputs::Sparse { samples, .. } => {
                    Input::Sparse(SparseInput::new(samples[..batch.size].iter(), longest))
                }
            },
            actions: Tensor::from_slice(&actions).view(shape),
            absent: Tensor::from_slice(&absent).view(shape),
            policies: Tensor::from_slice(&policies).view(shape),
            wdl: Tensor::from_slice(&wdl).view([size, 3]),
            short_term_value: Tensor::from_slice(&short_term_value).view([size, SHORTS]),
            moves_left: per_sample(&|v| v.moves_left.unwrap_or(0.0) / MOVES_LEFT_UNIT as f32)
                .view([size, 1]),
            policy_weight: per_sample(&|v| v.policy_weight),
            value_weight: per_sample(&|v| v.value_weight),
            moves_left_weight: per_sample(&|v| {
                if v.moves_left.is_some() {
                    v.value_weight
                } else {
                    0.0
                }
            }),
            target_entropy: entropy / batch.size as f32,
        }
    }

    /// The loss to make smaller, a scalar, and its parts.
    pub(crate) fn loss(&self, output: &Output, weights: &LossWeights) -> (Tensor, Parts) {
        let policies = match &output.policies {
            Policies::Actions(logits) => self.policy_losses(logits),
            Policies::Legal(logits) => self.legal_policy_losses(logits),
        };
        let wdl = output.scalars.narrow(1, WDL, 3);
        let value = -(wdl.log_softmax(1, Kind::Float) * &self.wdl).sum_dim_intlist(1, false, None);
        let value = mean(&value, &self.value_weight);
        let short_term_value = output.scalars.narrow(1, SHORT, SHORTS).tanh();
        let short_term_value =
            (short_term_value - &self.short_term_value).square() * self.value_weight.unsqueeze(1);
        let short_term_value = short_term_value.mean_dim(0, false, None::<Kind>);
        let moves_left = output.scalars.narrow(1, MOVES_LEFT, 1);
        let moves_left = moves_left.huber_loss(&self.moves_left, Reduction::None, 1.0);
        let moves_left = mean(&moves_left.squeeze_dim(1), &self.moves_left_weight);
        let policy_weights =
            [weights.policy, weights.soft_policy, weights.opponent_policy].map(|w| w as f32);
        let total = (&policies * Tensor::from_slice(&policy_weights)).sum(None::<Kind>)
            + &value * weights.value
            + short_term_value.sum(None::<Kind>) * weights.short_term_value
            + &moves_left * weights.moves_left;
        let right = wdl.argmax(1, false).eq_tensor(&self.wdl.argmax(1, false));
        let accuracy = right.to_kind(Kind::Float).mean(None::<Kind>);
        let parts = [&total, &value, &accuracy, &moves_left].map(|part| part.detach().view([1]));
        let [total_part, value, accuracy, moves_left] = parts;
        let parts = Tensor::cat(
            &[
                total_part,
                policies.detach(),
                value,
                accuracy,
                short_term_value.detach(),
                moves_left,
            ],
            0,
        );
        (
            total,
            Parts {
                parts,
                target_entropy: self.target_entropy,
            },
        )
    }

    /// Mean cross-entropies `[POLICIES]`, each over its legal actions.
    fn policy_losses(&self, logits: &Tensor) -> Tensor {
        let logits = logits.gather(2, &self.actions, false) + &self.absent;
        let log_probabilities = logits.log_softmax(2, Kind::Float);
        let cross_entropies = -(log_probabilities * &self.policies).sum_dim_intlist(2, false, None);
        let weighted = cross_entropies * self.policy_weight.unsqueeze(1);
        weighted.mean_dim(0, false, None::<Kind>)
    }

    /// The same for a network with the main policy alone, whose logits are of the legal moves
    /// already: `[batch, moves]`, padded.
    fn legal_policy_losses(&self, logits: &Tensor) -> Tensor {
        let log_probabilities = logits.log_softmax(1, Kind::Float);
        let targets = self.policies.select(1, POLICY);
        let cross_entropies = -(log_probabilities * targets).sum_dim_intlist(1, false, None);
        let policy = mean(&cross_entropies, &self.policy_weight).view([1]);
        let absent = Tensor::zeros([POLICIES - 1], (Kind::Float, logits.device()));
        Tensor::cat(&[policy, absent], 0)
    }
}

/// Losses that have not been read from their tensor yet.
#[derive(Debug)]
pub(crate) struct Parts {
    parts: Tensor,
    target_entropy: f32,
}

impl Parts {
    pub(crate) fn read(&self) -> Losses {
        let mut parts = [0.0; 9];
        let length = parts.len();
        self.parts.copy_data(&mut parts, length);
        let [
            total,
            policy,
            soft_policy,
            opponent_policy,
            value,
            value_accuracy,
            short4,
            short12,
            moves_left,
        ] = parts;
        Losses {
            total,
            policy,
            target_entropy: self.target_entropy,
            soft_policy,
            opponent_policy,
            value,
            value_accuracy,
            short_term_value: [short4, short12],
            moves_left,
        }
    }
}

/// Mean over the batch of weighted losses, both `[batch]`.
fn mean(losses: &Tensor, weights: &Tensor) -> Tensor {
    (losses * weights).mean(None::<Kind>)
}

/// The fourth root of each probability, normalised again.
fn soften(distribution: &mut [f32]) {
    for p in distribution.iter_mut() {
        *p = p.sqrt().sqrt();
    }
    let sum: f32 = distribution.iter().sum();
    if sum > 0.0 {
        for p in distribution {
            *p /= sum;
        }
    }
}

fn entropy_of(distribution: &[f32]) -> f32 {
    let terms = distribution.iter().filter(|p| **p > 0.0);
    -terms.map(|p| p * p.ln()).sum::<f32>()
}
