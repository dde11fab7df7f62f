use garuda_rules::Move;

use super::NodeId;

/// A child as its parent sees it: all that a selection looks at, side by side in memory.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Child {
    pub(crate) prior: f32,
    /// Its value for the side to move at the parent, from −1 to 1. Each virtual loss counts as a
    /// visit of value −1.
    pub(crate) value: f32,
    /// Its visits, virtual losses included.
    pub(crate) visits: u32,
    pub(crate) node: NodeId,
    pub(crate) mv: Move,
    /// Its place among the edges of the parent.
    pub(crate) edge: u16,
    pub(crate) status: ChildStatus,
}

/// What is proven of a child, for the side to move at its parent.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum ChildStatus {
    Open,
    Lost,
    Drawn,
    Won,
}

/// The children of all nodes. Those of a node are a block of consecutive slots, whose size is a
/// power of two and follows from their number. A block that is outgrown is reused.
#[derive(Clone, Default, Debug)]
pub(super) struct Children {
    pub(super) slots: Vec<Child>,
    /// Where unused blocks begin, by the logarithm of their size.
    unused: [Vec<u32>; SIZES],
}

/// Sizes of blocks, up to the greatest number of legal moves.
const SIZES: usize = 10;
const MIN_BLOCK: usize = 2;

/// The size of the block of a number of children, which is not 0.
pub(super) fn block_size(count: usize) -> usize {
    count.next_power_of_two().max(MIN_BLOCK)
}

impl Children {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.unused.iter_mut().for_each(Vec::clear);
    }

    /// Number of slots that adding a child to a node with `count` of them takes.
    pub(super) fn slots_for_next(&self, count: usize) -> usize {
        if count > 0 && count < block_size(count) {
            return 0;
        }
        let size = block_size(count + 1);
        if self.unused[size.ilog2() as usize].is_empty() {
            size
        } else {
            0
        }
    }

    /// Adds a child to the `count` that begin at `first`, and returns where they begin then.
    pub(super) fn push(&mut self, first: u32, count: usize, child: Child) -> u32 {
        let mut start = first;
        if count == 0 || count == block_size(count) {
            let size = block_size(count + 1);
            start = match self.unused[size.ilog2() as usize].pop() {
                Some(start) => start,
                None => {
                    let start = self.slots.len();
                    self.slots.resize(start + size, child);
                    start as u32
                }
            };
            if count > 0 {
                let old = first as usize..first as usize + count;
                self.slots.copy_within(old, start as usize);
                self.unused[count.ilog2() as usize].push(first);
            }
        }
        self.slots[start as usize + count] = child;
        start
    }

    /// Moves the block of `count` children that begins at `first` down to `start`, and gives their
    /// nodes new ids. Returns where the block ends then.
    pub(super) fn move_down(
        &mut self,
        first: usize,
        count: usize,
        start: usize,
        new_ids: &[NodeId],
    ) -> usize {
        self.slots.copy_within(first..first + count, start);
        for child in &mut self.slots[start..start + count] {
            child.node = new_ids[child.node.index()];
        }
        start + block_size(count)
    }

    /// Drops all slots from `end` on, and what is known of unused blocks.
    pub(super) fn truncate(&mut self, end: usize) {
        self.slots.truncate(end);
        self.unused.iter_mut().for_each(Vec::clear);
    }
}
