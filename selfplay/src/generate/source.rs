use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use garuda_model::Network;
use garuda_rules::Position;
use garuda_run::RunDir;
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

/// Takes finished games.
pub trait GameSink {
    /// Takes a game, which may still be lost in a crash. A record that comes twice, or was not
    /// ordered, is ignored.
    fn add(&mut self, record: GameRecord) -> anyhow::Result<()>;

    /// Writes all games so far: they survive a crash once this returns.
    fn flush(&mut self) -> anyhow::Result<()>;

    /// Takes games of the order's checkpoint back, also those that were there before the order, and
    /// wants them again. Returns the numbers of those that were there.
    fn withdraw(&mut self, numbers: &BTreeSet<u64>) -> anyhow::Result<Vec<u64>>;
}

/// Where finished games come from: threads of this process, or workers on other machines.
///
/// What a game is depends on the plan and its number alone. A source decides who plays it and when
/// it arrives, never how it goes.
pub trait GameSource {
    /// Called once, when the run is open and locked.
    fn open(&mut self, _run: &RunDir) -> anyhow::Result<()> {
        Ok(())
    }

    /// Gets the games of an order played and hands each record to `sink`, in any order. Returns the
    /// games that could not be played.
    ///
    /// When `stop` is set it returns soon, without the games that are not finished; so does an error
    /// of `sink`, which it returns. `counters` are kept up to date meanwhile, for display.
    fn play<P: Position>(
        &mut self,
        order: &GameOrder<'_, P>,
        counters: &Counters,
        stop: &AtomicBool,
        sink: &mut dyn GameSink,
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
        sink: &mut dyn GameSink,
    ) -> anyhow::Result<Vec<DroppedGame>> {
        let GameOrder {
            plan,
            networks,
            numbers,
        } = order;
        let open = |checkpoint| SelfplayEvaluator::open(plan, networks, checkpoint);
        let finished = |record| sink.add(record);
        generate(plan, numbers, self.shards, open, stop, counters, finished)
    }
}
