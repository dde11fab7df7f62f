use std::marker::PhantomData;

use garuda_rules::Game;

use crate::leaf_batch::LeafBatch;
use crate::{EvalCache, EvalError, Evaluator, Search};

/// Many searches that share an evaluator: the games of one core.
///
/// Each search contributes one leaf per batch. Its result depends only on its own game, settings
/// and random numbers, and on the evaluator; not on the other searches.
#[derive(Clone, Debug)]
pub struct Shard<G, S> {
    searches: Vec<S>,
    batch: LeafBatch,
    game: PhantomData<G>,
}

impl<G: Game, S: Search<G>> Shard<G, S> {
    /// Searches that share evaluations through a cache, if there is one.
    pub fn new(searches: Vec<S>, cache: Option<EvalCache>) -> Shard<G, S> {
        Shard {
            searches,
            batch: LeafBatch::new(cache),
            game: PhantomData,
        }
    }

    /// The searches, in the order they were given.
    pub fn searches(&self) -> &[S] {
        &self.searches
    }

    /// The searches, to start or replace them.
    pub fn searches_mut(&mut self) -> &mut [S] {
        &mut self.searches
    }

    /// Gives the searches back.
    pub fn into_searches(self) -> Vec<S> {
        self.searches
    }

    /// The evaluations kept so far.
    pub fn cache(&self) -> Option<&EvalCache> {
        self.batch.cache()
    }

    /// Clears the cache, as required when the evaluator changes.
    pub fn clear_cache(&mut self) {
        self.batch.clear_cache();
    }

    /// Total number of positions evaluated for this shard.
    pub fn evaluations(&self) -> u64 {
        self.batch.evaluations()
    }

    /// Advances every search that is not over to its next leaf, evaluates the leaves and backs
    /// them up. On an error the leaves are cancelled.
    pub fn step(&mut self, evaluator: &mut impl Evaluator<G>) -> Result<(), EvalError> {
        for index in 0..self.searches.len() {
            if self.batch.len() == evaluator.capacity() {
                self.batch.run(&mut self.searches, evaluator)?;
            }
            self.batch
                .gather(index, &mut self.searches[index], evaluator);
        }
        self.batch.run(&mut self.searches, evaluator)
    }
}
