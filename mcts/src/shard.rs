use std::marker::PhantomData;

use garuda_rules::Game;

use crate::batch::Batch;
use crate::{Cache, EvalError, Evaluator, Search};

/// Many searches that share an evaluator: a core's share of the games.
///
/// Each search gives one leaf to a batch. What a search does depends on nothing but its own
/// game, settings and random numbers, and on the evaluator; not on its neighbours.
#[derive(Clone, Debug)]
pub struct Shard<G, S> {
    searches: Vec<S>,
    batch: Batch,
    game: PhantomData<G>,
}

impl<G: Game, S: Search<G>> Shard<G, S> {
    pub fn new(searches: Vec<S>, cache: Option<Cache>) -> Shard<G, S> {
        Shard {
            searches,
            batch: Batch::new(cache),
            game: PhantomData,
        }
    }

    pub fn searches(&self) -> &[S] {
        &self.searches
    }

    pub fn searches_mut(&mut self) -> &mut [S] {
        &mut self.searches
    }

    pub fn into_searches(self) -> Vec<S> {
        self.searches
    }

    pub fn cache(&self) -> Option<&Cache> {
        self.batch.cache()
    }

    /// Forgets the evaluations it has kept, as it must when the evaluator changes.
    pub fn clear_cache(&mut self) {
        self.batch.clear_cache();
    }

    /// How many positions the evaluator has judged for this shard.
    pub fn evaluations(&self) -> u64 {
        self.batch.evaluations()
    }

    /// Advances every search that is not over to its next leaf, has the leaves judged, and
    /// gives the searches their answers. On an error the searches are as if they had not asked.
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
