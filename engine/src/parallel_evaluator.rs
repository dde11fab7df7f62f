use anyhow::Context;
use garuda_mcts::{EvalError, Evaluations, Evaluator};
use garuda_model::{ConvShape, Network, NetworkEvaluator};
use garuda_rules::{GameState, Move, Position};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// One evaluator of the same network per thread; every batch is split between them.
///
/// The tree search itself runs on one thread: compared with the network it takes a few per cent
/// of the time.
pub(crate) struct ParallelEvaluator<P> {
    workers: Vec<EvaluatorWorker<P>>,
    /// Maximum number of positions per worker and batch.
    batch_size: usize,
    /// Threads of all workers but the first, which runs on the calling thread.
    pool: ThreadPool,
    /// Number of positions in the batch. Position i goes to worker i modulo their number.
    len: usize,
}

struct EvaluatorWorker<P> {
    evaluator: NetworkEvaluator<P>,
    evaluations: Evaluations,
    result: Result<(), EvalError>,
}

impl<P: Position> ParallelEvaluator<P> {
    pub(crate) fn new(
        network: &Network,
        shape: ConvShape,
        threads: usize,
    ) -> anyhow::Result<ParallelEvaluator<P>> {
        let batch_size = batch_size(shape);
        let worker = |_| {
            Ok(EvaluatorWorker {
                evaluator: network.evaluator(batch_size)?,
                evaluations: Evaluations::default(),
                result: Ok(()),
            })
        };
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.saturating_sub(1).max(1))
            .thread_name(|i| format!("evaluator {}", i + 2))
            .build()
            .context("cannot start the evaluator threads")?;
        Ok(ParallelEvaluator {
            workers: (0..threads).map(worker).collect::<anyhow::Result<_>>()?,
            batch_size,
            pool,
            len: 0,
        })
    }
}

/// Batch size per thread. Larger batches are a little faster per position, but their leaves are
/// selected with less information. The clock is not checked during a batch, so that large
/// networks get smaller ones, of about 20 ms at most.
fn batch_size(shape: ConvShape) -> usize {
    const MAX: u32 = 8;
    const MAX_COST: u32 = 1_000_000;
    let batch_size = MAX_COST / (shape.blocks() * shape.channels() * shape.channels());
    batch_size.clamp(1, MAX) as usize
}

impl<P: Position> Evaluator<GameState<P>> for ParallelEvaluator<P> {
    fn capacity(&self) -> usize {
        self.workers.len() * self.batch_size
    }

    fn push(&mut self, game: &GameState<P>, legal: &[Move]) {
        let worker = self.len % self.workers.len();
        self.workers[worker].evaluator.push(game, legal);
        self.len += 1;
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        let len = std::mem::take(&mut self.len);
        let (first, rest) = self
            .workers
            .split_first_mut()
            .expect("there is at least one worker");
        if rest.is_empty() {
            return first.evaluator.run(evaluations);
        }
        self.pool.in_place_scope(|scope| {
            for worker in rest {
                scope.spawn(|_| worker.run());
            }
            first.run();
        });
        evaluations.clear();
        for worker in &mut self.workers {
            std::mem::replace(&mut worker.result, Ok(()))?;
        }
        for i in 0..len {
            let worker = &self.workers[i % self.workers.len()];
            let (wdl, logits) = worker.evaluations.get(i / self.workers.len());
            evaluations.push(wdl, logits.iter().copied())?;
        }
        Ok(())
    }
}

impl<P: Position> EvaluatorWorker<P> {
    fn run(&mut self) {
        self.result = self.evaluator.run(&mut self.evaluations);
    }
}
