use garuda_rules::Move;

use super::{Child, Node, NodeId};

/// Numbers of nodes, edges and slots for children, in use or allocated.
#[derive(Copy, Clone, Debug)]
pub(super) struct TreeSize {
    pub(super) nodes: usize,
    pub(super) edges: usize,
    pub(super) slots: usize,
}

impl TreeSize {
    /// With the scratch space of [`reroot`](super::Tree::reroot).
    const NODE_BYTES: usize = size_of::<Node>() + 2 * size_of::<NodeId>();
    const EDGE_BYTES: usize = size_of::<Move>() + size_of::<f32>();
    const SLOT_BYTES: usize = size_of::<Child>();

    pub(super) fn bytes(self) -> usize {
        self.nodes * Self::NODE_BYTES
            + self.edges * Self::EDGE_BYTES
            + self.slots * Self::SLOT_BYTES
    }

    pub(super) fn fits(self, capacity: TreeSize) -> bool {
        self.nodes <= capacity.nodes && self.edges <= capacity.edges && self.slots <= capacity.slots
    }

    pub(super) fn plus(self, other: TreeSize) -> TreeSize {
        self.zip(other, |a, b| a + b)
    }

    pub(super) fn max(self, other: TreeSize) -> TreeSize {
        self.zip(other, usize::max)
    }

    pub(super) fn min(self, other: TreeSize) -> TreeSize {
        self.zip(other, usize::min)
    }

    fn zip(self, other: TreeSize, f: impl Fn(usize, usize) -> usize) -> TreeSize {
        TreeSize {
            nodes: f(self.nodes, other.nodes),
            edges: f(self.edges, other.edges),
            slots: f(self.slots, other.slots),
        }
    }

    /// The capacity to grow to from `capacity`, which is too small for this size.
    pub(super) fn grown(self, capacity: TreeSize, limit: usize) -> Option<TreeSize> {
        let left = limit.checked_sub(capacity.bytes())?;
        let grow = |needed: usize, capacity: usize, item: usize| {
            if needed <= capacity {
                return capacity;
            }
            // Near the limit half of what is left, so that the other lists can grow as well.
            let most = capacity + left / 2 / item;
            (2 * capacity).max(64).min(most).max(needed)
        };
        let grown = TreeSize {
            nodes: grow(self.nodes, capacity.nodes, Self::NODE_BYTES),
            edges: grow(self.edges, capacity.edges, Self::EDGE_BYTES),
            slots: grow(self.slots, capacity.slots, Self::SLOT_BYTES),
        };
        (grown.bytes() <= limit).then_some(grown)
    }
}
