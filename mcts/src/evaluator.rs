use garuda_rules::{Game, Move};
use thiserror::Error;

/// Evaluates positions in batches.
///
/// Positions are pushed one by one, so that each can be encoded at once, and evaluated together.
/// A batch that failed is discarded: the next push starts a new one.
///
/// ```
/// use garuda_mcts::evaluators::Uniform;
/// use garuda_mcts::{Evaluations, Evaluator};
/// use garuda_rules::{Game, Makruk, MoveList};
///
/// let game = Makruk::start();
/// let mut legal = MoveList::new();
/// game.legal_moves(&mut legal);
///
/// let mut evaluator = Uniform::default();
/// let mut evaluations = Evaluations::default();
/// evaluator.push(&game, &legal);
/// Evaluator::<Makruk>::run(&mut evaluator, &mut evaluations)?;
/// let (wdl, logits) = evaluations.get(0);
/// assert_eq!((wdl.value(), logits.len()), (0.0, 23));
/// # Ok::<(), garuda_mcts::EvalError>(())
/// ```
pub trait Evaluator<G: Game> {
    /// Maximum number of positions per batch; it may be run before it is full.
    fn capacity(&self) -> usize;

    /// Adds a position and its legal moves (at least one) to the batch. Panics when the batch is
    /// full.
    fn push(&mut self, game: &G, legal: &[Move]);

    /// Evaluates all positions pushed since the last run, in that order, and replaces the
    /// contents of `evaluations`.
    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError>;
}

/// The evaluations of the positions of a batch. Its buffers are reused between batches.
#[derive(Clone, Default, Debug)]
pub struct Evaluations {
    wdl: Vec<Wdl>,
    logits: Vec<f32>,
    /// End index of the logits of each position.
    ends: Vec<usize>,
}

/// Probabilities of a win, a draw and a loss for the side to move.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Wdl {
    /// Probability of a win.
    pub win: f32,
    /// Probability of a draw.
    pub draw: f32,
    /// Probability of a loss.
    pub loss: f32,
}

impl Wdl {
    /// All results equally likely.
    pub const UNKNOWN: Wdl = Wdl {
        win: 1.0 / 3.0,
        draw: 1.0 / 3.0,
        loss: 1.0 / 3.0,
    };

    /// Expected result from −1 (loss) to 1 (win).
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// The same for the other side.
    pub fn reversed(self) -> Wdl {
        Wdl {
            win: self.loss,
            draw: self.draw,
            loss: self.win,
        }
    }
}

impl Evaluations {
    /// Removes all evaluations but keeps their memory.
    pub fn clear(&mut self) {
        self.wdl.clear();
        self.logits.clear();
        self.ends.clear();
    }

    /// Number of evaluated positions.
    pub fn len(&self) -> usize {
        self.wdl.len()
    }

    /// Whether no position was evaluated.
    pub fn is_empty(&self) -> bool {
        self.wdl.is_empty()
    }

    /// Adds the evaluation of the next position: one logit per legal move, in their order. Logits
    /// need not be normalised. Logits that are not finite, and a `wdl` that is no probability
    /// distribution, are errors: they must not be backed up.
    pub fn push(
        &mut self,
        wdl: Wdl,
        logits: impl IntoIterator<Item = f32>,
    ) -> Result<(), EvalError> {
        let position = self.wdl.len();
        let probabilities = [wdl.win, wdl.draw, wdl.loss];
        let sum: f32 = probabilities.iter().sum();
        if !(probabilities.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() < 1e-3) {
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

    /// Checks that there is an evaluation for each position of a batch, given by their numbers of
    /// legal moves.
    pub(crate) fn check(
        &self,
        legal: impl ExactSizeIterator<Item = usize>,
    ) -> Result<(), EvalError> {
        if self.len() != legal.len() {
            return Err(EvalError::Evaluations {
                expected: legal.len(),
                returned: self.len(),
            });
        }
        for (position, legal) in legal.enumerate() {
            let logits = self.get(position).1.len();
            if logits != legal {
                return Err(EvalError::Logits {
                    position,
                    legal,
                    logits,
                });
            }
        }
        Ok(())
    }

    /// Win/draw/loss and logits of position `i` of the batch.
    pub fn get(&self, i: usize) -> (Wdl, &[f32]) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        (self.wdl[i], &self.logits[start..self.ends[i]])
    }
}

/// Why a batch could not be evaluated.
#[derive(Debug, Error)]
pub enum EvalError {
    /// Probabilities that are none.
    #[error("the evaluator returned {wdl:?} for position {position} of the batch")]
    Value {
        /// Its place in the batch.
        position: usize,
        /// What was given as probabilities.
        wdl: Wdl,
    },
    /// A logit that is not finite.
    #[error(
        "the evaluator returned the logit {logit} for a move of position {position} of the batch"
    )]
    Logit {
        /// Its place in the batch.
        position: usize,
        /// What was given.
        logit: f32,
    },
    /// More or fewer evaluations than positions.
    #[error("the evaluator returned {returned} evaluations for {expected} positions")]
    Evaluations {
        /// Positions in the batch.
        expected: usize,
        /// Evaluations returned.
        returned: usize,
    },
    /// More or fewer logits than legal moves.
    #[error(
        "the evaluator returned {logits} logits for the {legal} legal moves of position {position} of \
         the batch"
    )]
    Logits {
        /// Its place in the batch.
        position: usize,
        /// Legal moves of the position.
        legal: usize,
        /// Logits given.
        logits: usize,
    },
    /// The evaluator could not run.
    #[error("the evaluator failed")]
    Backend(#[source] Box<dyn std::error::Error + Send + Sync>),
}
