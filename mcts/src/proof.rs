use std::cmp::Ordering;

use garuda_rules::{Color, Outcome};

use crate::Wdl;

/// The proven result of a node with best play, for the side to move.
///
/// Distances are in plies (decisions) to the end of the game. That of a win is the length of the
/// win that was found: there may be a shorter one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Proof {
    /// The side to move wins in this number of moves.
    Win(u16),
    /// Neither side can win.
    Draw,
    /// The side to move loses in this number of moves.
    Loss(u16),
}

impl Proof {
    /// The result of a finished game for `side`.
    pub(crate) fn of_outcome(outcome: Outcome, side: Color) -> Proof {
        match outcome.winner {
            None => Proof::Draw,
            Some(winner) if winner == side => Proof::Win(0),
            Some(_) => Proof::Loss(0),
        }
    }

    /// The same result for the other side.
    pub fn reversed(self) -> Proof {
        match self {
            Proof::Win(distance) => Proof::Loss(distance),
            Proof::Draw => Proof::Draw,
            Proof::Loss(distance) => Proof::Win(distance),
        }
    }

    /// The same result with one more ply to play.
    pub(crate) fn one_ply_longer(self) -> Proof {
        match self {
            Proof::Win(distance) => Proof::Win(distance.saturating_add(1)),
            Proof::Draw => Proof::Draw,
            Proof::Loss(distance) => Proof::Loss(distance.saturating_add(1)),
        }
    }

    /// The result as probabilities.
    pub fn wdl(self) -> Wdl {
        let (win, draw, loss) = match self {
            Proof::Win(_) => (1.0, 0.0, 0.0),
            Proof::Draw => (0.0, 1.0, 0.0),
            Proof::Loss(_) => (0.0, 0.0, 1.0),
        };
        Wdl { win, draw, loss }
    }

    /// Greater is better: short wins first, long losses before short ones.
    fn rank(self) -> i32 {
        const DECIDED: i32 = 1 << 16;
        match self {
            Proof::Win(distance) => DECIDED - i32::from(distance),
            Proof::Draw => 0,
            Proof::Loss(distance) => i32::from(distance) - DECIDED,
        }
    }
}

impl PartialOrd for Proof {
    fn partial_cmp(&self, other: &Proof) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Greater is better for the side whose result it is.
impl Ord for Proof {
    fn cmp(&self, other: &Proof) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}
