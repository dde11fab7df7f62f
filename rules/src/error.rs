use std::fmt::Display;

use thiserror::Error;

/// Why a text is not a position: what is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what} (at character {} of {text:?})", at + 1)]
pub struct FenError {
    what: String,
    at: usize,
    text: String,
}

impl FenError {
    /// Longer inputs are quoted up to here.
    const QUOTED: usize = 200;

    /// `at` counts characters from 0.
    pub fn new(text: &str, at: usize, what: impl Into<String>) -> FenError {
        FenError {
            what: what.into(),
            at,
            text: text.chars().take(FenError::QUOTED).collect(),
        }
    }

    /// The character the complaint is about, counted from 0.
    pub fn at(&self) -> usize {
        self.at
    }
}

/// A text that is not a legal move of a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{text:?} is not a legal move in {position}")]
pub struct MoveError {
    text: String,
    position: String,
}

impl MoveError {
    /// `text` was given as a move of `position`.
    pub fn new(text: &str, position: &impl Display) -> MoveError {
        MoveError {
            text: text.chars().take(FenError::QUOTED).collect(),
            position: position.to_string(),
        }
    }
}
