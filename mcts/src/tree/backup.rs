use super::{Access, ChildStatus, Node, NodeGuard, NodeId, Nodes};
use crate::{Proof, Wdl};

/// Back-ups, and the virtual losses of descents whose results are not known yet.
impl Nodes {
    /// Descends from a node to its child in a slot, with a virtual loss as the node knows it. The
    /// child itself gets its virtual loss when it is locked, which is after the node is let go.
    #[inline]
    pub(crate) fn enter_child<A: Access>(&self, node: &NodeGuard<'_, A>, slot: usize) -> NodeId {
        let child = &self.slots[node.first_child.get() as usize + slot];
        // Its value is exact again when the leaf is backed up.
        let visits = child.visits() as f32;
        child
            .value
            .set((visits * child.value() - 1.0) / (visits + 1.0));
        child.visits.add(1);
        child.node()
    }

    /// Adds a result, for the side to move at `id`, to all nodes from there to the root, and
    /// propagates proofs on the way. Takes a number of virtual losses away from these nodes.
    pub(crate) fn backup<A: Access>(&self, id: NodeId, wdl: Wdl, virtual_losses: u32) {
        let mut wdl = wdl;
        let mut node = A::lock(self.node(id));
        node.in_flight.subtract(virtual_losses);
        node.add(wdl);
        while node.parent.get() != NodeId::NONE {
            let parent = A::lock(self.node(node.parent.get()));
            let prior = self.update_child(&parent, &node);
            if parent.proof().is_none() {
                parent.proof.set(self.proof_by_child(&parent, &node));
            }
            if node.visits() == 1 {
                parent.visited_prior.set(parent.visited_prior() + prior);
            }
            if let Some(proof) = parent.proof() {
                wdl = proof.wdl();
            } else if parent.turn() != node.turn() {
                wdl = wdl.reversed();
            }
            parent.in_flight.subtract(virtual_losses);
            parent.add(wdl);
            // The child is let go only now: what its parent knows of it is never older than what
            // another thread finds there.
            node = parent;
        }
    }

    /// Backs up another visit of a proven node, in place of a number of virtual losses.
    pub(crate) fn backup_proven<A: Access>(&self, id: NodeId, virtual_losses: u32) {
        let proof = self
            .node(id)
            .proof()
            .expect("the caller descended to a proven node");
        self.backup::<A>(id, proof.wdl(), virtual_losses);
    }

    /// Brings what the parent of a node knows of it up to date. Returns the node's prior.
    #[inline]
    pub(super) fn update_child(&self, parent: &Node, node: &Node) -> f32 {
        let turn = parent.turn();
        let slot = parent.first_child.get() as usize + usize::from(node.slot.get());
        let value = if node.is_evaluated() {
            self.value_for(node, turn)
        } else {
            0.0
        };
        let (visits, in_flight) = (node.visits(), node.in_flight());
        let status = match node.proof_for(turn) {
            None => ChildStatus::Open,
            Some(Proof::Loss(_)) => ChildStatus::Lost,
            Some(Proof::Draw) => ChildStatus::Drawn,
            Some(Proof::Win(_)) => ChildStatus::Won,
        };
        let child = &self.slots[slot];
        let all = visits + in_flight;
        child.visits.set(all);
        child.value.set(if in_flight == 0 {
            value
        } else {
            (visits as f32 * value - in_flight as f32) / all as f32
        });
        child.status.set(status);
        child.prior()
    }

    /// The proof of an unproven node that follows from its children, of which `child` may have
    /// been proven just now.
    pub(super) fn proof_by_child(&self, node: &Node, child: &Node) -> Option<Proof> {
        let turn = node.turn();
        let proof = child.proof_for(turn)?;
        if matches!(proof, Proof::Win(_)) {
            return Some(proof.one_ply_longer());
        }
        if node.child_count.get() < node.edge_count.get() {
            return None;
        }
        let children = self.children_of(node).iter();
        // A status is set after the proof it stands for, under the lock of this node.
        children
            .map(|child| match child.status() {
                ChildStatus::Open => None,
                _ => self.node(child.node()).proof_for(turn),
            })
            .try_fold(Proof::Loss(0), |best, proof| Some(best.max(proof?)))
            .map(Proof::one_ply_longer)
    }

    /// Adds a virtual loss to a leaf and its ancestors while the leaf is pending.
    pub(crate) fn add_virtual_loss<A: Access>(&self, id: NodeId) {
        self.for_path_to_root::<A>(id, |node| node.in_flight.add(1));
    }

    /// Undoes [`add_virtual_loss`](Nodes::add_virtual_loss).
    pub(crate) fn remove_virtual_loss<A: Access>(&self, id: NodeId) {
        self.for_path_to_root::<A>(id, |node| node.in_flight.subtract(1));
    }

    fn for_path_to_root<A: Access>(&self, id: NodeId, f: impl Fn(&Node)) {
        let mut node = A::lock(self.node(id));
        f(&node);
        while node.parent.get() != NodeId::NONE {
            let parent = A::lock(self.node(node.parent.get()));
            self.update_child(&parent, &node);
            f(&parent);
            node = parent;
        }
    }
}
