use garuda_rules::Move;

use super::cell::SyncCell;
use super::{Access, NodeId, Nodes, TreeFull};

/// A child as its parent sees it: all that a selection looks at, side by side in memory. The lock
/// of the parent guards it.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    pub(super) prior: SyncCell<f32>,
    pub(super) value: SyncCell<f32>,
    pub(super) visits: SyncCell<u32>,
    pub(super) node: SyncCell<NodeId>,
    pub(super) mv: SyncCell<Move>,
    pub(super) edge: SyncCell<u16>,
    pub(super) status: SyncCell<ChildStatus>,
}

/// What is proven of a child, for the side to move at its parent.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum ChildStatus {
    Open,
    Lost,
    Drawn,
    Won,
}

impl Child {
    pub(super) fn new() -> Child {
        Child {
            prior: SyncCell::new(0.0),
            value: SyncCell::new(0.0),
            visits: SyncCell::new(0),
            node: SyncCell::new(NodeId::NONE),
            mv: SyncCell::new(Move::from_code(0)),
            edge: SyncCell::new(0),
            status: SyncCell::new(ChildStatus::Open),
        }
    }

    #[inline]
    pub(crate) fn prior(&self) -> f32 {
        self.prior.get()
    }

    /// Its value for the side to move at the parent, from −1 to 1. Each virtual loss counts as a
    /// visit of value −1.
    #[inline]
    pub(crate) fn value(&self) -> f32 {
        self.value.get()
    }

    /// Its visits, virtual losses included.
    #[inline]
    pub(crate) fn visits(&self) -> u32 {
        self.visits.get()
    }

    #[inline]
    pub(crate) fn node(&self) -> NodeId {
        self.node.get()
    }

    #[inline]
    pub(crate) fn mv(&self) -> Move {
        self.mv.get()
    }

    /// Its place among the edges of the parent.
    #[inline]
    pub(crate) fn edge(&self) -> usize {
        usize::from(self.edge.get())
    }

    #[inline]
    pub(crate) fn status(&self) -> ChildStatus {
        self.status.get()
    }

    pub(super) fn copy_from(&self, other: &Child) {
        self.prior.set(other.prior.get());
        self.value.set(other.value.get());
        self.visits.set(other.visits.get());
        self.node.set(other.node.get());
        self.mv.set(other.mv.get());
        self.edge.set(other.edge.get());
        self.status.set(other.status.get());
    }
}

/// Sizes of blocks, up to the greatest number of legal moves.
const SIZES: usize = 10;
const MIN_BLOCK: usize = 2;

/// The children of a node are a block of consecutive slots, whose size is a power of two and
/// follows from their number.
pub(super) fn block_size(count: usize) -> usize {
    count.next_power_of_two().max(MIN_BLOCK)
}

/// Where blocks that were outgrown begin, by the logarithm of their size. They are used again, each
/// thread its own.
#[derive(Clone, Default, Debug)]
pub(crate) struct UnusedBlocks([Vec<u32>; SIZES]);

impl UnusedBlocks {
    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }

    /// Takes over those of another thread.
    pub(super) fn append(&mut self, mut other: UnusedBlocks) {
        for (blocks, others) in self.0.iter_mut().zip(&mut other.0) {
            blocks.append(others);
        }
    }

    /// Number of slots that adding a child to a node with `count` of them takes.
    pub(super) fn slots_for_next(&self, count: usize) -> usize {
        if count > 0 && count < block_size(count) {
            return 0;
        }
        let size = block_size(count + 1);
        if self.0[size.ilog2() as usize].is_empty() {
            size
        } else {
            0
        }
    }
}

impl Nodes {
    /// Makes room behind the `count` children that begin at `first`, and returns where they begin
    /// then.
    #[inline]
    pub(super) fn room_for_child<A: Access>(
        &self,
        unused: &mut UnusedBlocks,
        first: u32,
        count: usize,
    ) -> Result<u32, TreeFull> {
        if count > 0 && count < block_size(count) {
            return Ok(first);
        }
        let size = block_size(count + 1);
        let start = match unused.0[size.ilog2() as usize].pop() {
            Some(start) => start,
            None => self.take_slots::<A>(size)?,
        };
        if count > 0 {
            let old = &self.slots[first as usize..][..count];
            for (to, from) in self.slots[start as usize..].iter().zip(old) {
                to.copy_from(from);
            }
            unused.0[count.ilog2() as usize].push(first);
        }
        Ok(start)
    }
}
