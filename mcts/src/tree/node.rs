use garuda_rules::Color;

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
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Node {
    /// Sums of the backed-up results over all visits.
    pub(super) win: f64,
    pub(super) loss: f64,
    /// The evaluator's prediction.
    pub(super) predicted_win: f32,
    pub(super) predicted_loss: f32,
    pub(super) visits: u32,
    /// Number of pending leaves at or below this node: its virtual losses.
    pub(super) in_flight: u32,
    pub(super) parent: NodeId,
    /// Where its edges and its children begin.
    pub(super) first_edge: u32,
    pub(super) first_child: u32,
    /// The greatest prior of an edge without a child, 0 if there is none.
    pub(super) next_prior: f32,
    /// Sum of the priors of its visited children.
    pub(super) visited_prior: f32,
    pub(super) edge_count: u16,
    pub(super) child_count: u16,
    /// Its place among the children of its parent.
    pub(super) slot: u16,
    pub(super) proof: Option<Proof>,
    pub(super) turn: Color,
}

const _: () = assert!(size_of::<Node>() == 64);

impl Node {
    /// A node that nothing is known of but the side to move.
    pub(super) fn new(turn: Color) -> Node {
        Node {
            win: 0.0,
            loss: 0.0,
            predicted_win: 0.0,
            predicted_loss: 0.0,
            visits: 0,
            in_flight: 0,
            parent: NodeId::NONE,
            first_edge: 0,
            first_child: 0,
            next_prior: 0.0,
            visited_prior: 0.0,
            edge_count: 0,
            child_count: 0,
            slot: 0,
            proof: None,
            turn,
        }
    }

    pub(crate) fn turn(&self) -> Color {
        self.turn
    }

    pub(crate) fn visits(&self) -> u32 {
        self.visits
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// The greatest prior of an edge without a child, 0 if there is none.
    pub(crate) fn next_prior(&self) -> f32 {
        self.next_prior
    }

    /// Sum of the priors of the visited children.
    pub(crate) fn visited_prior(&self) -> f32 {
        self.visited_prior
    }

    pub(crate) fn proof(&self) -> Option<Proof> {
        self.proof
    }

    /// The proof from the point of view of `side`.
    pub(crate) fn proof_for(&self, side: Color) -> Option<Proof> {
        if side == self.turn {
            self.proof
        } else {
            self.proof.map(Proof::reversed)
        }
    }

    /// Whether the node has a value: it was evaluated, or is proven.
    pub(crate) fn is_evaluated(&self) -> bool {
        self.visits > 0 || self.proof.is_some()
    }

    /// The evaluator's prediction, without search.
    pub(crate) fn prediction(&self) -> Wdl {
        Wdl {
            win: self.predicted_win,
            draw: 1.0 - self.predicted_win - self.predicted_loss,
            loss: self.predicted_loss,
        }
    }

    /// The proven result, or else the mean over all visits. The node must have a value.
    pub(crate) fn wdl(&self) -> Wdl {
        if let Some(proof) = self.proof {
            return proof.wdl();
        }
        let visits = f64::from(self.visits);
        let (win, loss) = (self.win / visits, self.loss / visits);
        Wdl {
            win: win as f32,
            draw: (1.0 - win - loss).max(0.0) as f32,
            loss: loss as f32,
        }
    }

    pub(crate) fn wdl_for(&self, side: Color) -> Wdl {
        if side == self.turn {
            self.wdl()
        } else {
            self.wdl().reversed()
        }
    }

    pub(super) fn add(&mut self, wdl: Wdl) {
        self.visits += 1;
        self.win += f64::from(wdl.win);
        self.loss += f64::from(wdl.loss);
    }
}
