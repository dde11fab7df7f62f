use garuda_rules::{Color, Move, MoveList, Outcome};

use super::{Node, NodeId, Tree, TreeFull};
use crate::Proof;

/// Descents of a search whose leaves other threads examine.
impl Tree {
    /// Begins a descent at the root, with a virtual loss.
    pub(crate) fn enter_root(&mut self) {
        self.nodes[NodeId::ROOT.index()].in_flight += 1;
    }

    /// Descends to the child in a slot, with a virtual loss. Returns its node.
    pub(crate) fn enter_child(&mut self, id: NodeId, slot: usize) -> NodeId {
        let slot = self.node(id).first_child as usize + slot;
        let child = &mut self.children.slots[slot];
        // Its value is exact again when the leaf is backed up.
        let visits = child.visits as f32;
        child.value = (visits * child.value - 1.0) / (visits + 1.0);
        child.visits += 1;
        self.nodes[child.node.index()].in_flight += 1;
        child.node
    }

    /// Adds the next child, with a virtual loss. Its position is not known yet, and its edges follow
    /// by [`settle`](Tree::settle).
    pub(crate) fn add_claimed(&mut self, parent: NodeId) -> Result<NodeId, TreeFull> {
        let (turn, siblings) = (self.node(parent).turn, self.node(parent).child_count);
        // Whatever a pending leaf turns out to be, its edges have room.
        let pending = self.root().in_flight as usize;
        let slots = self.children.slots_for_next(siblings.into());
        self.reserve(pending * MoveList::new_const().capacity(), slots)?;
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            parent,
            slot: siblings,
            in_flight: 1,
            ..Node::new(turn)
        });
        self.add_child(parent, siblings.into(), id);
        self.order_edges(parent);
        Ok(id)
    }

    /// Sets what is found at a claimed node. A node that has edges already, like the root, remains
    /// as it is.
    pub(crate) fn settle(
        &mut self,
        id: NodeId,
        turn: Color,
        legal: &[Move],
        outcome: Option<Outcome>,
    ) {
        let first_edge = self.moves.len();
        let node = &mut self.nodes[id.index()];
        if node.edge_count > 0 || node.proof.is_some() {
            return;
        }
        node.turn = turn;
        node.proof = outcome.map(|outcome| Proof::of_outcome(outcome, turn));
        if node.proof.is_some() {
            return;
        }
        node.first_edge = first_edge as u32;
        node.edge_count = legal.len() as u16;
        self.moves.extend_from_slice(legal);
        let uniform = 1.0 / legal.len() as f32;
        self.priors.resize(first_edge + legal.len(), uniform);
    }
}
