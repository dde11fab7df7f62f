//! Final move selection and principal variations.

use std::cmp::Ordering;

use garuda_rules::{Color, Move};

use crate::tree::{Edge, Node, NodeId, Tree};
use crate::{Proof, Wdl};

/// How the move to play is selected. Proven wins rank above, proven losses below all others.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum MoveSelection {
    /// The move with the most visits.
    MostVisits,
    /// The move with the highest lower confidence bound of its value.
    #[default]
    Lcb,
}

/// A move of the root with its principal variation.
#[derive(Clone, PartialEq, Debug)]
pub struct PvLine {
    /// The move, and what should follow.
    pub moves: Vec<Move>,
    /// For the side to move at the root.
    pub wdl: Wdl,
    /// Visits of the move.
    pub visits: u32,
    /// Its result with best play, where the search could prove it.
    pub proof: Option<Proof>,
}

/// Number of standard errors between a value and its lower confidence bound.
const LCB_Z: f32 = 1.96;

/// A move with fewer visits than this share of the most visited move's is not ranked by its
/// lower confidence bound.
const LCB_MIN_VISIT_SHARE: f32 = 0.1;

/// Order of moves, greater is better: first by class, then by the number.
#[derive(Copy, Clone, PartialEq, PartialOrd, Debug)]
enum MoveRank {
    Lost(f32),
    Unvisited(f32),
    FewVisits(f32),
    Visited(f32),
    Won(f32),
}

fn rank(
    tree: &Tree,
    edge: &Edge<'_>,
    turn: Color,
    most_visited: Option<&Node>,
    selection: MoveSelection,
) -> MoveRank {
    let Some(child) = edge.child.filter(|child| child.visits() > 0) else {
        return MoveRank::Unvisited(edge.prior);
    };
    let visits = child.visits() as f32;
    let most = most_visited.map_or(0, Node::visits) as f32;
    match (child.proof_for(turn), selection) {
        (Some(Proof::Win(distance)), _) => MoveRank::Won(-f32::from(distance)),
        (Some(Proof::Loss(distance)), _) => MoveRank::Lost(f32::from(distance)),
        (_, MoveSelection::MostVisits) => MoveRank::Visited(visits),
        // A proven draw has no uncertainty. It gets the margin of the most visited move, so that
        // it is preferred only to moves of lower value and not for its certainty alone.
        (Some(Proof::Draw), MoveSelection::Lcb) => {
            MoveRank::Visited(tree.draw_value() - most_visited.map_or(0.0, lcb_margin))
        }
        (None, MoveSelection::Lcb) if visits < LCB_MIN_VISIT_SHARE * most => {
            MoveRank::FewVisits(visits)
        }
        (None, MoveSelection::Lcb) => {
            MoveRank::Visited(tree.value_for(child, turn) - lcb_margin(child))
        }
    }
}

/// Distance between the value of a node and its lower confidence bound.
fn lcb_margin(node: &Node) -> f32 {
    let (wdl, visits) = (node.wdl(), node.visits() as f32);
    let variance = (wdl.win + wdl.loss - wdl.value().powi(2)).max(0.0);
    LCB_Z * ((variance + 1.0 / visits) / visits).sqrt()
}

/// The edges of a node with their ranks, in the order of its moves.
fn ranks(
    tree: &Tree,
    id: NodeId,
    selection: MoveSelection,
) -> impl Iterator<Item = (usize, MoveRank)> {
    let turn = tree.node(id).turn();
    let most_visited = tree
        .edges(id)
        .filter_map(|edge| edge.child)
        .filter(|child| child.proof().is_none() && child.visits() > 0)
        .max_by_key(|child| child.visits());
    tree.edges(id)
        .map(move |edge| rank(tree, &edge, turn, most_visited, selection))
        .enumerate()
}

fn best_first(a: &(usize, MoveRank), b: &(usize, MoveRank)) -> Ordering {
    let by_rank = b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal);
    by_rank.then(a.0.cmp(&b.0))
}

/// The best edge of a node, if it has any.
pub(crate) fn best(tree: &Tree, id: NodeId, selection: MoveSelection) -> Option<usize> {
    let best = ranks(tree, id, selection).min_by(best_first)?;
    Some(best.0)
}

/// Visits of the root's most visited move other than the best, not counting proven losses.
pub(crate) fn runner_up_visits(tree: &Tree, selection: MoveSelection) -> u32 {
    let turn = tree.root().turn();
    let best = best(tree, NodeId::ROOT, selection);
    tree.edges(NodeId::ROOT)
        .enumerate()
        .filter(|&(index, _)| Some(index) != best)
        .filter_map(|(_, edge)| edge.child)
        .filter(|child| !matches!(child.proof_for(turn), Some(Proof::Loss(_))))
        .map(Node::visits)
        .max()
        .unwrap_or(0)
}

/// The best moves from the root as far as they were visited.
pub(crate) fn principal_variation(
    tree: &Tree,
    selection: MoveSelection,
) -> impl Iterator<Item = Move> {
    pv_from(tree, NodeId::ROOT, selection)
}

fn pv_from(tree: &Tree, from: NodeId, selection: MoveSelection) -> impl Iterator<Item = Move> {
    let mut id = from;
    std::iter::from_fn(move || {
        let edge = best(tree, id, selection)?;
        let mv = tree.mv(id, edge);
        id = tree
            .child(id, edge)
            .filter(|&child| tree.node(child).visits() > 0)?;
        Some(mv)
    })
}

/// The best visited moves of the root, at most `count`, with their principal variations.
pub(crate) fn pv_lines(tree: &Tree, selection: MoveSelection, count: usize) -> Vec<PvLine> {
    let turn = tree.root().turn();
    let mut order: Vec<_> = ranks(tree, NodeId::ROOT, selection).collect();
    order.sort_by(best_first);
    order
        .into_iter()
        .filter_map(|(edge, _)| {
            let id = tree.child(NodeId::ROOT, edge)?;
            let child = tree.node(id);
            let mv = tree.mv(NodeId::ROOT, edge);
            (child.visits() > 0).then(|| PvLine {
                moves: std::iter::once(mv)
                    .chain(pv_from(tree, id, selection))
                    .collect(),
                wdl: child.wdl_for(turn),
                visits: child.visits(),
                proof: child.proof_for(turn).map(Proof::one_ply_longer),
            })
        })
        .take(count)
        .collect()
}
