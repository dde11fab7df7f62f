//! Policy improvement with completed values: how a policy changes when some of its moves have
//! been tried.

use arrayvec::ArrayVec;

use crate::numbers::exp;
use crate::tree::{Edge, Node, NodeId, Tree};
use crate::{Proof, Wdl};

/// How much a value weighs against a logit.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ValueScale {
    pub maxvisit_init: f32,
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
    /// The weight of a value when the most visited move has `most_visits`.
    pub(crate) fn weight(self, most_visits: u32) -> f32 {
        (self.maxvisit_init + most_visits as f32) * self.scale
    }
}

/// What the visited moves of a node say together.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Tried {
    pub(crate) most_visits: u32,
    visits: u32,
    /// Sums over the visited moves, by how likely they are: for the side to move.
    prior: f32,
    win: f32,
    loss: f32,
}

fn visited(edge: Edge<'_>) -> Option<&Node> {
    edge.child.filter(|child| child.visits() > 0)
}

impl Tried {
    pub(crate) fn at(tree: &Tree, id: NodeId) -> Tried {
        let turn = tree.node(id).turn();
        let mut tried = Tried {
            most_visits: 0,
            visits: 0,
            prior: 0.0,
            win: 0.0,
            loss: 0.0,
        };
        for edge in tree.edges(id) {
            if let Some(child) = visited(edge) {
                let wdl = child.wdl_for(turn);
                tried.most_visits = tried.most_visits.max(child.visits());
                tried.visits += child.visits();
                tried.prior += edge.prior;
                tried.win += edge.prior * wdl.win;
                tried.loss += edge.prior * wdl.loss;
            }
        }
        tried
    }

    /// The chances that an unvisited move is taken to have: a mixture of what the evaluator said
    /// of the node and what the visited moves say.
    pub(crate) fn mixed(&self, judged: Wdl) -> Wdl {
        if self.visits == 0 {
            return judged;
        }
        let visits = self.visits as f32;
        let mix = |judged: f32, sum: f32| (judged + visits * (sum / self.prior)) / (1.0 + visits);
        let (win, loss) = (mix(judged.win, self.win), mix(judged.loss, self.loss));
        Wdl {
            win,
            draw: (1.0 - win - loss).max(0.0),
            loss,
        }
    }
}

/// The chances of every move of a node for the side to move there: those of the visited ones,
/// and the mixed ones for the others.
pub(crate) fn completed(tree: &Tree, id: NodeId, mixed: Wdl) -> impl ExactSizeIterator<Item = Wdl> {
    let turn = tree.node(id).turn();
    tree.edges(id)
        .map(move |edge| visited(edge).map_or(mixed, |child| child.wdl_for(turn)))
}

/// The edge to follow from a node below the root: the one whose visits lag most behind the
/// improved policy. Moves that are proven to lose are left alone; there is another one, or else
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
    let mut tried: ArrayVec<Visited, 512> = ArrayVec::new();
    let mut untried = (0.0, None);
    let mut untried_mass = 0.0;
    let (mut visits, mut most_visits) = (0, 0);
    let (mut prior, mut value) = (0.0, 0.0);
    for (index, edge) in tree.edges(id).enumerate() {
        if let Some(child) = visited(edge) {
            let q = tree.value_for(child, node.turn());
            visits += child.visits();
            most_visits = most_visits.max(child.visits());
            prior += edge.prior;
            value += edge.prior * q;
            tried.push(Visited {
                edge: index,
                prior: edge.prior,
                value: q,
                visits: child.visits(),
                lost: matches!(child.proof_for(node.turn()), Some(Proof::Loss(_))),
            });
        } else {
            untried_mass += edge.prior;
            if edge.prior > untried.0 {
                untried = (edge.prior, Some(index));
            }
        }
    }
    if let (true, Some(edge)) = (tried.is_empty(), untried.1) {
        return edge;
    }
    let judged = tree.value_of(node.prediction());
    let mixed = (judged + visits as f32 * (value / prior)) / (1.0 + visits as f32);
    let weight = scale.weight(most_visits);
    let greatest = tried.iter().fold(mixed, |max, t| max.max(t.value));
    let raised = |prior: f32, value: f32| prior * exp(weight * (value - greatest));
    let total =
        raised(untried_mass, mixed) + tried.iter().map(|t| raised(t.prior, t.value)).sum::<f32>();
    let lag =
        |t: &Visited| raised(t.prior, t.value) / total - t.visits as f32 / (1.0 + visits as f32);
    let mut best = untried
        .1
        .map(|edge| (raised(untried.0, mixed) / total, edge));
    for t in tried.iter().filter(|t| !t.lost) {
        let lag = lag(t);
        if best.is_none_or(|(most, edge)| lag > most || (lag == most && t.edge < edge)) {
            best = Some((lag, t.edge));
        }
    }
    best.expect("an unproven node has a move that is not lost")
        .1
}
