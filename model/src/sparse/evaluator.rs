use std::marker::PhantomData;
use std::mem;
use std::sync::Arc;

use garuda_mcts::{EvalError, Evaluations, Evaluator};
use garuda_rules::{GameState, Move, Position};

use super::{FeatureLayout, SparseNetwork, SparseSample};
use crate::View;

/// Evaluates positions by a sparse network, one at a time, on the thread that asks. Allocates
/// nothing once its buffers are warm.
#[derive(Debug)]
pub struct SparseEvaluator<P> {
    network: Arc<SparseNetwork>,
    layout: FeatureLayout,
    sample: SparseSample,
    logits: Vec<f32>,
    /// The evaluations of the batch so far: they are made as positions are pushed.
    batch: Evaluations,
    /// Why the batch will fail, if it will.
    failure: Option<EvalError>,
    game: PhantomData<P>,
}

impl<P: Position> SparseEvaluator<P> {
    /// An evaluator of a network that was made for this game.
    pub fn new(network: Arc<SparseNetwork>) -> SparseEvaluator<P> {
        SparseEvaluator {
            network,
            layout: FeatureLayout::of::<P>(),
            sample: SparseSample::default(),
            logits: Vec::new(),
            batch: Evaluations::default(),
            failure: None,
            game: PhantomData,
        }
    }
}

impl<P: Position> Evaluator<GameState<P>> for SparseEvaluator<P> {
    fn capacity(&self) -> usize {
        usize::MAX
    }

    fn push(&mut self, game: &GameState<P>, legal: &[Move]) {
        let view = View::of(game.position());
        self.layout.fill(game, legal, view, &mut self.sample);
        let wdl = self.network.evaluate(&self.sample, &mut self.logits);
        let pushed = self.batch.push(wdl, self.logits.iter().copied());
        if let Err(error) = pushed {
            self.failure.get_or_insert(error);
        }
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        mem::swap(&mut self.batch, evaluations);
        self.batch.clear();
        match self.failure.take() {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }
}
