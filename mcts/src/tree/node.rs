use garuda_rules::Color;

use super::cell::SyncCell;
use super::lock::NodeLock;
use crate::{Proof, Wdl};

/// A node of a [`Tree`](super::Tree).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    pub(crate) const ROOT: NodeId = NodeId(0);
    pub(super) const NONE: NodeId = NodeId(u32::MAX);

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node of the search tree, one cache line. All values are for the side to move at the node.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Node {
    /// Sums of the backed-up results over all visits.
    pub(super) win: SyncCell<f64>,
    pub(super) loss: SyncCell<f64>,
    /// The evaluator's prediction.
    pub(super) predicted_win: SyncCell<f32>,
    pub(super) predicted_loss: SyncCell<f32>,
    pub(super) visits: SyncCell<u32>,
    /// Number of pending leaves at or below this node: its virtual losses.
    pub(super) in_flight: SyncCell<u32>,
    pub(super) parent: SyncCell<NodeId>,
    /// Where its edges and its children begin.
    pub(super) first_edge: SyncCell<u32>,
    pub(super) first_child: SyncCell<u32>,
    /// The greatest prior of an edge without a child, 0 if there is none.
    pub(super) next_prior: SyncCell<f32>,
    /// Sum of the priors of its visited children.
    pub(super) visited_prior: SyncCell<f32>,
    pub(super) proof: SyncCell<Option<Proof>>,
    pub(super) edge_count: SyncCell<u16>,
    pub(super) child_count: SyncCell<u16>,
    /// Its place among the children of its parent.
    pub(super) slot: SyncCell<u16>,
    pub(super) turn: SyncCell<Color>,
    pub(super) lock: NodeLock,
}

const _: () = assert!(size_of::<Node>() == 64);

impl Node {
    /// A node that nothing is known of but the side to move.
    pub(super) fn new(turn: Color) -> Node {
        Node {
            win: SyncCell::new(0.0),
            loss: SyncCell::new(0.0),
            predicted_win: SyncCell::new(0.0),
            predicted_loss: SyncCell::new(0.0),
            visits: SyncCell::new(0),
            in_flight: SyncCell::new(0),
            parent: SyncCell::new(NodeId::NONE),
            first_edge: SyncCell::new(0),
            first_child: SyncCell::new(0),
            next_prior: SyncCell::new(0.0),
            visited_prior: SyncCell::new(0.0),
            proof: SyncCell::new(None),
            edge_count: SyncCell::new(0),
            child_count: SyncCell::new(0),
            slot: SyncCell::new(0),
            turn: SyncCell::new(turn),
            lock: NodeLock::default(),
        }
    }

    /// Makes it a node that nothing is known of but its parent, its place there, and the side to
    /// move.
    #[inline]
    pub(super) fn reset(&self, parent: NodeId, slot: u16, turn: Color) {
        self.win.set(0.0);
        self.loss.set(0.0);
        self.predicted_win.set(0.0);
        self.predicted_loss.set(0.0);
        self.visits.set(0);
        self.in_flight.set(0);
        self.parent.set(parent);
        self.first_edge.set(0);
        self.first_child.set(0);
        self.next_prior.set(0.0);
        self.visited_prior.set(0.0);
        self.proof.set(None);
        self.edge_count.set(0);
        self.child_count.set(0);
        self.slot.set(slot);
        self.turn.set(turn);
    }

    #[inline]
    pub(crate) fn turn(&self) -> Color {
        self.turn.get()
    }

    #[inline]
    pub(crate) fn visits(&self) -> u32 {
        self.visits.get()
    }

    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight.get()
    }

    /// The greatest prior of an edge without a child, 0 if there is none.
    #[inline]
    pub(crate) fn next_prior(&self) -> f32 {
        self.next_prior.get()
    }

    /// Sum of the priors of the visited children.
    #[inline]
    pub(crate) fn visited_prior(&self) -> f32 {
        self.visited_prior.get()
    }

    #[inline]
    pub(crate) fn proof(&self) -> Option<Proof> {
        self.proof.get()
    }

    /// The proof from the point of view of `side`.
    #[inline]
    pub(crate) fn proof_for(&self, side: Color) -> Option<Proof> {
        if side == self.turn.get() {
            self.proof.get()
        } else {
            self.proof().map(Proof::reversed)
        }
    }

    /// Whether the node has a value: it was evaluated, or is proven.
    #[inline]
    pub(crate) fn is_evaluated(&self) -> bool {
        self.visits.get() > 0 || self.proof.get().is_some()
    }

    /// Whether its position is known: its legal moves, or its outcome.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        self.edge_count.get() > 0 || self.proof.get().is_some()
    }

    /// The evaluator's prediction, without search.
    pub(crate) fn prediction(&self) -> Wdl {
        Wdl {
            win: self.predicted_win.get(),
            draw: 1.0 - self.predicted_win.get() - self.predicted_loss.get(),
            loss: self.predicted_loss.get(),
        }
    }

    /// The proven result, or else the mean over all visits. The node must have a value.
    pub(crate) fn wdl(&self) -> Wdl {
        if let Some(proof) = self.proof.get() {
            return proof.wdl();
        }
        let visits = f64::from(self.visits.get());
        let (win, loss) = (self.win.get() / visits, self.loss.get() / visits);
        Wdl {
            win: win as f32,
            draw: (1.0 - win - loss).max(0.0) as f32,
            loss: loss as f32,
        }
    }

    pub(crate) fn wdl_for(&self, side: Color) -> Wdl {
        if side == self.turn.get() {
            self.wdl()
        } else {
            self.wdl().reversed()
        }
    }

    #[inline]
    pub(crate) fn add_virtual_loss(&self) {
        self.in_flight.add(1);
    }

    /// Adds a visit.
    #[inline]
    pub(super) fn add(&self, wdl: Wdl) {
        self.visits.add(1);
        self.win.set(self.win.get() + f64::from(wdl.win));
        self.loss.set(self.loss.get() + f64::from(wdl.loss));
    }
}
