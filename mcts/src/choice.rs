//! Which move a finished search plays, and what it expects to follow.

use std::cmp::Ordering;

use garuda_rules::{Color, Move};

use crate::tree::{Edge, Node, NodeId, Tree};
use crate::{Proof, Wdl};

/// How the best move is told. Proven wins come before and proven losses after all others.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum Choice {
    MostVisits,
    /// The move whose value is high even if luck was on its side.
    #[default]
    LowerBound,
}

/// A move and what should follow.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    pub moves: Vec<Move>,
    /// For the side to move before the line.
    pub wdl: Wdl,
    pub visits: u32,
    pub proof: Option<Proof>,
}

/// How many standard errors a value may be too high by.
const LCB_Z: f32 = 1.96;

/// A move with fewer visits than this share of the most visited one's cannot be best by its
/// lower bound.
const TRIED_SHARE: f32 = 0.1;

/// What a move is compared by, greater is better: first by its class, then by the number.
#[derive(Copy, Clone, PartialEq, PartialOrd, Debug)]
enum Merit {
    Lost(f32),
    Unvisited(f32),
    Hardly(f32),
    Tried(f32),
    Won(f32),
}

fn merit(
    tree: &Tree,
    edge: &Edge<'_>,
    turn: Color,
    most_tried: Option<&Node>,
    choice: Choice,
) -> Merit {
    let Some(child) = edge.child.filter(|child| child.visits() > 0) else {
        return Merit::Unvisited(edge.prior);
    };
    let visits = child.visits() as f32;
    let most = most_tried.map_or(0, Node::visits) as f32;
    match (child.proof_for(turn), choice) {
        (Some(Proof::Win(distance)), _) => Merit::Won(-f32::from(distance)),
        (Some(Proof::Loss(distance)), _) => Merit::Lost(f32::from(distance)),
        (_, Choice::MostVisits) => Merit::Tried(visits),
        // A draw is certain, but nothing is to be gained by certainty alone: it is to be taken
        // by those who think that they stand worse, not by all who are in some doubt.
        (Some(Proof::Draw), Choice::LowerBound) => {
            Merit::Tried(tree.draw_value() - most_tried.map_or(0.0, doubt))
        }
        (None, Choice::LowerBound) if visits < TRIED_SHARE * most => Merit::Hardly(visits),
        (None, Choice::LowerBound) => Merit::Tried(tree.value_for(child, turn) - doubt(child)),
    }
}

/// How much too high the value of a node may be by luck.
fn doubt(node: &Node) -> f32 {
    let (wdl, visits) = (node.wdl(), node.visits() as f32);
    let variance = (wdl.win + wdl.loss - wdl.value().powi(2)).max(0.0);
    LCB_Z * ((variance + 1.0 / visits) / visits).sqrt()
}

/// The edges of a node with their merits, in the order of its moves.
fn merits(tree: &Tree, id: NodeId, choice: Choice) -> impl Iterator<Item = (usize, Merit)> {
    let turn = tree.node(id).turn();
    let most_tried = tree
        .edges(id)
        .filter_map(|edge| edge.child)
        .filter(|child| child.proof().is_none() && child.visits() > 0)
        .max_by_key(|child| child.visits());
    tree.edges(id)
        .map(move |edge| merit(tree, &edge, turn, most_tried, choice))
        .enumerate()
}

fn better_first(a: &(usize, Merit), b: &(usize, Merit)) -> Ordering {
    let by_merit = b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal);
    by_merit.then(a.0.cmp(&b.0))
}

/// The best edge of a node, if it has any.
pub(crate) fn best(tree: &Tree, id: NodeId, choice: Choice) -> Option<usize> {
    let best = merits(tree, id, choice).min_by(better_first)?;
    Some(best.0)
}

/// Visits of the root's most visited move besides the best, not counting moves that are lost.
pub(crate) fn rival_visits(tree: &Tree, choice: Choice) -> u32 {
    let turn = tree.root().turn();
    let best = best(tree, NodeId::ROOT, choice);
    tree.edges(NodeId::ROOT)
        .enumerate()
        .filter(|&(index, _)| Some(index) != best)
        .filter_map(|(_, edge)| edge.child)
        .filter(|child| !matches!(child.proof_for(turn), Some(Proof::Loss(_))))
        .map(Node::visits)
        .max()
        .unwrap_or(0)
}

/// The principal variation: the best moves from the root as far as they were visited.
pub(crate) fn variation(tree: &Tree, choice: Choice) -> impl Iterator<Item = Move> {
    follow(tree, NodeId::ROOT, choice)
}

fn follow(tree: &Tree, from: NodeId, choice: Choice) -> impl Iterator<Item = Move> {
    let mut id = from;
    std::iter::from_fn(move || {
        let edge = best(tree, id, choice)?;
        let mv = tree.moves(id)[edge];
        id = tree
            .child(id, edge)
            .filter(|&child| tree.node(child).visits() > 0)?;
        Some(mv)
    })
}

/// The best visited moves of the root, at most `count`, with what should follow.
pub(crate) fn lines(tree: &Tree, choice: Choice, count: usize) -> Vec<Line> {
    let turn = tree.root().turn();
    let mut order: Vec<_> = merits(tree, NodeId::ROOT, choice).collect();
    order.sort_by(better_first);
    order
        .into_iter()
        .filter_map(|(edge, _)| {
            let id = tree.child(NodeId::ROOT, edge)?;
            let child = tree.node(id);
            let mv = tree.moves(NodeId::ROOT)[edge];
            (child.visits() > 0).then(|| Line {
                moves: std::iter::once(mv)
                    .chain(follow(tree, id, choice))
                    .collect(),
                wdl: child.wdl_for(turn),
                visits: child.visits(),
                proof: child.proof_for(turn).map(Proof::delayed),
            })
        })
        .take(count)
        .collect()
}
