use std::fmt;

use serde::{Deserialize, Serialize};

/// The checkpoints from one to another, both included.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CheckpointRange {
    pub from: u32,
    pub to: u32,
}

impl fmt::Display for CheckpointRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CheckpointRange { from, to } = self;
        if from == to {
            write!(f, "checkpoint {from}")
        } else {
            write!(f, "checkpoints {from}–{to}")
        }
    }
}
