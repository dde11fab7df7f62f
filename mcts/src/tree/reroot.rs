use super::children::block_size;
use super::{Node, NodeId, Tree, TreeSize};

impl Tree {
    /// Makes a node the root and drops everything that is not below it.
    pub(crate) fn reroot(&mut self, root: NodeId) {
        let size = self.size();
        let nodes = &mut self.nodes.nodes;
        // Children have higher indices than their parents, so that one pass finds the subtree and
        // another can move it down in place.
        self.new_ids.clear();
        self.new_ids.resize(size.nodes, NodeId::NONE);
        self.new_ids[root.index()] = NodeId::ROOT;
        let mut count = 1;
        let after = nodes[..size.nodes].iter().enumerate();
        for (index, node) in after.skip(root.index() + 1) {
            let parent = node.parent.get();
            if self.new_ids[parent.index()] != NodeId::NONE {
                self.new_ids[index] = NodeId(count);
                count += 1;
            }
        }
        for index in root.index()..size.nodes {
            let target = self.new_ids[index];
            if target == NodeId::NONE {
                continue;
            }
            let parent = nodes[index].parent.get();
            if parent != NodeId::NONE {
                nodes[index].parent.set(self.new_ids[parent.index()]);
            }
            nodes.swap(index, target.index());
        }
        nodes[0].parent.set(NodeId::NONE);
        let used = TreeSize {
            nodes: count as usize,
            edges: self.move_edges_down(count),
            slots: self.move_children_down(count),
        };
        self.nodes.used.set(used);
        self.unused.clear();
        self.new_ids.clear();
        self.copy_root_moves();
    }

    /// Lists the first `count` nodes that have something, in the order of where it begins.
    fn order_nodes(
        &mut self,
        count: u32,
        has: impl Fn(&Node) -> bool,
        first: impl Fn(&Node) -> u32,
    ) {
        let nodes = &self.nodes;
        self.order.clear();
        self.order
            .extend((0..count).map(NodeId).filter(|&id| has(nodes.node(id))));
        let first = |id: &NodeId| first(nodes.node(*id));
        // One thread adds edges in the order of nodes.
        if !self.order.is_sorted_by_key(first) {
            self.order.sort_unstable_by_key(first);
        }
    }

    /// Closes the gaps between the edges of the nodes. Returns how many are left.
    fn move_edges_down(&mut self, count: u32) -> usize {
        let has = |node: &Node| node.edge_count.get() > 0;
        self.order_nodes(count, has, |node| node.first_edge.get());
        let (moves, priors) = (&self.nodes.moves, &self.nodes.priors);
        let mut start = 0;
        for &id in &self.order {
            let node = self.nodes.node(id);
            let first = node.first_edge.get() as usize;
            node.first_edge.set(start as u32);
            for edge in first..first + usize::from(node.edge_count.get()) {
                moves[start].set(moves[edge].get());
                priors[start].set(priors[edge].get());
                start += 1;
            }
        }
        start
    }

    /// Closes the gaps between the children of the nodes, which still have their old ids. Returns
    /// how many slots are left.
    fn move_children_down(&mut self, count: u32) -> usize {
        let has = |node: &Node| node.child_count.get() > 0;
        self.order_nodes(count, has, |node| node.first_child.get());
        let mut start = 0;
        for &id in &self.order {
            let node = self.nodes.node(id);
            let first = node.first_child.get() as usize;
            node.first_child.set(start as u32);
            let count = usize::from(node.child_count.get());
            for place in 0..count {
                let child = &self.nodes.slots[start + place];
                child.copy_from(&self.nodes.slots[first + place]);
                child.node.set(self.new_ids[child.node().index()]);
            }
            start += block_size(count);
        }
        start
    }
}
