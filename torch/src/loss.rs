use std::ops::Range;

use tch::{Kind, Reduction, Tensor};

use super::conv_net::{
    MOVES_LEFT, MOVES_LEFT_UNIT, Output, POLICIES, POLICY, Policies, REPLY, SHORT, SHORTS, SOFT,
    WDL,
};
use super::sparse::{SparseGraph, SparseInput};
use crate::batch::{Inputs, SparseLists, Values};
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

impl Losses {
    /// The losses of a batch from those of its parts and their shares of it.
    pub(crate) fn weighted_sum(parts: &[(Losses, f32)]) -> Losses {
        let sum = |loss: &dyn Fn(&Losses) -> f32| {
            let weighted = parts.iter().map(|(losses, share)| loss(losses) * share);
            weighted.sum::<f32>()
        };
        Losses {
            total: sum(&|l| l.total),
            policy: sum(&|l| l.policy),
            target_entropy: sum(&|l| l.target_entropy),
            soft_policy: sum(&|l| l.soft_policy),
            opponent_policy: sum(&|l| l.opponent_policy),
            value: sum(&|l| l.value),
            value_accuracy: sum(&|l| l.value_accuracy),
            short_term_value: std::array::from_fn(|i| sum(&|l| l.short_term_value[i])),
            moves_left: sum(&|l| l.moves_left),
        }
    }
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
    policies: PolicyTargets,
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

/// The policies that a kind of network is to learn.
#[derive(Debug)]
enum PolicyTargets {
    /// All three.
    Heads {
        /// `[batch, POLICIES, moves]`, padded with action 0.
        actions: Tensor,
        /// `[batch, POLICIES, moves]`: 0, or [`ABSENT`] in the padding.
        absent: Tensor,
        /// `[batch, POLICIES, moves]`, 0 in the padding.
        targets: Tensor,
    },
    /// The main one alone, over the legal moves: `[batch, moves]`, 0 in the padding.
    Legal(Tensor),
}

impl TensorBatch {
    /// The positions of a batch in `range`.
    pub(crate) fn new<P>(batch: &Batch<P>, range: &Range<usize>) -> TensorBatch {
        let size = range.len() as i64;
        let values = &batch.values[range.clone()];
        let mut entropy = 0.0;
        let (input, policies) = match &batch.inputs {
            Inputs::Planes {
                encoding,
                planes,
                policies,
            } => {
                let length = encoding.input_len();
                let planes = &planes[range.start * length..range.end * length];
                let planes = Tensor::from_slice(planes).view([
                    size,
                    encoding.planes.len() as i64,
                    i64::from(encoding.board.ranks),
                    i64::from(encoding.board.files),
                ]);
                let rows = policies.iter().skip(2 * range.start).take(2 * range.len());
                let targets = head_targets(rows, values, &mut entropy);
                (Input::Planes(planes), targets)
            }
            Inputs::Sparse(sparse) => {
                let lists = &sparse.lists;
                let targets = legal_targets(lists, range, values, &mut entropy);
                (Input::Sparse(SparseInput::new(lists, range)), targets)
            }
        };
        let per_sample = |f: &dyn Fn(&Values) -> f32| {
            Tensor::from_slice(&values.iter().map(f).collect::<Vec<_>>())
        };
        let wdl: Vec<f32> = values.iter().flat_map(|v| v.wdl).collect();
        let short_term_value: Vec<f32> = values.iter().flat_map(|v| v.short_term_value).collect();
        TensorBatch {
            input,
            policies,
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
            target_entropy: entropy / range.len() as f32,
        }
    }

    /// The gradients of the loss with respect to all tensors of a sparse network, and the losses.
    ///
    /// Panics if the batch is for another kind of network.
    pub(crate) fn sparse_gradients(
        &self,
        graph: &SparseGraph,
        params: &[Tensor],
        weights: &LossWeights,
    ) -> (Vec<Tensor>, Losses) {
        let Input::Sparse(input) = &self.input else {
            panic!("the batch was made for another kind of network");
        };
        let loss = |output: &Output| self.loss(output, weights);
        let (gradients, parts) = graph.gradients(params, input, loss);
        (gradients, parts.read())
    }

    /// The loss to make smaller, a scalar, and its parts.
    pub(crate) fn loss(&self, output: &Output, weights: &LossWeights) -> (Tensor, Parts) {
        let policies = self.policy_losses(&output.policies);
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

    /// Mean cross-entropies `[POLICIES]`, each over its legal actions; 0 for a policy that the
    /// network does not have.
    fn policy_losses(&self, policies: &Policies) -> Tensor {
        match (policies, &self.policies) {
            (
                Policies::Actions(logits),
                PolicyTargets::Heads {
                    actions,
                    absent,
                    targets,
                },
            ) => {
                let logits = logits.gather(2, actions, false) + absent;
                let cross_entropies = cross_entropies(&logits, targets);
                let weighted = cross_entropies * self.policy_weight.unsqueeze(1);
                weighted.mean_dim(0, false, None::<Kind>)
            }
            (Policies::Legal(logits), PolicyTargets::Legal(targets)) => {
                let policy = mean(&cross_entropies(logits, targets), &self.policy_weight);
                policy.view([1]).constant_pad_nd([0, POLICIES - 1])
            }
            _ => panic!("the batch was made for another kind of network"),
        }
    }
}

/// Cross-entropies of distributions over the last dimension.
fn cross_entropies(logits: &Tensor, targets: &Tensor) -> Tensor {
    -(logits.log_softmax(-1, Kind::Float) * targets).sum_dim_intlist(-1, false, None)
}

/// The targets of all policies, from `rows` of legal moves and the reply's moves in turns. Adds
/// the weighted entropies of the main policy to `entropy`.
fn head_targets<'a>(
    rows: impl Iterator<Item = (&'a [u16], &'a [f32])> + Clone,
    values: &[Values],
    entropy: &mut f32,
) -> PolicyTargets {
    let heads = POLICIES as usize;
    let longest = rows.clone().map(|(actions, _)| actions.len()).max();
    let longest = longest.unwrap_or(0).max(1);
    let mut actions = vec![0_i64; values.len() * heads * longest];
    let mut absent = vec![ABSENT; actions.len()];
    let mut targets = vec![0_f32; actions.len()];
    for (i, (row_actions, row_targets)) in rows.enumerate() {
        let weight = values[i / 2].policy_weight;
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
            targets[start..end].copy_from_slice(row_targets);
            match head {
                SOFT => soften(&mut targets[start..end]),
                POLICY => *entropy += weight * entropy_of(row_targets),
                _ => {}
            }
        }
    }
    let shape = [values.len() as i64, POLICIES, longest as i64];
    PolicyTargets::Heads {
        actions: Tensor::from_slice(&actions).view(shape),
        absent: Tensor::from_slice(&absent).view(shape),
        targets: Tensor::from_slice(&targets).view(shape),
    }
}

/// The targets of the main policy for the positions in `range`. Adds their weighted entropies to
/// `entropy`.
fn legal_targets(
    lists: &SparseLists,
    range: &Range<usize>,
    values: &[Values],
    entropy: &mut f32,
) -> PolicyTargets {
    let longest = lists.longest(range);
    let mut targets = vec![0_f32; values.len() * longest];
    for ((row, index), value) in targets
        .chunks_exact_mut(longest)
        .zip(range.clone())
        .zip(values)
    {
        let policy = lists.policy(index);
        row[..policy.len()].copy_from_slice(policy);
        *entropy += value.policy_weight * entropy_of(policy);
    }
    let shape = [values.len() as i64, longest as i64];
    PolicyTargets::Legal(Tensor::from_slice(&targets).view(shape))
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
