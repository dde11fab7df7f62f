use garuda_rules::{Game, Move};

use crate::{EvalError, Evaluations, Evaluator, Wdl};

/// Knows nothing: all moves and all results are equally likely.
#[derive(Clone, Default, Debug)]
pub struct Uniform {
    /// How many moves each position of the batch has.
    moves: Vec<usize>,
}

impl<G: Game> Evaluator<G> for Uniform {
    fn capacity(&self) -> usize {
        usize::MAX
    }

    fn push(&mut self, _game: &G, legal: &[Move]) {
        self.moves.push(legal.len());
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        evaluations.clear();
        for moves in self.moves.drain(..) {
            evaluations.push(Wdl::UNKNOWN, std::iter::repeat_n(0.0, moves))?;
        }
        Ok(())
    }
}
