use std::sync::atomic::AtomicBool;

use anyhow::Context;
use garuda_model::Network;
use garuda_rules::Position;
use garuda_run::records::GameRecord;

use super::{Counters, DroppedGame, Plan, SelfplayEvaluator, generate};

/// Games that are wanted.
#[derive(Debug)]
pub struct GameOrder<'a, P> {
    pub plan: &'a Plan<P>,
    /// The networks of [`Plan::checkpoints`], in that order.
    pub networks: &'a [Network],
    /// Numbers of the games.
    pub numbers: &'a [u64],
}

/// Where finished games come from: threads of this process, or workers on other machines.
///
/// What a game is depends on the plan and its number alone. A source decides who plays it and when
/// it arrives, never how it goes.
pub trait GameSource {
    /// Gets the games of an order played and hands each record to `finished`, in any order. Returns
    /// the games that could not be played.
    ///
    /// When `stop` is set it returns soon, without the games that are not finished; so does an error
    /// of `finished`, which it returns. `counters` are kept up to date meanwhile, for display.
    /// A record that is delivered twice, or was not ordered, is the caller's to ignore.
    fn play<P: Position>(
        &mut self,
        order: &GameOrder<'_, P>,
        counters: &Counters,
        stop: &AtomicBool,
        finished: &mut dyn FnMut(GameRecord) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<DroppedGame>>;
}

/// Plays on threads of this process.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct LocalSource {
    shards: usize,
}

impl LocalSource {
    /// With a number of shards, each of them a thread.
    pub fn new(shards: usize) -> LocalSource {
        LocalSource { shards }
    }
}

impl GameSource for LocalSource {
    fn play<P: Position>(
        &mut self,
        order: &GameOrder<'_, P>,
        counters: &Counters,
        stop: &AtomicBool,
        finished: &mut dyn FnMut(GameRecord) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<DroppedGame>> {
        let GameOrder {
            plan,
            networks,
            numbers,
        } = order;
        let checkpoints = plan.checkpoints();
        let open = |checkpoint: u32| -> anyhow::Result<SelfplayEvaluator<P>> {
            if let Some(evaluator) = plan.bootstrap() {
                return Ok(SelfplayEvaluator::of_bootstrap(evaluator));
            }
            let network = (checkpoints.iter().zip(*networks))
                .find(|(number, _)| **number == checkpoint)
                .map(|(_, network)| network)
                .context("the order lacks its network")?;
            let evaluator = network.evaluator(plan.parallel_games())?;
            Ok(SelfplayEvaluator::Network(Box::new(evaluator)))
        };
        generate(plan, numbers, self.shards, open, stop, counters, finished)
    }
}
