use std::fmt;

use thiserror::Error;

/// How a player can lose other than by the rules of the game.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// It made a move that is not legal.
    IllegalMove,
    /// It says that it has no move where there are legal ones.
    NoMove,
    /// Its program ended.
    Crash,
    /// It did not answer.
    Hang,
    /// It took more time than it had.
    TimeLoss,
}

impl Fault {
    /// Its name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::IllegalMove => "illegal-move",
            Fault::NoMove => "no-move",
            Fault::Crash => "crash",
            Fault::Hang => "hang",
            Fault::TimeLoss => "time-loss",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The fault by which a player lost a game, with details for people.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{fault}: {message}")]
pub struct Forfeit {
    pub fault: Fault,
    pub message: String,
}

impl Forfeit {
    pub fn new(fault: Fault, message: impl Into<String>) -> Forfeit {
        Forfeit {
            fault,
            message: message.into(),
        }
    }
}

/// Why a player made no move.
#[derive(Debug, Error)]
pub enum NoMove {
    /// The player's own fault: it loses this game and may play the next.
    #[error(transparent)]
    Forfeit(#[from] Forfeit),
    /// Not the player's fault: the match cannot continue.
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}
