use std::fmt;

use thiserror::Error;

/// How a player can lose other than by the rules of its game.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// It made a move that our rules do not know.
    IllegalMove,
    /// It says that it has no move, where our rules know some.
    NoMove,
    /// Its program ended.
    Crash,
    /// It did not answer.
    Hang,
    /// It took more time than it had.
    TimeLoss,
}

impl Fault {
    /// The word for it in files and on the command line.
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

/// A game given away by a player's fault, with words for people.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{fault}: {words}")]
pub struct Forfeit {
    pub fault: Fault,
    pub words: String,
}

impl Forfeit {
    pub fn new(fault: Fault, words: impl Into<String>) -> Forfeit {
        Forfeit {
            fault,
            words: words.into(),
        }
    }
}

/// Why a player has made no move.
#[derive(Debug, Error)]
pub enum NoMove {
    /// The player's own fault: it loses this game and may play the next.
    #[error(transparent)]
    Forfeit(#[from] Forfeit),
    /// Nobody's fault in the game: the match cannot go on.
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}
