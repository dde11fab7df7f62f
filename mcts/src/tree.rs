use std::ops::Deref;

use garuda_rules::{Color, Move, MoveList, Outcome};

use crate::Wdl;
use crate::math::softmax_at;

mod backup;
mod cell;
mod children;
mod lock;
mod node;
mod nodes;
mod reroot;
mod room;
mod size;

pub(crate) use children::{Child, ChildStatus, UnusedBlocks};
use lock::NodeGuard;
pub(crate) use lock::{Access, Exclusive, Shared};
pub(crate) use node::Node;
pub use node::NodeId;
pub(crate) use nodes::Nodes;
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
/// has to be known: it is the first edge without a child ([`order_edges`](Nodes::order_edges)), and a
/// selection looks at the children and at one number for all other edges.
///
/// The owner of the tree can change it, and make room. Several threads can share the [`Nodes`], for
/// which room was made before ([`make_room`](Tree::make_room)).
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Nodes,
    unused: UnusedBlocks,
    /// The moves of the root, in the order of its edges.
    root_moves: MoveList,
    /// Scratch space for [`expand`](Tree::expand).
    priors: Vec<f32>,
    /// Scratch space for [`reroot`](Tree::reroot): the new id of each node, and nodes in the order of
    /// what they have.
    new_ids: Vec<NodeId>,
    order: Vec<NodeId>,
    /// Memory limit in bytes.
    limit: usize,
    /// Logits are divided by this before they become priors.
    policy_temperature: f32,
}

/// The tree has reached its memory limit, or no more memory can be allocated; for threads that share
/// it, the room that was made is used up.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct TreeFull;

impl Tree {
    /// Sets the value of a draw for either side, from −1 (a loss) to 1 (a win).
    pub(crate) fn set_draw_value(&mut self, value: f32) {
        if self.nodes.draw_value != value {
            self.nodes.draw_value = value;
            for node in &self.nodes.nodes[1..self.size().nodes] {
                let parent = self.nodes.node(node.parent.get());
                self.nodes.update_child(parent, node);
            }
        }
    }

    /// Sets what logits are divided by before they become priors, from now on.
    pub(crate) fn set_policy_temperature(&mut self, temperature: f32) {
        self.policy_temperature = temperature;
    }

    /// The legal moves of the root.
    pub(crate) fn root_moves(&self) -> &[Move] {
        &self.root_moves
    }

    fn copy_root_moves(&mut self) {
        self.root_moves.clear();
        self.root_moves.extend(self.nodes.moves(NodeId::ROOT));
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
        let edges = if outcome.is_some() { 0 } else { legal.len() };
        let count = parent_edge.map(|(id, _)| self.nodes.node(id).child_count.get());
        let slots = count.map_or(0, |count| self.unused.slots_for_next(count.into()));
        self.reserve(1, edges, slots)?;
        let Tree { nodes, unused, .. } = self;
        let id = match parent_edge {
            None => nodes.add_root::<Exclusive>(turn)?,
            Some((id, edge)) => {
                let parent = Exclusive::lock(nodes.node(id));
                nodes.add_child(unused, id, &parent, edge, turn)?
            }
        };
        nodes.settle::<Exclusive>(id, turn, legal, outcome)?;
        match parent_edge {
            None => self.copy_root_moves(),
            // What the parent knows of a finished game is that it is finished.
            Some((parent, _)) if outcome.is_some() => {
                nodes.update_child(nodes.node(parent), nodes.node(id));
            }
            Some(_) => {}
        }
        Ok(id)
    }

    /// Sets what is found at a leaf that threads have left with nothing known of it.
    pub(crate) fn settle(
        &mut self,
        id: NodeId,
        turn: Color,
        legal: &[Move],
        outcome: Option<Outcome>,
    ) -> Result<(), TreeFull> {
        self.reserve(0, legal.len(), 0)?;
        self.nodes.settle::<Exclusive>(id, turn, legal, outcome)
    }

    /// Sets the priors of a leaf and backs up its evaluation as its first visit.
    pub(crate) fn expand(&mut self, id: NodeId, wdl: Wdl, logits: &[f32]) {
        self.softmax(logits);
        self.nodes.expand::<Exclusive>(id, wdl, &self.priors, 0);
    }

    /// Like [`expand`](Tree::expand), and [orders](Tree::order_edges) the edges.
    pub(crate) fn expand_in_order(&mut self, id: NodeId, wdl: Wdl, logits: &[f32]) {
        self.softmax(logits);
        let nodes = &self.nodes;
        nodes.expand_in_order::<Exclusive>(id, wdl, &mut self.priors, 0);
        if id == NodeId::ROOT {
            self.copy_root_moves();
        }
    }

    fn softmax(&mut self, logits: &[f32]) {
        self.priors.resize(logits.len(), 0.0);
        softmax_at(self.policy_temperature, logits, &mut self.priors);
    }

    /// Moves the likeliest edge without a child to the place after those that have one. The node's
    /// children must have been added in the order of its edges.
    pub(crate) fn order_edges(&mut self, id: NodeId) {
        let nodes = &self.nodes;
        nodes.order_edges(&Exclusive::lock(nodes.node(id)));
        if id == NodeId::ROOT {
            self.copy_root_moves();
        }
    }

    /// Backs up another visit of a proven node.
    pub(crate) fn backup_proven(&mut self, id: NodeId) {
        self.nodes.backup_proven::<Exclusive>(id, 0);
    }

    /// Adds a virtual loss to a leaf and its ancestors while the leaf is pending.
    pub(crate) fn add_virtual_loss(&mut self, id: NodeId) {
        self.nodes.add_virtual_loss::<Exclusive>(id);
    }

    /// Undoes [`add_virtual_loss`](Tree::add_virtual_loss).
    pub(crate) fn remove_virtual_loss(&mut self, id: NodeId) {
        self.nodes.remove_virtual_loss::<Exclusive>(id);
    }
}

impl Deref for Tree {
    type Target = Nodes;

    #[inline]
    fn deref(&self) -> &Nodes {
        &self.nodes
    }
}

#[cfg(test)]
mod tests;
