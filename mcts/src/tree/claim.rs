use garuda_rules::{Color, Move, MoveList, Outcome};

use super::{Node, NodeId, Tree, TreeFull};
use crate::Proof;

/// Nodes whose position is worked out while other threads use the tree.
impl Tree {
    /// Adds a child whose position is not known yet, and whose edges follow by
    /// [`settle`](Tree::settle). It must get a virtual loss before anything else happens to the
    /// tree.
    pub(crate) fn add_claimed(&mut self, parent: NodeId, edge: usize) -> Result<NodeId, TreeFull> {
        let (turn, siblings) = (self.node(parent).turn, self.node(parent).child_count);
        // Whatever a pending leaf turns out to be, its edges have room.
        let pending = self.root().in_flight as usize + 1;
        let slots = self.children.slots_for_next(siblings.into());
        self.reserve(pending * MoveList::new_const().capacity(), slots)?;
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            parent,
            slot: siblings,
            ..Node::new(turn)
        });
        self.add_child(parent, edge, id);
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
