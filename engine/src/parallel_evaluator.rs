use anyhow::Context;
use garuda_mcts::{EvalError, Evaluations, Evaluator};
use garuda_model::{Architecture, Encode, Network, NetworkEvaluator};
use garuda_rules::{GameState, Move};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Several evaluators of one network, one for each thread, that share every batch.
///
/// The search itself stays on one thread: against a network it takes a few per cent of the time.
pub(crate) struct ParallelEvaluator<P> {
    members: Vec<Member<P>>,
    /// The positions that each member judges at a time, at most.
    leaves: usize,
    /// For all members but the first, who works on the thread that asks.
    pool: ThreadPool,
    /// Positions in the batch. They are dealt out in turn.
    size: usize,
}

struct Member<P> {
    evaluator: NetworkEvaluator<P>,
    evaluations: Evaluations,
    result: Result<(), EvalError>,
}

impl<P: Encode> ParallelEvaluator<P> {
    pub(crate) fn new(network: &Network, threads: usize) -> anyhow::Result<ParallelEvaluator<P>> {
        let leaves = leaves(network.info().architecture);
        let member = |_| {
            Ok(Member {
                evaluator: network.evaluator(leaves)?,
                evaluations: Evaluations::default(),
                result: Ok(()),
            })
        };
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.saturating_sub(1).max(1))
            .thread_name(|i| format!("evaluator {}", i + 2))
            .build()
            .context("cannot start the threads")?;
        Ok(ParallelEvaluator {
            members: (0..threads).map(member).collect::<anyhow::Result<_>>()?,
            leaves,
            pool,
            size: 0,
        })
    }
}

/// How many positions to judge at a time. More are a little faster for each, but the search knows
/// less when it chooses them. In the middle of a batch nobody looks at the clock, so that large
/// networks judge fewer: up to about a fiftieth of a second.
fn leaves(architecture: Architecture) -> usize {
    const MOST: u32 = 8;
    const WORK: u32 = 1_000_000;
    let Architecture::Conv(shape) = architecture;
    let leaves = WORK / (shape.blocks() * shape.channels() * shape.channels());
    leaves.clamp(1, MOST) as usize
}

impl<P: Encode> Evaluator<GameState<P>> for ParallelEvaluator<P> {
    fn capacity(&self) -> usize {
        self.members.len() * self.leaves
    }

    fn push(&mut self, game: &GameState<P>, legal: &[Move]) {
        let member = self.size % self.members.len();
        self.members[member].evaluator.push(game, legal);
        self.size += 1;
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        let size = std::mem::take(&mut self.size);
        let (first, rest) = self
            .members
            .split_first_mut()
            .expect("a pool of one at least");
        if rest.is_empty() {
            return first.evaluator.run(evaluations);
        }
        self.pool.in_place_scope(|scope| {
            for member in rest {
                scope.spawn(|_| member.run());
            }
            first.run();
        });
        evaluations.clear();
        for member in &mut self.members {
            std::mem::replace(&mut member.result, Ok(()))?;
        }
        for i in 0..size {
            let member = &self.members[i % self.members.len()];
            let (wdl, logits) = member.evaluations.get(i / self.members.len());
            evaluations.push(wdl, logits.iter().copied())?;
        }
        Ok(())
    }
}

impl<P: Encode> Member<P> {
    fn run(&mut self) {
        self.result = self.evaluator.run(&mut self.evaluations);
    }
}
