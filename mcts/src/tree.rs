use std::ops::Range;

use garuda_rules::{Color, Move, Outcome};

use crate::math::softmax;
use crate::{Proof, Wdl};

/// A node of a [`Tree`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    pub(crate) const ROOT: NodeId = NodeId(0);
    const NONE: NodeId = NodeId(u32::MAX);

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node of the search tree. All values are for the side to move at the node.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Node {
    /// Sums of the backed-up results over all visits.
    win: f64,
    loss: f64,
    /// The evaluator's prediction.
    predicted_win: f32,
    predicted_loss: f32,
    visits: u32,
    /// Number of pending leaves at or below this node: its virtual losses.
    in_flight: u32,
    parent: NodeId,
    first_edge: u32,
    edge_count: u16,
    proof: Option<Proof>,
    turn: Color,
}

impl Node {
    pub(crate) fn turn(&self) -> Color {
        self.turn
    }

    pub(crate) fn visits(&self) -> u32 {
        self.visits
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    pub(crate) fn proof(&self) -> Option<Proof> {
        self.proof
    }

    /// The proof from the point of view of `side`.
    pub(crate) fn proof_for(&self, side: Color) -> Option<Proof> {
        if side == self.turn {
            self.proof
        } else {
            self.proof.map(Proof::reversed)
        }
    }

    /// Whether the node has a value: it was evaluated, or is proven.
    pub(crate) fn is_evaluated(&self) -> bool {
        self.visits > 0 || self.proof.is_some()
    }

    /// The evaluator's prediction, without search.
    pub(crate) fn prediction(&self) -> Wdl {
        Wdl {
            win: self.predicted_win,
            draw: 1.0 - self.predicted_win - self.predicted_loss,
            loss: self.predicted_loss,
        }
    }

    /// The proven result, or else the mean over all visits. The node must have a value.
    pub(crate) fn wdl(&self) -> Wdl {
        if let Some(proof) = self.proof {
            return proof.wdl();
        }
        let visits = f64::from(self.visits);
        let (win, loss) = (self.win / visits, self.loss / visits);
        Wdl {
            win: win as f32,
            draw: (1.0 - win - loss).max(0.0) as f32,
            loss: loss as f32,
        }
    }

    pub(crate) fn wdl_for(&self, side: Color) -> Wdl {
        if side == self.turn {
            self.wdl()
        } else {
            self.wdl().reversed()
        }
    }

    fn add(&mut self, wdl: Wdl) {
        self.visits += 1;
        self.win += f64::from(wdl.win);
        self.loss += f64::from(wdl.loss);
    }
}

/// One move out of a node.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Edge<'a> {
    pub(crate) mv: Move,
    pub(crate) prior: f32,
    /// The node it leads to, if there is one in the tree.
    pub(crate) child: Option<&'a Node>,
}

/// The nodes of a search in one arena. The edges of a node are contiguous and in the order of its
/// legal moves. A child has a higher index than its parent. Memory is kept when the tree is
/// cleared.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    moves: Vec<Move>,
    /// The prior of each edge, never zero.
    priors: Vec<f32>,
    children: Vec<NodeId>,
    /// Scratch space for [`reroot`](Tree::reroot): the new id of each node.
    new_ids: Vec<NodeId>,
    /// Memory limit in bytes.
    limit: usize,
    /// Value of a draw for either side.
    draw_value: f32,
}

/// The tree has reached its memory limit, or no more memory can be allocated.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct TreeFull;

const NODE_BYTES: usize = size_of::<Node>() + size_of::<NodeId>();
const EDGE_BYTES: usize = size_of::<Move>() + size_of::<f32>() + size_of::<NodeId>();

impl Tree {
    /// A tree of at most `limit` bytes, but at least enough for any root.
    pub(crate) fn new(limit: usize) -> Tree {
        Tree {
            nodes: Vec::new(),
            moves: Vec::new(),
            priors: Vec::new(),
            children: Vec::new(),
            new_ids: Vec::new(),
            limit: limit.max(bytes(64, 512)),
            draw_value: 0.0,
        }
    }

    /// Sets the value of a draw for either side, from −1 (a loss) to 1 (a win).
    pub(crate) fn set_draw_value(&mut self, value: f32) {
        self.draw_value = value;
    }

    pub(crate) fn draw_value(&self) -> f32 {
        self.draw_value
    }

    /// The value of `wdl`, from −1 to 1, for the side it belongs to.
    pub(crate) fn value_of(&self, wdl: Wdl) -> f32 {
        wdl.value() + self.draw_value * wdl.draw
    }

    /// The value of a node for `side`, from −1 to 1. The node must have a value.
    pub(crate) fn value_for(&self, node: &Node, side: Color) -> f32 {
        let (value, draw) = match node.proof {
            Some(proof) => (proof.wdl().value(), proof.wdl().draw),
            None => {
                let visits = f64::from(node.visits);
                let decided = (node.win + node.loss) / visits;
                let value = (node.win - node.loss) / visits;
                (value as f32, (1.0 - decided) as f32)
            }
        };
        let value = if side == node.turn { value } else { -value };
        value + self.draw_value * draw
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.moves.clear();
        self.priors.clear();
        self.children.clear();
    }

    /// Memory allocated in bytes.
    pub(crate) fn bytes(&self) -> usize {
        bytes(self.nodes.capacity(), self.moves.capacity())
    }

    /// Share of the memory limit in use, from 0 to 1.
    pub(crate) fn hashfull(&self) -> f64 {
        bytes(self.nodes.len(), self.moves.len()) as f64 / self.limit as f64
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn root(&self) -> &Node {
        self.node(NodeId::ROOT)
    }

    fn edge_range(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        let first = node.first_edge as usize;
        first..first + usize::from(node.edge_count)
    }

    pub(crate) fn moves(&self, id: NodeId) -> &[Move] {
        &self.moves[self.edge_range(id)]
    }

    pub(crate) fn priors(&self, id: NodeId) -> &[f32] {
        &self.priors[self.edge_range(id)]
    }

    /// The child behind an edge, if it is in the tree.
    pub(crate) fn child(&self, id: NodeId, edge: usize) -> Option<NodeId> {
        let child = self.children[self.edge_range(id)][edge];
        (child != NodeId::NONE).then_some(child)
    }

    pub(crate) fn edges(&self, id: NodeId) -> impl ExactSizeIterator<Item = Edge<'_>> {
        let range = self.edge_range(id);
        let moves = &self.moves[range.clone()];
        let priors = &self.priors[range.clone()];
        let children = &self.children[range];
        moves
            .iter()
            .zip(priors)
            .zip(children)
            .map(|((&mv, &prior), &child)| Edge {
                mv,
                prior,
                child: self.nodes.get(child.index()),
            })
    }

    /// Adds a node: the root of an empty tree, or the child behind an edge (parent and index).
    /// `outcome` is that of a finished game.
    pub(crate) fn add(
        &mut self,
        parent_edge: Option<(NodeId, usize)>,
        turn: Color,
        legal: &[Move],
        outcome: Option<Outcome>,
    ) -> Result<NodeId, TreeFull> {
        debug_assert!(outcome.is_some() || !legal.is_empty());
        let legal = if outcome.is_some() { &[] } else { legal };
        self.reserve(legal.len())?;
        let id = NodeId(self.nodes.len() as u32);
        let first_edge = self.moves.len();
        self.nodes.push(Node {
            win: 0.0,
            loss: 0.0,
            predicted_win: 0.0,
            predicted_loss: 0.0,
            visits: 0,
            in_flight: 0,
            parent: parent_edge.map_or(NodeId::NONE, |(parent, _)| parent),
            first_edge: first_edge as u32,
            edge_count: legal.len() as u16,
            proof: outcome.map(|outcome| match outcome.winner {
                None => Proof::Draw,
                Some(winner) if winner == turn => Proof::Win(0),
                Some(_) => Proof::Loss(0),
            }),
            turn,
        });
        self.moves.extend_from_slice(legal);
        let uniform = 1.0 / legal.len() as f32;
        self.priors.resize(first_edge + legal.len(), uniform);
        self.children.resize(first_edge + legal.len(), NodeId::NONE);
        if let Some((parent, edge)) = parent_edge {
            let range = self.edge_range(parent);
            self.children[range][edge] = id;
        }
        Ok(id)
    }

    fn reserve(&mut self, edges: usize) -> Result<(), TreeFull> {
        let (nodes, edges) = (self.nodes.len() + 1, self.moves.len() + edges);
        if edges >= u32::MAX as usize {
            return Err(TreeFull);
        }
        if nodes <= self.nodes.capacity() && edges <= self.moves.capacity() {
            return Ok(());
        }
        let grown = |needed, capacity: usize| {
            if needed <= capacity {
                capacity
            } else {
                (2 * capacity).max(needed).max(64)
            }
        };
        let mut wanted_nodes = grown(nodes, self.nodes.capacity());
        let mut wanted_edges = grown(edges, self.moves.capacity());
        if bytes(wanted_nodes, wanted_edges) > self.limit {
            // The last growth: nodes and edges share the limit in their present ratio.
            let bytes_per_node = bytes(nodes, edges) / nodes;
            wanted_nodes = (self.limit / bytes_per_node).max(self.nodes.capacity());
            wanted_edges = self.limit.saturating_sub(bytes(wanted_nodes, 0)) / EDGE_BYTES;
            if wanted_nodes < nodes || wanted_edges < edges {
                return Err(TreeFull);
            }
        }
        // The lists that are checked above, nodes and moves, grow after those of the same length:
        // where one allocation fails, the check still holds for all.
        try_grow(&mut self.new_ids, wanted_nodes)?;
        try_grow(&mut self.nodes, wanted_nodes)?;
        try_grow(&mut self.priors, wanted_edges)?;
        try_grow(&mut self.children, wanted_edges)?;
        try_grow(&mut self.moves, wanted_edges)
    }

    /// Sets the priors of a leaf and backs up its evaluation as its first visit.
    pub(crate) fn expand(&mut self, id: NodeId, wdl: Wdl, logits: &[f32]) {
        let range = self.edge_range(id);
        softmax(logits, &mut self.priors[range]);
        let node = &mut self.nodes[id.index()];
        node.predicted_win = wdl.win;
        node.predicted_loss = wdl.loss;
        self.backup(id, wdl);
    }

    /// Backs up another visit of a proven node.
    pub(crate) fn backup_proven(&mut self, id: NodeId) {
        let proof = self
            .node(id)
            .proof
            .expect("the caller descended to a proven node");
        self.backup(id, proof.wdl());
    }

    /// Adds a result, for the side to move at `id`, to all nodes from there to the root, and
    /// propagates proofs on the way.
    fn backup(&mut self, id: NodeId, wdl: Wdl) {
        let (mut id, mut wdl) = (id, wdl);
        let mut side = self.node(id).turn;
        self.nodes[id.index()].add(wdl);
        loop {
            let parent = self.node(id).parent;
            if parent == NodeId::NONE {
                return;
            }
            if self.node(parent).proof.is_none() {
                self.nodes[parent.index()].proof = self.proof_by_child(parent, id);
            }
            let node = &mut self.nodes[parent.index()];
            if let Some(proof) = node.proof {
                wdl = proof.wdl();
            } else if node.turn != side {
                wdl = wdl.reversed();
            }
            side = node.turn;
            node.add(wdl);
            id = parent;
        }
    }

    /// The proof of an unproven node that follows from its children, of which `child` may have
    /// been proven just now.
    fn proof_by_child(&self, id: NodeId, child: NodeId) -> Option<Proof> {
        let turn = self.node(id).turn;
        let proof = self.node(child).proof_for(turn)?;
        if matches!(proof, Proof::Win(_)) {
            return Some(proof.one_ply_longer());
        }
        let children = &self.children[self.edge_range(id)];
        children
            .iter()
            .map(|child| self.nodes.get(child.index())?.proof_for(turn))
            .try_fold(Proof::Loss(0), |best, proof| Some(best.max(proof?)))
            .map(Proof::one_ply_longer)
    }

    /// Adds a virtual loss to a leaf and its ancestors while the leaf is pending.
    pub(crate) fn add_virtual_loss(&mut self, id: NodeId) {
        self.for_path_to_root(id, |node| node.in_flight += 1);
    }

    /// Undoes [`add_virtual_loss`](Tree::add_virtual_loss).
    pub(crate) fn remove_virtual_loss(&mut self, id: NodeId) {
        self.for_path_to_root(id, |node| node.in_flight -= 1);
    }

    fn for_path_to_root(&mut self, id: NodeId, f: impl Fn(&mut Node)) {
        let mut id = id;
        while id != NodeId::NONE {
            let node = &mut self.nodes[id.index()];
            f(node);
            id = node.parent;
        }
    }

    /// Makes a node the root and drops everything that is not below it.
    pub(crate) fn reroot(&mut self, root: NodeId) {
        // Children have higher indices than their parents, so that one pass finds the subtree and
        // another can move it down in place.
        self.new_ids.clear();
        self.new_ids.resize(self.nodes.len(), NodeId::NONE);
        self.new_ids[root.index()] = NodeId::ROOT;
        let mut count = 1;
        for index in root.index() + 1..self.nodes.len() {
            let parent = self.nodes[index].parent;
            if self.new_ids[parent.index()] != NodeId::NONE {
                self.new_ids[index] = NodeId(count);
                count += 1;
            }
        }
        let mut first_edge = 0;
        for index in root.index()..self.nodes.len() {
            let target = self.new_ids[index];
            if target == NodeId::NONE {
                continue;
            }
            let range = self.edge_range(NodeId(index as u32));
            for child in &mut self.children[range.clone()] {
                if *child != NodeId::NONE {
                    *child = self.new_ids[child.index()];
                }
            }
            self.moves.copy_within(range.clone(), first_edge);
            self.priors.copy_within(range.clone(), first_edge);
            self.children.copy_within(range.clone(), first_edge);
            let node = &mut self.nodes[index];
            node.first_edge = first_edge as u32;
            node.parent = match node.parent {
                NodeId::NONE => NodeId::NONE,
                parent => self.new_ids[parent.index()],
            };
            first_edge += range.len();
            self.nodes.swap(index, target.index());
        }
        self.nodes[0].parent = NodeId::NONE;
        self.nodes.truncate(count as usize);
        self.moves.truncate(first_edge);
        self.priors.truncate(first_edge);
        self.children.truncate(first_edge);
        self.new_ids.clear();
    }
}

/// Grows a list to this capacity.
fn try_grow<T>(list: &mut Vec<T>, capacity: usize) -> Result<(), TreeFull> {
    let additional = capacity - list.len();
    list.try_reserve_exact(additional).map_err(|_| TreeFull)
}

fn bytes(nodes: usize, edges: usize) -> usize {
    nodes * NODE_BYTES + edges * EDGE_BYTES
}

#[cfg(test)]
mod tests;
