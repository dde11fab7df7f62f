use std::collections::HashMap;

use garuda_rules::{Game, Move};

use crate::{EvalError, Evaluations, Evaluator, Wdl};

/// Looks positions up by their [`state_key`](Game::state_key). What is not in the table is
/// unknown: all moves and all results are equally likely.
#[derive(Clone, Default, Debug)]
pub struct Table {
    entries: HashMap<u64, Entry>,
    /// The positions of the batch with their moves.
    asked: Vec<(u64, Vec<Move>)>,
}

#[derive(Clone, Debug)]
struct Entry {
    wdl: Wdl,
    logits: Vec<(Move, f32)>,
}

impl Table {
    /// Sets the chances of a position and the logits of some of its moves; the others have 0.
    pub fn set(&mut self, game: &impl Game, wdl: Wdl, logits: &[(Move, f32)]) {
        let logits = logits.to_vec();
        self.entries.insert(game.state_key(), Entry { wdl, logits });
    }
}

impl<G: Game> Evaluator<G> for Table {
    fn capacity(&self) -> usize {
        usize::MAX
    }

    fn push(&mut self, game: &G, legal: &[Move]) {
        self.asked.push((game.state_key(), legal.to_vec()));
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        evaluations.clear();
        for (key, legal) in self.asked.drain(..) {
            let entry = self.entries.get(&key);
            let wdl = entry.map_or(Wdl::UNKNOWN, |entry| entry.wdl);
            let logit = |mv| {
                let mut logits = entry?.logits.iter();
                logits
                    .find(|(other, _)| *other == mv)
                    .map(|&(_, logit)| logit)
            };
            evaluations.push(wdl, legal.into_iter().map(|mv| logit(mv).unwrap_or(0.0)))?;
        }
        Ok(())
    }
}
