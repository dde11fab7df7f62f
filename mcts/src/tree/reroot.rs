use super::{NodeId, Tree};

impl Tree {
    /// Makes a node the root and drops everything that is not below it.
    pub(crate) fn reroot(&mut self, root: NodeId) {
        // Children have higher indices than their parents, so that one pass finds the subtree and
        // another can move it down in place.
        self.new_ids.clear();
        self.new_ids.resize(self.nodes.len(), NodeId::NONE);
        self.new_ids[root.index()] = NodeId::ROOT;
        let mut count = 1;
        for index in root.index() + 1..self.nodes.len() {
            let parent = self.nodes[index].parent;
            if self.new_ids[parent.index()] != NodeId::NONE {
                self.new_ids[index] = NodeId(count);
                count += 1;
            }
        }
        let mut first_edge = 0;
        for index in root.index()..self.nodes.len() {
            let target = self.new_ids[index];
            if target == NodeId::NONE {
                continue;
            }
            let edges = self.edge_range(NodeId(index as u32));
            self.moves.copy_within(edges.clone(), first_edge);
            self.priors.copy_within(edges.clone(), first_edge);
            let node = &mut self.nodes[index];
            node.first_edge = first_edge as u32;
            node.parent = match node.parent {
                NodeId::NONE => NodeId::NONE,
                parent => self.new_ids[parent.index()],
            };
            first_edge += edges.len();
            self.nodes.swap(index, target.index());
        }
        self.nodes[0].parent = NodeId::NONE;
        self.nodes.truncate(count as usize);
        self.moves.truncate(first_edge);
        self.priors.truncate(first_edge);
        self.move_children_down();
        self.new_ids.clear();
    }

    /// Closes the gaps between the children of the nodes, which still have their old ids.
    fn move_children_down(&mut self) {
        self.parents.clear();
        let ids = (0..self.nodes.len()).map(|index| NodeId(index as u32));
        self.parents
            .extend(ids.filter(|id| self.nodes[id.index()].child_count > 0));
        self.parents
            .sort_unstable_by_key(|id| self.nodes[id.index()].first_child);
        let mut start = 0;
        for id in &self.parents {
            let node = &mut self.nodes[id.index()];
            let first = node.first_child as usize;
            node.first_child = start as u32;
            let count = node.child_count.into();
            start = self.children.move_down(first, count, start, &self.new_ids);
        }
        self.children.truncate(start);
    }
}
