//! Policy improvement with completed values (Danihelka et al., "Policy improvement by planning
//! with Gumbel"): unvisited moves get a mixed value, so that all moves have one.

use arrayvec::ArrayVec;

use crate::Wdl;
use crate::descent::Selection;
use crate::math::exp;
use crate::tree::{ChildStatus, Edge, Node, NodeId, Tree};

/// Weight of values relative to logits: `(maxvisit_init + max visits) · scale`.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ValueScale {
    /// Added to the visits of the most visited move: c_visit of the paper.
    pub maxvisit_init: f32,
    /// Factor of the value: c_scale of the paper.
    pub scale: f32,
}

impl Default for ValueScale {
    fn default() -> Self {
        ValueScale {
            maxvisit_init: 50.0,
            scale: 1.0,
        }
    }
}

impl ValueScale {
    /// The weight of a value where the most visited move has `max_visits`.
    pub(crate) fn weight(self, max_visits: u32) -> f32 {
        (self.maxvisit_init + max_visits as f32) * self.scale
    }
}

/// Sums over the visited moves of a node.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct VisitedChildren {
    pub(crate) max_visits: u32,
    visits: u32,
    /// Sum of the priors, and of the results for the side to move weighted by them.
    prior: f32,
    win: f32,
    loss: f32,
}

fn visited(edge: Edge<'_>) -> Option<&Node> {
    edge.child.filter(|child| child.visits() > 0)
}

impl VisitedChildren {
    pub(crate) fn at(tree: &Tree, id: NodeId) -> VisitedChildren {
        let turn = tree.node(id).turn();
        let mut sums = VisitedChildren {
            max_visits: 0,
            visits: 0,
            prior: 0.0,
            win: 0.0,
            loss: 0.0,
        };
        for child in tree.children(id) {
            let node = tree.node(child.node());
            if node.visits() > 0 {
                let wdl = node.wdl_for(turn);
                sums.max_visits = sums.max_visits.max(node.visits());
                sums.visits += node.visits();
                sums.prior += child.prior();
                sums.win += child.prior() * wdl.win;
                sums.loss += child.prior() * wdl.loss;
            }
        }
        sums
    }

    /// The estimate for an unvisited move: a mixture of the evaluator's prediction for the node
    /// and the mean over the visited moves, weighted by their priors.
    pub(crate) fn mixed_value(&self, prediction: Wdl) -> Wdl {
        if self.visits == 0 {
            return prediction;
        }
        let visits = self.visits as f32;
        let mix =
            |predicted: f32, sum: f32| (predicted + visits * (sum / self.prior)) / (1.0 + visits);
        let (win, loss) = (
            mix(prediction.win, self.win),
            mix(prediction.loss, self.loss),
        );
        Wdl {
            win,
            draw: (1.0 - win - loss).max(0.0),
            loss,
        }
    }
}

/// The value of every move of a node for the side to move there: that of a visited one, and the
/// mixed value for the others.
pub(crate) fn completed_values(
    tree: &Tree,
    id: NodeId,
    mixed_value: Wdl,
) -> impl ExactSizeIterator<Item = Wdl> {
    let turn = tree.node(id).turn();
    tree.edges(id)
        .map(move |edge| visited(edge).map_or(mixed_value, |child| child.wdl_for(turn)))
}

/// Selects where to descend from a node below the root: the move whose share of the visits is
/// furthest below the improved policy. Proven losses are skipped; there is another move, or else
/// the node would be proven.
pub(crate) fn select(tree: &Tree, id: NodeId, scale: ValueScale) -> Selection {
    let node = tree.node(id);
    let children = tree.children(id);
    // The likeliest of the unvisited moves.
    let mut unvisited = (node.next_prior(), Selection::NextEdge);
    let (mut visits, mut max_visits) = (0, 0);
    let (mut prior, mut value) = (0.0, 0.0);
    let mut max_value = f32::NEG_INFINITY;
    for (slot, child) in children.iter().enumerate() {
        if child.visits() == 0 {
            if child.prior() >= unvisited.0 {
                unvisited = (child.prior(), Selection::Child(slot));
            }
            continue;
        }
        visits += child.visits();
        max_visits = max_visits.max(child.visits());
        max_value = max_value.max(child.value());
        prior += child.prior();
        value += child.prior() * child.value();
    }
    if visits == 0 {
        return unvisited.1;
    }
    let predicted = tree.value_of(node.prediction());
    let visits = visits as f32;
    let mixed_value = (predicted + visits * (value / prior)) / (1.0 + visits);
    let max_value = max_value.max(mixed_value);
    let weight = scale.weight(max_visits);
    let improved = |prior: f32, value: f32| prior * exp(weight * (value - max_value));
    let mut total = 0.0;
    if unvisited.0 > 0.0 {
        // All priors add up to 1.
        total += improved((1.0 - prior).max(unvisited.0), mixed_value);
    }
    // As long as the longest list of moves.
    let mut policy: ArrayVec<f32, 512> = ArrayVec::new();
    for child in children {
        let improved = match child.visits() {
            0 => 0.0,
            _ => improved(child.prior(), child.value()),
        };
        total += improved;
        policy.push(improved);
    }
    let mut best = f32::NEG_INFINITY;
    let mut selection = None;
    for (slot, (child, improved)) in children.iter().zip(policy).enumerate() {
        if child.visits() == 0 || child.status() == ChildStatus::Lost {
            continue;
        }
        let share = child.visits() as f32 / (1.0 + visits);
        let deficit = improved / total - share;
        if deficit > best {
            best = deficit;
            selection = Some(Selection::Child(slot));
        }
    }
    if unvisited.0 > 0.0 && improved(unvisited.0, mixed_value) / total > best {
        selection = Some(unvisited.1);
    }
    selection.expect("an unproven node has a move that is not a proven loss")
}
