use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use garuda_model::Network;
use garuda_rules::Position;
use garuda_run::records::{GameRecord, encode_record_file};
use garuda_run::{BinaryBytes, StatusLine, checkpoint_name};
use garuda_selfplay::generate::{
    Counters, DroppedGame, NextNumber, NumberSupply, Plan, SelfplayEvaluator, generate_from,
};
use tokio::runtime::Runtime;
use tracing::{debug, warn};

use super::WorkerOptions;
use super::link::WorkerLink;
use super::sending::Outbox;
use crate::envelope::seal;
use crate::names::GAMES_PER_MESSAGE;
use crate::plan::PlanHash;
use crate::protocol::Status;

/// How long finished games wait for others of the same message; less when the trainer waits for the
/// last games of a plan.
const SEND_EVERY: Duration = Duration::from_secs(5);
const SEND_LAST: Duration = Duration::from_millis(20);
/// How long the numbers that are leased ahead last: each request costs the worker, the broker and the
/// trainer CPU time, but numbers that wait here cannot be played by others.
const LEASE_AHEAD: Duration = Duration::from_millis(250);
const HEARTBEAT: Duration = Duration::from_secs(4);
/// Pause after a request that was not answered.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Pause between looks for another plan.
const LOOK_PAUSE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(10);

/// Plays games of one plan.
pub(super) struct PlanPlay<'a, P> {
    pub(super) plan: Plan<P>,
    pub(super) networks: Vec<Network>,
    pub(super) hash: PlanHash,
    pub(super) options: &'a WorkerOptions,
    pub(super) link: &'a WorkerLink,
    pub(super) runtime: &'a Runtime,
    pub(super) outbox: &'a Outbox,
}

/// Numbers that were leased and not started.
#[derive(Default)]
struct LeasedNumbers {
    waiting: Mutex<VecDeque<u64>>,
    given_up: Mutex<Vec<u64>>,
}

impl NumberSupply for LeasedNumbers {
    fn next(&self) -> NextNumber {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.pop_front() {
            Some(number) => NextNumber::Number(number),
            None => NextNumber::Later,
        }
    }

    fn gave_up(&self, game: &DroppedGame) {
        let mut given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        given_up.push(game.number);
    }
}

/// What a worker knows while it plays a plan.
struct PlanState {
    lease: u64,
    /// Whether the trainer has more numbers.
    more: bool,
    ask_at: Instant,
    /// When to look for another plan at the earliest.
    look_at: Instant,
    heartbeat_at: Instant,
    finished: Vec<GameRecord>,
    /// When the first of those was finished.
    finished_since: Instant,
    started: Instant,
    games: u64,
    /// Whether the trainer has another plan.
    over: bool,
    refusals: u64,
    line: StatusLine,
}

impl PlanState {
    fn games_per_second(&self) -> f64 {
        self.games as f64 / self.started.elapsed().as_secs_f64().max(1.0)
    }
}

impl<P: Position> PlanPlay<'_, P> {
    /// Plays until the trainer has another plan or the worker is stopped. Returns the number of
    /// games.
    pub(super) fn run(self) -> anyhow::Result<u64> {
        let numbers = LeasedNumbers::default();
        let ended = AtomicBool::new(false);
        let counters = Counters::default();
        let (sender, receiver) = channel();
        let cores = self.options.cores;
        let result = thread::scope(|scope| {
            let (numbers, ended, counters, this) = (&numbers, &ended, &counters, &self);
            let open = |number| SelfplayEvaluator::open(&this.plan, &this.networks, number);
            let playing = scope.spawn(move || {
                generate_from(
                    &this.plan,
                    numbers,
                    cores,
                    open,
                    ended,
                    counters,
                    |record| {
                        // The receiver is gone only when the plan is over.
                        let _ = sender.send(record);
                        Ok(())
                    },
                )
            });
            let is_failed = || playing.is_finished();
            let result = self.follow(numbers, &receiver, is_failed);
            ended.store(true, Ordering::Relaxed);
            match playing.join() {
                Ok(played) => played.and(result),
                Err(_) => bail!("the shards panicked outside of their games"),
            }
        });
        self.outbox.hand.clear();
        result
    }

    /// Keeps the shards supplied and their games moving.
    fn follow(
        &self,
        numbers: &LeasedNumbers,
        finished: &Receiver<GameRecord>,
        is_failed: impl Fn() -> bool,
    ) -> anyhow::Result<u64> {
        let now = Instant::now();
        let mut state = PlanState {
            lease: 0,
            more: true,
            ask_at: now,
            look_at: now,
            heartbeat_at: now,
            finished: Vec::new(),
            finished_since: now,
            started: now,
            games: 0,
            over: false,
            refusals: 0,
            line: self.options.log.status("self-play"),
        };
        loop {
            let over =
                state.over || self.options.stop.is_due() || self.link.is_refused() || is_failed();
            while let Ok(record) = finished.try_recv() {
                if state.finished.is_empty() {
                    state.finished_since = Instant::now();
                }
                state.games += 1;
                state.finished.push(record);
            }
            let patience = if state.more { SEND_EVERY } else { SEND_LAST };
            let is_due = state.finished.len() >= GAMES_PER_MESSAGE
                || over
                || state.finished_since.elapsed() >= patience;
            if is_due {
                self.spool(&mut state)?;
            }
            if over {
                return Ok(state.games);
            }
            if self.link.has_notice() && Instant::now() >= state.look_at {
                self.look_for_plan(&mut state);
            }
            if Instant::now() >= state.ask_at && !self.outbox.spool().is_full() {
                self.lease(numbers, &mut state);
            }
            if Instant::now() >= state.heartbeat_at {
                self.heartbeat(numbers, &mut state);
            }
            thread::sleep(TICK);
        }
    }

    /// Anyone may announce a plan: games in progress are given up only for one that is there.
    fn look_for_plan(&self, state: &mut PlanState) {
        state.look_at = Instant::now() + LOOK_PAUSE;
        match self.runtime.block_on(self.link.plan()) {
            Ok(Some(bytes)) => state.over |= PlanHash::of(&bytes) != self.hash,
            Ok(None) => {}
            Err(e) => debug!("no plan: {e:#}"),
        }
    }

    /// Puts finished games into the spool.
    fn spool(&self, state: &mut PlanState) -> anyhow::Result<()> {
        while !state.finished.is_empty() {
            let count = state.finished.len().min(GAMES_PER_MESSAGE);
            let records: Vec<_> = state.finished.drain(..count).collect();
            let bytes = encode_record_file(&records)?;
            let key = &self.options.key;
            let message = seal(
                &key.key,
                &key.run,
                &key.worker,
                self.hash,
                state.lease,
                &bytes,
            )
            .context("cannot sign games")?;
            let numbers = records.iter().map(GameRecord::number).collect();
            self.outbox.add(&message, numbers)?;
        }
        Ok(())
    }

    /// Asks for numbers while there are fewer than the shards could start next.
    fn lease(&self, numbers: &LeasedNumbers, state: &mut PlanState) {
        let places = self.options.cores * self.plan.parallel_games();
        let held = self.outbox.hand.list().len();
        let unstarted = (numbers.waiting.lock())
            .unwrap_or_else(PoisonError::into_inner)
            .len();
        let ahead = (state.games_per_second() * LEASE_AHEAD.as_secs_f64()) as usize;
        let reserve = ahead.max(places / 4).max(1);
        if 2 * unstarted >= reserve {
            return;
        }
        let want = places.saturating_sub(held) + reserve - unstarted;
        match self
            .runtime
            .block_on(self.link.lease(self.hash, want as u32))
        {
            Ok(answer) => {
                state.more = answer.more;
                state.over = answer.plan != Some(self.hash);
                if answer.numbers.is_empty() {
                    state.ask_at = Instant::now() + Duration::from_millis(answer.wait_ms);
                    return;
                }
                state.lease = answer.lease;
                self.outbox.hand.add(&answer.numbers);
                (numbers.waiting.lock())
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(answer.numbers);
            }
            Err(e) => {
                debug!("no lease: {e:#}");
                state.ask_at = Instant::now() + RETRY_PAUSE;
            }
        }
    }

    /// Says what is in hand, and hears what became of games.
    fn heartbeat(&self, numbers: &LeasedNumbers, state: &mut PlanState) {
        state.heartbeat_at = Instant::now() + HEARTBEAT;
        let given_up = (numbers.given_up.lock())
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        self.outbox.hand.remove(&given_up);
        let games_per_second = state.games_per_second();
        let status = Status {
            plan: Some(self.hash),
            in_hand: self.outbox.hand.list(),
            given_up,
            cores: self.options.cores as u32,
            games_per_second,
            spooled: self.outbox.spool().bytes(),
            leaving: false,
        };
        match self.runtime.block_on(self.link.status(&status)) {
            Ok(answer) => {
                let refused = answer.refused.values().sum();
                state.line.set(|| {
                    let waiting = match self.outbox.spool().bytes() {
                        0 => String::new(),
                        bytes => format!(" · {} to send", BinaryBytes(bytes)),
                    };
                    format!(
                        "checkpoint {} · {games_per_second:.2} games/s · {} accepted · \
                         {refused} refused{waiting}",
                        checkpoint_name(self.plan.checkpoint()),
                        answer.accepted
                    )
                });
                if refused > state.refusals
                    && let Some(last) = &answer.last_refusal
                {
                    warn!("refused by the trainer, {refused} so far; the last: {last}");
                }
                state.refusals = refused;
                state.over |= answer.plan.is_some_and(|plan| plan != self.hash);
            }
            Err(e) => debug!("no answer to the heartbeat: {e:#}"),
        }
    }
}
