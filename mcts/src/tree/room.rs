use std::thread;

use garuda_rules::{Color, Move, MoveList};

use super::cell::SyncCell;
use super::nodes::Used;
use super::{Child, Node, Nodes, Tree, TreeFull, TreeSize, UnusedBlocks};

/// How far a tree of one thread is initialised ahead of its use: so little that it is still in the
/// caches then.
const STEP: TreeSize = TreeSize {
    nodes: 256,
    edges: 1 << 12,
    slots: 512,
};

/// Number of edges that is worth a second thread to initialise them.
const MANY_EDGES: usize = 1 << 18;

/// The most that a node takes: edges and a block of children for the longest list of moves.
const LARGEST_NODE: TreeSize = TreeSize {
    nodes: 1,
    edges: 512,
    slots: 512,
};

/// Memory of the tree.
impl Tree {
    /// A tree of at most `limit` bytes, but at least enough for any root.
    pub(crate) fn new(limit: usize) -> Tree {
        let least = TreeSize {
            nodes: 64,
            edges: 512,
            slots: 64,
        };
        Tree {
            nodes: Nodes {
                nodes: Vec::new(),
                moves: Vec::new(),
                priors: Vec::new(),
                slots: Vec::new(),
                used: Used::default(),
                draw_value: 0.0,
            },
            unused: UnusedBlocks::default(),
            root_moves: MoveList::new(),
            priors: Vec::new(),
            new_ids: Vec::new(),
            order: Vec::new(),
            limit: limit.max(least.bytes()),
            policy_temperature: 1.0,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.used = Used::default();
        self.unused.clear();
    }

    pub(super) fn size(&self) -> TreeSize {
        self.nodes.used.get()
    }

    /// What can be used without growing.
    fn room(&self) -> TreeSize {
        TreeSize {
            nodes: self.nodes.nodes.len(),
            edges: self.nodes.moves.len(),
            slots: self.nodes.slots.len(),
        }
    }

    fn capacity(&self) -> TreeSize {
        TreeSize {
            nodes: self.nodes.nodes.capacity(),
            edges: self.nodes.moves.capacity(),
            slots: self.nodes.slots.capacity(),
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

    /// Makes room for one thread.
    #[inline]
    pub(super) fn reserve(
        &mut self,
        nodes: usize,
        edges: usize,
        slots: usize,
    ) -> Result<(), TreeFull> {
        let needed = self.size().plus(TreeSize {
            nodes,
            edges,
            slots,
        });
        if needed.fits(self.room()) {
            return Ok(());
        }
        self.grow(needed)?;
        let ahead = self.size().plus(STEP).min(self.capacity());
        self.initialise(needed.max(ahead).max(self.room()));
        Ok(())
    }

    /// Makes room for about `simulations` by threads that share the nodes, if there is not enough
    /// for a quarter of them; at the memory limit for fewer. Without enough for any simulation the
    /// tree is full.
    pub(crate) fn make_room(&mut self, simulations: usize) -> Result<(), TreeFull> {
        let size = self.size();
        let size_with = |simulations: usize| {
            // Nodes of a tree are alike; a quarter more is for those that are not.
            let per_node = |number: usize, usual: usize| {
                (number + 1000 * usual) * simulations / (size.nodes + 1000) * 5 / 4
            };
            let more = TreeSize {
                nodes: simulations,
                edges: per_node(size.edges, 40),
                slots: per_node(size.slots, 2),
            };
            size.plus(more.max(LARGEST_NODE))
        };
        if size_with(simulations / 4).fits(self.room()) {
            return Ok(());
        }
        let mut simulations = simulations;
        loop {
            let needed = size_with(simulations);
            if self.grow(needed).is_ok() {
                self.initialise(needed.max(self.room()));
                return Ok(());
            }
            if simulations == 0 {
                return Err(TreeFull);
            }
            simulations /= 2;
        }
    }

    /// Grows the capacity to hold a tree of this size.
    fn grow(&mut self, needed: TreeSize) -> Result<(), TreeFull> {
        if needed.edges.max(needed.slots) >= u32::MAX as usize / 2 {
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
        try_grow(&mut self.order, nodes)?;
        try_grow(&mut self.nodes.nodes, nodes)?;
        try_grow(&mut self.nodes.priors, edges)?;
        try_grow(&mut self.nodes.moves, edges)?;
        try_grow(&mut self.nodes.slots, slots)
    }

    /// Initialises a tree of this size, for which there is capacity. Much of it is done by two
    /// threads: memory that was never used comes from the system, a page at a time.
    fn initialise(&mut self, size: TreeSize) {
        let Nodes {
            nodes,
            moves,
            priors,
            slots,
            ..
        } = &mut self.nodes;
        let much = size.edges - priors.len() >= MANY_EDGES;
        let mut fill_priors = || priors.resize_with(size.edges, || SyncCell::new(0.0));
        let mut fill_others = || {
            nodes.resize_with(size.nodes, || Node::new(Color::White));
            moves.resize_with(size.edges, || SyncCell::new(Move::from_code(0)));
            slots.resize_with(size.slots, Child::new);
        };
        if much {
            thread::scope(|scope| {
                scope.spawn(fill_priors);
                fill_others();
            });
        } else {
            fill_priors();
            fill_others();
        }
    }

    /// The unused blocks, for one of the threads that share the nodes. They are given back by
    /// [`end_sharing`](Tree::end_sharing).
    pub(crate) fn take_unused(&mut self) -> UnusedBlocks {
        std::mem::take(&mut self.unused)
    }

    /// Takes over what threads that shared the nodes have left.
    pub(crate) fn end_sharing(&mut self, unused: impl IntoIterator<Item = UnusedBlocks>) {
        // A thread that found no room has counted what it did not get.
        let used = self.size().min(self.room());
        self.nodes.used.set(used);
        unused
            .into_iter()
            .for_each(|blocks| self.unused.append(blocks));
        self.copy_root_moves();
    }
}

/// Grows a list to this capacity.
fn try_grow<T>(list: &mut Vec<T>, capacity: usize) -> Result<(), TreeFull> {
    let additional = capacity.saturating_sub(list.len());
    list.try_reserve_exact(additional).map_err(|_| TreeFull)
}
