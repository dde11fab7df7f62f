use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use arrayvec::ArrayVec;
use garuda_rules::{Color, Move, Outcome};

use super::cell::SyncCell;
use super::size::TreeSize;
use super::{Access, Child, ChildStatus, Edge, Node, NodeGuard, NodeId, TreeFull, UnusedBlocks};
use crate::math::greatest;
use crate::{Proof, Wdl};

/// The nodes of a [`Tree`](super::Tree) with their edges and children: what the threads of a search
/// share.
///
/// All methods take `&self`, and `A` says whether other threads have the nodes as well: see
/// [`Access`]. No memory is allocated here: nodes are taken from what the tree has made room for.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    pub(super) nodes: Vec<Node>,
    pub(super) moves: Vec<SyncCell<Move>>,
    /// The prior of each edge, never zero.
    pub(super) priors: Vec<SyncCell<f32>>,
    pub(super) slots: Vec<Child>,
    pub(super) used: Used,
    /// Value of a draw for either side.
    pub(super) draw_value: f32,
}

/// How many nodes, edges and slots are in use. Threads add to these numbers with each simulation,
/// so they have cache lines of their own.
#[derive(Default, Debug)]
#[repr(align(128))]
pub(super) struct Used {
    pub(super) nodes: AtomicU32,
    pub(super) edges: AtomicU32,
    pub(super) slots: AtomicU32,
}

impl Used {
    pub(super) fn get(&self) -> TreeSize {
        TreeSize {
            nodes: self.nodes.load(Ordering::Relaxed) as usize,
            edges: self.edges.load(Ordering::Relaxed) as usize,
            slots: self.slots.load(Ordering::Relaxed) as usize,
        }
    }

    pub(super) fn set(&self, size: TreeSize) {
        self.nodes.store(size.nodes as u32, Ordering::Relaxed);
        self.edges.store(size.edges as u32, Ordering::Relaxed);
        self.slots.store(size.slots as u32, Ordering::Relaxed);
    }
}

impl Clone for Used {
    fn clone(&self) -> Self {
        let used = Used::default();
        used.set(self.get());
        used
    }
}

/// Takes `number` items from those of which a list has `len`.
#[inline]
fn take<A: Access>(used: &AtomicU32, number: usize, len: usize) -> Result<u32, TreeFull> {
    let first = A::fetch_add(used, number as u32);
    if first as usize + number <= len {
        Ok(first)
    } else {
        Err(TreeFull)
    }
}

impl Nodes {
    pub(crate) fn draw_value(&self) -> f32 {
        self.draw_value
    }

    /// The value of `wdl`, from −1 to 1, for the side it belongs to.
    pub(crate) fn value_of(&self, wdl: Wdl) -> f32 {
        wdl.value() + self.draw_value * wdl.draw
    }

    /// The value of a node for `side`, from −1 to 1. The node must have a value.
    #[inline]
    pub(crate) fn value_for(&self, node: &Node, side: Color) -> f32 {
        let (value, draw) = match node.proof() {
            Some(proof) => (proof.wdl().value(), proof.wdl().draw),
            None => {
                let share = 1.0 / f64::from(node.visits.get());
                let (win, loss) = (node.win.get(), node.loss.get());
                let value = (win - loss) * share;
                let draw = 1.0 - (win + loss) * share;
                (value as f32, draw as f32)
            }
        };
        let value = if side == node.turn() { value } else { -value };
        value + self.draw_value * draw
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn root(&self) -> &Node {
        self.node(NodeId::ROOT)
    }

    pub(super) fn edge_range(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        let first = node.first_edge.get() as usize;
        first..first + usize::from(node.edge_count.get())
    }

    pub(crate) fn moves(&self, id: NodeId) -> impl ExactSizeIterator<Item = Move> {
        self.moves[self.edge_range(id)].iter().map(SyncCell::get)
    }

    /// The move of an edge.
    #[inline]
    pub(crate) fn mv(&self, id: NodeId, edge: usize) -> Move {
        self.moves[self.edge_range(id)][edge].get()
    }

    pub(crate) fn priors(&self, id: NodeId) -> impl ExactSizeIterator<Item = f32> {
        self.priors[self.edge_range(id)].iter().map(SyncCell::get)
    }

    /// The children of a node, in the order in which they were added.
    #[inline]
    pub(crate) fn children(&self, id: NodeId) -> &[Child] {
        self.children_of(self.node(id))
    }

    #[inline]
    pub(crate) fn children_of(&self, node: &Node) -> &[Child] {
        let first = node.first_child.get() as usize;
        &self.slots[first..first + usize::from(node.child_count.get())]
    }

    /// The child behind an edge, if it is in the tree.
    pub(crate) fn child(&self, id: NodeId, edge: usize) -> Option<NodeId> {
        let mut children = self.children(id).iter();
        children.find(|child| child.edge() == edge).map(Child::node)
    }

    /// The edges of a node in their order.
    pub(crate) fn edges(&self, id: NodeId) -> impl ExactSizeIterator<Item = Edge<'_>> {
        let range = self.edge_range(id);
        // As long as the longest list of moves.
        let mut nodes: ArrayVec<NodeId, 512> = ArrayVec::new();
        nodes.extend(range.clone().map(|_| NodeId::NONE));
        for child in self.children(id) {
            nodes[child.edge()] = child.node();
        }
        let moves = &self.moves[range.clone()];
        moves
            .iter()
            .zip(&self.priors[range])
            .zip(nodes)
            .map(|((mv, prior), child)| Edge {
                mv: mv.get(),
                prior: prior.get(),
                child: self.nodes.get(child.index()),
            })
    }

    pub(super) fn take_slots<A: Access>(&self, number: usize) -> Result<u32, TreeFull> {
        take::<A>(&self.used.slots, number, self.slots.len())
    }

    /// Adds the root of an empty tree.
    pub(super) fn add_root<A: Access>(&self, turn: Color) -> Result<NodeId, TreeFull> {
        let id = NodeId(take::<A>(&self.used.nodes, 1, self.nodes.len())?);
        self.node(id).reset(NodeId::NONE, 0, turn);
        Ok(id)
    }

    /// Adds the child behind an edge. It has no edges yet, which follow by
    /// [`settle`](Nodes::settle).
    #[inline]
    pub(crate) fn add_child<A: Access>(
        &self,
        unused: &mut UnusedBlocks,
        parent_id: NodeId,
        parent: &NodeGuard<'_, A>,
        edge: usize,
        turn: Color,
    ) -> Result<NodeId, TreeFull> {
        let count = parent.child_count.get();
        let start =
            self.room_for_child::<A>(unused, parent.first_child.get(), usize::from(count))?;
        parent.first_child.set(start);
        let id = NodeId(take::<A>(&self.used.nodes, 1, self.nodes.len())?);
        self.node(id).reset(parent_id, count, turn);
        let edge_place = parent.first_edge.get() as usize + edge;
        let child = &self.slots[start as usize + usize::from(count)];
        child.prior.set(self.priors[edge_place].get());
        child.value.set(0.0);
        child.visits.set(0);
        child.node.set(id);
        child.mv.set(self.moves[edge_place].get());
        child.edge.set(edge as u16);
        child.status.set(ChildStatus::Open);
        parent.child_count.set(count + 1);
        Ok(id)
    }

    /// Sets what is found at a node that nothing is known of. Equal priors stand for those that the
    /// evaluator gives.
    pub(crate) fn settle<A: Access>(
        &self,
        id: NodeId,
        turn: Color,
        legal: &[Move],
        outcome: Option<Outcome>,
    ) -> Result<(), TreeFull> {
        debug_assert!(outcome.is_some() || !legal.is_empty());
        let node = self.node(id);
        if node.is_settled() {
            return Ok(());
        }
        let Some(outcome) = outcome else {
            let first = take::<A>(&self.used.edges, legal.len(), self.moves.len())?;
            let range = first as usize..first as usize + legal.len();
            let uniform = 1.0 / legal.len() as f32;
            for (cell, &mv) in self.moves[range.clone()].iter().zip(legal) {
                cell.set(mv);
            }
            for prior in &self.priors[range] {
                prior.set(uniform);
            }
            let node = A::lock(node);
            node.turn.set(turn);
            node.first_edge.set(first);
            node.edge_count.set(legal.len() as u16);
            return Ok(());
        };
        let node = A::lock(node);
        node.turn.set(turn);
        node.proof.set(Some(Proof::of_outcome(outcome, turn)));
        Ok(())
    }

    /// Sets the priors of a leaf and backs up its evaluation as its first visit, in place of a number
    /// of virtual losses.
    pub(crate) fn expand<A: Access>(
        &self,
        id: NodeId,
        wdl: Wdl,
        priors: &[f32],
        virtual_losses: u32,
    ) {
        for (cell, &prior) in self.priors[self.edge_range(id)].iter().zip(priors) {
            cell.set(prior);
        }
        let node = self.node(id);
        node.predicted_win.set(wdl.win);
        node.predicted_loss.set(wdl.loss);
        self.backup::<A>(id, wdl, virtual_losses);
    }

    /// Like [`expand`](Nodes::expand), and moves the likeliest edge to the first place, as
    /// [`order_edges`](Nodes::order_edges) does.
    pub(crate) fn expand_in_order<A: Access>(
        &self,
        id: NodeId,
        wdl: Wdl,
        priors: &mut [f32],
        virtual_losses: u32,
    ) {
        let greatest = greatest(priors);
        self.node(id).next_prior.set(greatest.max(0.0));
        if let Some(place) = priors.iter().position(|&prior| prior == greatest) {
            priors.swap(0, place);
            swap(&self.moves[self.edge_range(id)], 0, place);
        }
        self.expand::<A>(id, wdl, priors, virtual_losses);
    }

    /// Moves the likeliest edge without a child to the place after those that have one. The node's
    /// children must have been added in the order of its edges.
    pub(crate) fn order_edges<A: Access>(&self, node: &NodeGuard<'_, A>) {
        let first = node.first_edge.get() as usize + usize::from(node.child_count.get());
        let end = node.first_edge.get() as usize + usize::from(node.edge_count.get());
        let rest = &self.priors[first..end];
        let greatest = greatest_of(rest);
        node.next_prior.set(greatest.max(0.0));
        if let Some(place) = rest.iter().position(|prior| prior.get() == greatest) {
            swap(rest, 0, place);
            swap(&self.moves[first..end], 0, place);
        }
    }
}

fn swap<T: super::cell::Word>(cells: &[SyncCell<T>], a: usize, b: usize) {
    let value = cells[a].get();
    cells[a].set(cells[b].get());
    cells[b].set(value);
}

/// The greatest of finite numbers, negative infinity if there are none.
#[inline]
fn greatest_of(numbers: &[SyncCell<f32>]) -> f32 {
    // Several maxima at a time: one alone would wait for the last comparison.
    let max = |a: f32, b: f32| if b > a { b } else { a };
    let (chunks, rest) = numbers.as_chunks::<8>();
    let mut maxima = [f32::NEG_INFINITY; 8];
    for chunk in chunks {
        for i in 0..8 {
            maxima[i] = max(maxima[i], chunk[i].get());
        }
    }
    let rest = rest.iter().map(SyncCell::get);
    maxima.into_iter().chain(rest).fold(f32::NEG_INFINITY, max)
}
