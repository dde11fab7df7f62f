use std::ops::Range;

use arrayvec::ArrayVec;
use garuda_rules::{Color, Move, Outcome};

use crate::math::{greatest, softmax_at};
use crate::{Proof, Wdl};

mod children;
mod claim;
mod node;
mod reroot;
mod size;

use children::Children;
pub(crate) use children::{Child, ChildStatus};
pub(crate) use node::Node;
pub use node::NodeId;
use size::TreeSize;

/// One move out of a node.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Edge<'a> {
    pub(crate) mv: Move,
    pub(crate) prior: f32,
    /// The node it leads to, if there is one in the tree.
    pub(crate) child: Option<&'a Node>,
}

/// The nodes of a search in one arena. A node has an edge for each of its legal moves and a
/// [`Child`] for each edge that was followed; edges and children are contiguous. A child has a
/// higher index than its parent. Memory is kept when the tree is cleared.
///
/// A search follows the edges of a node from the greatest prior to the least. So only the next one
/// has to be known: it is the first edge without a child ([`order_edges`](Tree::order_edges)), and a
/// selection looks at the children and at one number for all other edges.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    moves: Vec<Move>,
    /// The prior of each edge, never zero.
    priors: Vec<f32>,
    children: Children,
    /// Scratch space for [`reroot`](Tree::reroot): the new id of each node, and the nodes with
    /// children.
    new_ids: Vec<NodeId>,
    parents: Vec<NodeId>,
    /// Memory limit in bytes.
    limit: usize,
    /// Value of a draw for either side.
    draw_value: f32,
    /// Logits are divided by this before they become priors.
    policy_temperature: f32,
}

/// The tree has reached its memory limit, or no more memory can be allocated.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct TreeFull;

impl Tree {
    /// A tree of at most `limit` bytes, but at least enough for any root.
    pub(crate) fn new(limit: usize) -> Tree {
        let least = TreeSize {
            nodes: 64,
            edges: 512,
            slots: 64,
        };
        Tree {
            nodes: Vec::new(),
            moves: Vec::new(),
            priors: Vec::new(),
            children: Children::default(),
            new_ids: Vec::new(),
            parents: Vec::new(),
            limit: limit.max(least.bytes()),
            draw_value: 0.0,
            policy_temperature: 1.0,
        }
    }

    /// Sets the value of a draw for either side, from −1 (a loss) to 1 (a win).
    pub(crate) fn set_draw_value(&mut self, value: f32) {
        if self.draw_value != value {
            self.draw_value = value;
            for index in 1..self.nodes.len() {
                self.update_child(NodeId(index as u32));
            }
        }
    }

    /// Sets what logits are divided by before they become priors, from now on.
    pub(crate) fn set_policy_temperature(&mut self, temperature: f32) {
        self.policy_temperature = temperature;
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
                let share = 1.0 / f64::from(node.visits);
                let value = (node.win - node.loss) * share;
                let draw = 1.0 - (node.win + node.loss) * share;
                (value as f32, draw as f32)
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

    fn size(&self) -> TreeSize {
        TreeSize {
            nodes: self.nodes.len(),
            edges: self.moves.len(),
            slots: self.children.slots.len(),
        }
    }

    fn capacity(&self) -> TreeSize {
        TreeSize {
            nodes: self.nodes.capacity(),
            edges: self.moves.capacity(),
            slots: self.children.slots.capacity(),
        }
    }

    /// Memory allocated in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.capacity().bytes()
    }

    /// Share of the memory limit in use, from 0 to 1.
    pub(crate) fn hashfull(&self) -> f64 {
        self.size().bytes() as f64 / self.limit as f64
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

    /// The children of a node, in the order in which they were added.
    #[inline]
    pub(crate) fn children(&self, id: NodeId) -> &[Child] {
        let node = self.node(id);
        let first = node.first_child as usize;
        &self.children.slots[first..first + usize::from(node.child_count)]
    }

    /// The child behind an edge, if it is in the tree.
    pub(crate) fn child(&self, id: NodeId, edge: usize) -> Option<NodeId> {
        let mut children = self.children(id).iter();
        children
            .find(|child| usize::from(child.edge) == edge)
            .map(|child| child.node)
    }

    /// The edges of a node in their order.
    pub(crate) fn edges(&self, id: NodeId) -> impl ExactSizeIterator<Item = Edge<'_>> {
        let range = self.edge_range(id);
        // As long as the longest list of moves.
        let mut nodes: ArrayVec<NodeId, 512> = ArrayVec::new();
        nodes.extend(range.clone().map(|_| NodeId::NONE));
        for child in self.children(id) {
            nodes[usize::from(child.edge)] = child.node;
        }
        let moves = &self.moves[range.clone()];
        moves
            .iter()
            .zip(&self.priors[range])
            .zip(nodes)
            .map(|((&mv, &prior), child)| Edge {
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
        let siblings = parent_edge.map(|(parent, _)| self.node(parent).child_count);
        self.reserve(
            legal.len(),
            siblings.map_or(0, |count| self.children.slots_for_next(count.into())),
        )?;
        let id = NodeId(self.nodes.len() as u32);
        let first_edge = self.moves.len();
        self.nodes.push(Node {
            parent: parent_edge.map_or(NodeId::NONE, |(parent, _)| parent),
            first_edge: first_edge as u32,
            edge_count: legal.len() as u16,
            slot: siblings.unwrap_or(0),
            proof: outcome.map(|outcome| Proof::of_outcome(outcome, turn)),
            ..Node::new(turn)
        });
        self.moves.extend_from_slice(legal);
        let uniform = 1.0 / legal.len() as f32;
        self.priors.resize(first_edge + legal.len(), uniform);
        if let Some((parent, edge)) = parent_edge {
            self.add_child(parent, edge, id);
        }
        Ok(id)
    }

    fn add_child(&mut self, parent: NodeId, edge: usize, id: NodeId) {
        let first_edge = self.node(parent).first_edge as usize;
        let child = Child {
            prior: self.priors[first_edge + edge],
            value: 0.0,
            visits: 0,
            node: id,
            mv: self.moves[first_edge + edge],
            edge: edge as u16,
            status: ChildStatus::Open,
        };
        let parent = &mut self.nodes[parent.index()];
        let count = usize::from(parent.child_count);
        parent.first_child = self.children.push(parent.first_child, count, child);
        parent.child_count += 1;
        self.update_child(id);
    }

    /// Makes room for a node with a number of edges, and for a number of slots.
    fn reserve(&mut self, edges: usize, slots: usize) -> Result<(), TreeFull> {
        let size = self.size();
        let needed = TreeSize {
            nodes: size.nodes + 1,
            edges: size.edges + edges,
            slots: size.slots + slots,
        };
        if needed.edges.max(needed.slots) >= u32::MAX as usize {
            return Err(TreeFull);
        }
        let capacity = self.capacity();
        if needed.fits(capacity) {
            return Ok(());
        }
        let TreeSize {
            nodes,
            edges,
            slots,
        } = needed.grown(capacity, self.limit).ok_or(TreeFull)?;
        // The lists that are checked above grow after those of the same length: where one
        // allocation fails, the check still holds for all.
        try_grow(&mut self.new_ids, nodes)?;
        try_grow(&mut self.parents, nodes)?;
        try_grow(&mut self.nodes, nodes)?;
        try_grow(&mut self.priors, edges)?;
        try_grow(&mut self.moves, edges)?;
        try_grow(&mut self.children.slots, slots)
    }

    /// Sets the priors of a leaf and backs up its evaluation as its first visit.
    pub(crate) fn expand(&mut self, id: NodeId, wdl: Wdl, logits: &[f32]) {
        let range = self.edge_range(id);
        softmax_at(self.policy_temperature, logits, &mut self.priors[range]);
        self.backup_prediction(id, wdl, 0);
    }

    /// Like [`expand`](Tree::expand) for a leaf with a virtual loss, which is taken away, and with
    /// priors that were computed before.
    pub(crate) fn expand_with_priors(&mut self, id: NodeId, wdl: Wdl, priors: &[f32]) {
        let range = self.edge_range(id);
        self.priors[range].copy_from_slice(priors);
        self.backup_prediction(id, wdl, 1);
    }

    fn backup_prediction(&mut self, id: NodeId, wdl: Wdl, virtual_losses: u32) {
        let node = &mut self.nodes[id.index()];
        node.predicted_win = wdl.win;
        node.predicted_loss = wdl.loss;
        self.backup(id, wdl, virtual_losses);
    }

    /// Moves the likeliest edge without a child to the place after those that have one. The node's
    /// children must have been added in the order of its edges.
    pub(crate) fn order_edges(&mut self, id: NodeId) {
        let node = &mut self.nodes[id.index()];
        let first = node.first_edge as usize + usize::from(node.child_count);
        let end = node.first_edge as usize + usize::from(node.edge_count);
        let rest = &mut self.priors[first..end];
        let greatest = greatest(rest);
        node.next_prior = greatest.max(0.0);
        if let Some(place) = rest.iter().position(|&prior| prior == greatest) {
            rest.swap(0, place);
            self.moves.swap(first, first + place);
        }
    }

    /// Backs up another visit of a proven node.
    pub(crate) fn backup_proven(&mut self, id: NodeId) {
        let proof = self
            .node(id)
            .proof
            .expect("the caller descended to a proven node");
        self.backup(id, proof.wdl(), 0);
    }

    /// Adds a result, for the side to move at `id`, to all nodes from there to the root, and
    /// propagates proofs on the way. Takes a number of virtual losses away from these nodes.
    fn backup(&mut self, id: NodeId, wdl: Wdl, virtual_losses: u32) {
        let (mut id, mut wdl) = (id, wdl);
        let mut side = self.node(id).turn;
        let node = &mut self.nodes[id.index()];
        node.in_flight -= virtual_losses;
        node.add(wdl);
        loop {
            let Node { parent, visits, .. } = *self.node(id);
            if parent == NodeId::NONE {
                return;
            }
            let prior = self.update_child(id);
            if self.node(parent).proof.is_none() {
                self.nodes[parent.index()].proof = self.proof_by_child(parent, id);
            }
            let node = &mut self.nodes[parent.index()];
            if visits == 1 {
                node.visited_prior += prior;
            }
            if let Some(proof) = node.proof {
                wdl = proof.wdl();
            } else if node.turn != side {
                wdl = wdl.reversed();
            }
            side = node.turn;
            node.in_flight -= virtual_losses;
            node.add(wdl);
            id = parent;
        }
    }

    /// Brings what the parent of a node knows of it up to date. Returns the node's prior.
    fn update_child(&mut self, id: NodeId) -> f32 {
        let node = self.node(id);
        let parent = self.node(node.parent);
        let turn = parent.turn;
        let slot = parent.first_child as usize + usize::from(node.slot);
        let value = if node.is_evaluated() {
            self.value_for(node, turn)
        } else {
            0.0
        };
        let (visits, in_flight) = (node.visits, node.in_flight);
        let status = match node.proof_for(turn) {
            None => ChildStatus::Open,
            Some(Proof::Loss(_)) => ChildStatus::Lost,
            Some(Proof::Draw) => ChildStatus::Drawn,
            Some(Proof::Win(_)) => ChildStatus::Won,
        };
        let child = &mut self.children.slots[slot];
        child.visits = visits + in_flight;
        child.value = if in_flight == 0 {
            value
        } else {
            (visits as f32 * value - in_flight as f32) / child.visits as f32
        };
        child.status = status;
        child.prior
    }

    /// The proof of an unproven node that follows from its children, of which `child` may have
    /// been proven just now.
    fn proof_by_child(&self, id: NodeId, child: NodeId) -> Option<Proof> {
        let node = self.node(id);
        let turn = node.turn;
        let proof = self.node(child).proof_for(turn)?;
        if matches!(proof, Proof::Win(_)) {
            return Some(proof.one_ply_longer());
        }
        if node.child_count < node.edge_count {
            return None;
        }
        self.children(id)
            .iter()
            .map(|child| self.node(child.node).proof_for(turn))
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
            let parent = node.parent;
            if parent != NodeId::NONE {
                self.update_child(id);
            }
            id = parent;
        }
    }
}

/// Grows a list to this capacity.
fn try_grow<T>(list: &mut Vec<T>, capacity: usize) -> Result<(), TreeFull> {
    let additional = capacity.saturating_sub(list.len());
    list.try_reserve_exact(additional).map_err(|_| TreeFull)
}

#[cfg(test)]
mod tests;
