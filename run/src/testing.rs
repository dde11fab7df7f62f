//! Parts of game records, for the tests of this crate and of those above it.

use garuda_mcts::Wdl;
use garuda_rules::{Move, Position};

use crate::records::{Decision, DecisionKind, GameHead};

/// The head of game `number` of a checkpoint that played itself, from a start in FEN. The seed is
/// the number.
pub fn head<P: Position>(start: &str, checkpoint: u32, number: u64) -> GameHead {
    GameHead {
        rules: P::NAME.to_owned(),
        start: start.to_owned(),
        checkpoint,
        number,
        sides: [checkpoint; 2],
        seed: number,
    }
}

/// A move that was not searched.
pub fn unsearched(mv: Move) -> Decision {
    Decision {
        mv,
        kind: DecisionKind::Unsearched,
        wdl: Wdl::UNKNOWN,
        policy: Vec::new(),
    }
}
