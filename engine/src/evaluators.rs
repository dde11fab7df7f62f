use garuda_mcts::{Analysis, EvalError, Evaluations, Evaluator};
use garuda_mcts::{SearchControl, SearchInfo, SearchLimits};
use garuda_model::{Architecture, Network};
use garuda_rules::{Game, GameState, MoveList, Position};

use crate::parallel_evaluator::ParallelEvaluator;
use crate::searchmoves::{BoxedEvaluator, RestrictedGame};

/// What a search evaluates positions with, and on how many threads.
pub(crate) struct Evaluators<P> {
    /// One for each thread that searches.
    threads: Vec<BoxedEvaluator<P>>,
    /// Maximum number of leaves per batch.
    batch_size: usize,
}

impl<P: Position> Evaluators<P> {
    /// A search on one thread, leaf by leaf.
    pub(crate) fn single(evaluator: BoxedEvaluator<P>) -> Evaluators<P> {
        Evaluators {
            threads: vec![evaluator],
            batch_size: 1,
        }
    }

    /// A convolutional network is evaluated by all threads, in batches for one that searches. A
    /// sparse one takes less time than to hand it to another thread, so all of them search.
    pub(crate) fn of_network(network: &Network, threads: usize) -> anyhow::Result<Evaluators<P>> {
        match network.info().architecture {
            Architecture::Conv(shape) => {
                let evaluator = ParallelEvaluator::new(network, shape, threads)?;
                Ok(Evaluators {
                    batch_size: evaluator.capacity(),
                    threads: vec![BoxedEvaluator::new(evaluator)],
                })
            }
            Architecture::Sparse(_) => {
                let evaluator = |_| Ok(BoxedEvaluator::new(network.evaluator(1)?));
                Ok(Evaluators {
                    threads: (0..threads.max(1))
                        .map(evaluator)
                        .collect::<anyhow::Result<_>>()?,
                    batch_size: 1,
                })
            }
        }
    }

    pub(crate) fn batch_size(&self) -> usize {
        self.batch_size
    }

    pub(crate) fn threads_mut(&mut self) -> &mut [BoxedEvaluator<P>] {
        &mut self.threads
    }

    /// Evaluates one position.
    pub(crate) fn evaluate(
        &mut self,
        game: &RestrictedGame<P>,
        legal: &MoveList,
    ) -> Result<Evaluations, EvalError> {
        let mut evaluations = Evaluations::default();
        self.threads[0].push(game, legal);
        self.threads[0].run(&mut evaluations)?;
        Ok(evaluations)
    }

    /// The first batch is slow: this runs it now and not on the clock.
    pub(crate) fn warm_up(&mut self) -> Result<(), EvalError> {
        let start = RestrictedGame::unrestricted(GameState::start());
        let mut legal = MoveList::new();
        start.legal_moves(&mut legal);
        for evaluator in &mut self.threads {
            for _ in 0..self.batch_size {
                evaluator.push(&start, &legal);
            }
            evaluator.run(&mut Evaluations::default())?;
        }
        Ok(())
    }

    pub(crate) fn search(
        &mut self,
        analysis: &mut Analysis<RestrictedGame<P>>,
        limits: SearchLimits,
        control: &SearchControl,
        on_info: impl FnMut(&SearchInfo),
    ) -> Result<SearchInfo, EvalError> {
        match &mut self.threads[..] {
            [evaluator] => analysis.search(evaluator, limits, control, on_info),
            evaluators => analysis.search_parallel(evaluators, limits, control, on_info),
        }
    }
}
