use garuda_rules::Game;

use crate::tree::NodeId;
use crate::{EvalCache, EvalError, Evaluations, Evaluator, Search};

/// The leaves of one or many searches that are evaluated together.
#[derive(Clone, Debug)]
pub(crate) struct LeafBatch {
    cache: Option<EvalCache>,
    pending: Vec<PendingLeaf>,
    evaluations: Evaluations,
    evaluated: u64,
}

/// A leaf that waits for its evaluation.
#[derive(Copy, Clone, Debug)]
struct PendingLeaf {
    /// Index of the search it belongs to.
    search: usize,
    leaf: NodeId,
    key: u64,
    /// Number of legal moves.
    moves: usize,
}

impl LeafBatch {
    pub(crate) fn new(cache: Option<EvalCache>) -> LeafBatch {
        LeafBatch {
            cache,
            pending: Vec::new(),
            evaluations: Evaluations::default(),
            evaluated: 0,
        }
    }

    pub(crate) fn cache(&self) -> Option<&EvalCache> {
        self.cache.as_ref()
    }

    pub(crate) fn cache_mut(&mut self) -> Option<&mut EvalCache> {
        self.cache.as_mut()
    }

    /// Counts positions that were evaluated elsewhere.
    pub(crate) fn count_evaluations(&mut self, count: u64) {
        self.evaluated += count;
    }

    pub(crate) fn clear_cache(&mut self) {
        if let Some(cache) = &mut self.cache {
            cache.clear();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Total number of positions evaluated.
    pub(crate) fn evaluations(&self) -> u64 {
        self.evaluated
    }

    /// Advances the search with this index until it has added a leaf to the batch. Leaves found
    /// in the cache are backed up at once. Returns whether a leaf was added.
    pub(crate) fn gather<G: Game>(
        &mut self,
        index: usize,
        search: &mut impl Search<G>,
        evaluator: &mut impl Evaluator<G>,
    ) -> bool {
        while let Some(leaf) = search.next_leaf() {
            let pending = PendingLeaf {
                search: index,
                leaf: leaf.id,
                key: leaf.game.state_key(),
                moves: leaf.legal.len(),
            };
            let cached = self
                .cache
                .as_mut()
                .and_then(|cache| cache.get(pending.key, pending.moves));
            match cached {
                Some((wdl, logits)) => search.backup(pending.leaf, wdl, logits),
                None => {
                    evaluator.push(leaf.game, leaf.legal);
                    self.pending.push(pending);
                    return true;
                }
            }
        }
        false
    }

    /// Evaluates the leaves and backs them up in their searches. On an error all leaves are
    /// cancelled.
    pub(crate) fn run<G: Game, S: Search<G>>(
        &mut self,
        searches: &mut [S],
        evaluator: &mut impl Evaluator<G>,
    ) -> Result<(), EvalError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let result = evaluator.run(&mut self.evaluations).and_then(|()| {
            let moves = self.pending.iter().map(|pending| pending.moves);
            self.evaluations.check(moves)
        });
        if result.is_err() {
            for pending in self.pending.drain(..) {
                searches[pending.search].cancel(pending.leaf);
            }
            return result;
        }
        self.evaluated += self.pending.len() as u64;
        for (i, pending) in self.pending.drain(..).enumerate() {
            let (wdl, logits) = self.evaluations.get(i);
            if let Some(cache) = &mut self.cache {
                cache.insert(pending.key, wdl, logits);
            }
            searches[pending.search].backup(pending.leaf, wdl, logits);
        }
        Ok(())
    }
}
