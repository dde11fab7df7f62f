//! Policy improvement with completed values (Danihelka et al., "Policy improvement by planning
//! with Gumbel"): unvisited moves get a mixed value, so that all moves have one.

use arrayvec::ArrayVec;

use crate::math::exp;
use crate::tree::{Edge, Node, NodeId, Tree};
use crate::{Proof, Wdl};

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
        for edge in tree.edges(id) {
            if let Some(child) = visited(edge) {
                let wdl = child.wdl_for(turn);
                sums.max_visits = sums.max_visits.max(child.visits());
                sums.visits += child.visits();
                sums.prior += edge.prior;
                sums.win += edge.prior * wdl.win;
                sums.loss += edge.prior * wdl.loss;
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

/// Selects the edge to descend from a node below the root: the one whose share of the visits is
/// furthest below the improved policy. Proven losses are skipped; there is another move, or else
/// the node would be proven.
pub(crate) fn select(tree: &Tree, id: NodeId, scale: ValueScale) -> usize {
    struct Visited {
        edge: usize,
        prior: f32,
        value: f32,
        visits: u32,
        lost: bool,
    }
    let node = tree.node(id);
    let mut visited_edges: ArrayVec<Visited, 512> = ArrayVec::new();
    let mut unvisited = (0.0, None);
    let mut unvisited_mass = 0.0;
    let (mut visits, mut max_visits) = (0, 0);
    let (mut prior, mut value) = (0.0, 0.0);
    for (index, edge) in tree.edges(id).enumerate() {
        if let Some(child) = visited(edge) {
            let q = tree.value_for(child, node.turn());
            visits += child.visits();
            max_visits = max_visits.max(child.visits());
            prior += edge.prior;
            value += edge.prior * q;
            visited_edges.push(Visited {
                edge: index,
                prior: edge.prior,
                value: q,
                visits: child.visits(),
                lost: matches!(child.proof_for(node.turn()), Some(Proof::Loss(_))),
            });
        } else {
            unvisited_mass += edge.prior;
            if edge.prior > unvisited.0 {
                unvisited = (edge.prior, Some(index));
            }
        }
    }
    if let (true, Some(edge)) = (visited_edges.is_empty(), unvisited.1) {
        return edge;
    }
    let predicted = tree.value_of(node.prediction());
    let mixed_value = (predicted + visits as f32 * (value / prior)) / (1.0 + visits as f32);
    let weight = scale.weight(max_visits);
    let max_value = visited_edges
        .iter()
        .fold(mixed_value, |max, t| max.max(t.value));
    let improved = |prior: f32, value: f32| prior * exp(weight * (value - max_value));
    let total = improved(unvisited_mass, mixed_value)
        + visited_edges
            .iter()
            .map(|t| improved(t.prior, t.value))
            .sum::<f32>();
    let deficit =
        |t: &Visited| improved(t.prior, t.value) / total - t.visits as f32 / (1.0 + visits as f32);
    let mut best = unvisited
        .1
        .map(|edge| (improved(unvisited.0, mixed_value) / total, edge));
    for t in visited_edges.iter().filter(|t| !t.lost) {
        let deficit = deficit(t);
        if best.is_none_or(|(most, edge)| deficit > most || (deficit == most && t.edge < edge)) {
            best = Some((deficit, t.edge));
        }
    }
    best.expect("an unproven node has a move that is not a proven loss")
        .1
}
