use garuda_rules::Game;

use crate::tree::NodeId;
use crate::{Cache, EvalError, Evaluations, Evaluator, Search};

/// The leaves that go to the evaluator together, and the way back of the answers.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    cache: Option<Cache>,
    asked: Vec<Asked>,
    evaluations: Evaluations,
    evaluated: u64,
}

#[derive(Copy, Clone, Debug)]
struct Asked {
    /// Which search asked.
    search: usize,
    leaf: NodeId,
    key: u64,
    moves: usize,
}

impl Batch {
    pub(crate) fn new(cache: Option<Cache>) -> Batch {
        Batch {
            cache,
            asked: Vec::new(),
            evaluations: Evaluations::default(),
            evaluated: 0,
        }
    }

    pub(crate) fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    pub(crate) fn clear_cache(&mut self) {
        if let Some(cache) = &mut self.cache {
            cache.clear();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.asked.len()
    }

    /// How many positions were judged in all.
    pub(crate) fn evaluations(&self) -> u64 {
        self.evaluated
    }

    /// Advances a search, the one numbered `index`, until it has given another leaf to the
    /// evaluator; what the cache knows is answered at once. Returns whether it gave one.
    pub(crate) fn gather<G: Game>(
        &mut self,
        index: usize,
        search: &mut impl Search<G>,
        evaluator: &mut impl Evaluator<G>,
    ) -> bool {
        while let Some(leaf) = search.next_leaf() {
            let asked = Asked {
                search: index,
                leaf: leaf.id,
                key: leaf.game.state_key(),
                moves: leaf.legal.len(),
            };
            let known = self
                .cache
                .as_mut()
                .and_then(|cache| cache.get(asked.key, asked.moves));
            match known {
                Some((wdl, logits)) => search.backup(asked.leaf, wdl, logits),
                None => {
                    evaluator.push(leaf.game, leaf.legal);
                    self.asked.push(asked);
                    return true;
                }
            }
        }
        false
    }

    /// Has the leaves judged and gives the answers to the searches that asked. When that fails
    /// it is as if they had not been asked for.
    pub(crate) fn run<G: Game, S: Search<G>>(
        &mut self,
        searches: &mut [S],
        evaluator: &mut impl Evaluator<G>,
    ) -> Result<(), EvalError> {
        if self.asked.is_empty() {
            return Ok(());
        }
        let judged = evaluator
            .run(&mut self.evaluations)
            .and_then(|()| self.check_answers());
        if judged.is_err() {
            for asked in self.asked.drain(..) {
                searches[asked.search].cancel(asked.leaf);
            }
            return judged;
        }
        self.evaluated += self.asked.len() as u64;
        for (i, asked) in self.asked.drain(..).enumerate() {
            let (wdl, logits) = self.evaluations.get(i);
            if let Some(cache) = &mut self.cache {
                cache.insert(asked.key, wdl, logits);
            }
            searches[asked.search].backup(asked.leaf, wdl, logits);
        }
        Ok(())
    }

    fn check_answers(&self) -> Result<(), EvalError> {
        if self.evaluations.len() != self.asked.len() {
            return Err(EvalError::Evaluations {
                asked: self.asked.len(),
                answered: self.evaluations.len(),
            });
        }
        for (position, asked) in self.asked.iter().enumerate() {
            let (_, logits) = self.evaluations.get(position);
            if logits.len() != asked.moves {
                return Err(EvalError::Logits {
                    position,
                    legal: asked.moves,
                    logits: logits.len(),
                });
            }
        }
        Ok(())
    }
}
