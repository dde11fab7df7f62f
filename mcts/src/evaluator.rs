use garuda_rules::{Game, Move};
use thiserror::Error;

/// Judges positions in batches.
///
/// Positions are pushed one by one, so that they can be encoded while they are at hand, and
/// answered together. A batch that failed is forgotten: the next push starts a new one.
pub trait Evaluator<G: Game> {
    /// How many positions fit a batch; it may be less than full when it is run.
    fn capacity(&self) -> usize;

    /// Adds a position and its legal moves (at least one) to the batch. Panics when the batch is
    /// full.
    fn push(&mut self, game: &G, legal: &[Move]);

    /// Judges everything pushed since the last run, in that order, replacing what `answers` held.
    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError>;
}

/// What an evaluator thinks of the positions of a batch. Buffers are kept between batches.
#[derive(Clone, Default, Debug)]
pub struct Evaluations {
    wdl: Vec<Wdl>,
    logits: Vec<f32>,
    /// Where the logits of each position end.
    ends: Vec<usize>,
}

/// The chances of a win, a draw and a loss for the side to move.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Wdl {
    pub win: f32,
    pub draw: f32,
    pub loss: f32,
}

impl Wdl {
    /// Any result, all equally likely.
    pub const UNKNOWN: Wdl = Wdl {
        win: 1.0 / 3.0,
        draw: 1.0 / 3.0,
        loss: 1.0 / 3.0,
    };

    /// Expected result from −1 (lost) to 1 (won).
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// The chances of the other side.
    pub fn reversed(self) -> Wdl {
        Wdl {
            win: self.loss,
            draw: self.draw,
            loss: self.win,
        }
    }
}

impl Evaluations {
    pub fn clear(&mut self) {
        self.wdl.clear();
        self.logits.clear();
        self.ends.clear();
    }

    pub fn len(&self) -> usize {
        self.wdl.len()
    }

    pub fn is_empty(&self) -> bool {
        self.wdl.is_empty()
    }

    /// Adds the answer for the next position: one logit for each of its legal moves, in their
    /// order. Logits need not be normalised. A number that is not finite, or chances that are
    /// not chances, are an error and must not reach a tree.
    pub fn push(
        &mut self,
        wdl: Wdl,
        logits: impl IntoIterator<Item = f32>,
    ) -> Result<(), EvalError> {
        let position = self.wdl.len();
        let chances = [wdl.win, wdl.draw, wdl.loss];
        let sum: f32 = chances.iter().sum();
        if !(chances.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() < 1e-3) {
            return Err(EvalError::Value { position, wdl });
        }
        for logit in logits {
            if !logit.is_finite() {
                return Err(EvalError::Logit { position, logit });
            }
            self.logits.push(logit);
        }
        self.wdl.push(wdl);
        self.ends.push(self.logits.len());
        Ok(())
    }

    /// The chances and the logits of position `i` of the batch.
    pub fn get(&self, i: usize) -> (Wdl, &[f32]) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        (self.wdl[i], &self.logits[start..self.ends[i]])
    }
}

/// Why a batch could not be judged.
#[derive(Debug, Error)]
pub enum EvalError {
    #[error("the evaluator's chances for position {position} of the batch are {wdl:?}")]
    Value { position: usize, wdl: Wdl },
    #[error("the evaluator gave the logit {logit} for a move of position {position} of the batch")]
    Logit { position: usize, logit: f32 },
    #[error("the evaluator answered {answered} positions of {asked}")]
    Evaluations { asked: usize, answered: usize },
    #[error(
        "the evaluator gave {logits} logits for the {legal} moves of position {position} of the batch"
    )]
    Logits {
        position: usize,
        legal: usize,
        logits: usize,
    },
    #[error("the evaluator failed")]
    Backend(#[source] Box<dyn std::error::Error + Send + Sync>),
}
