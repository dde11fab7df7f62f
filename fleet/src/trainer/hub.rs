use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use garuda_run::{FleetStatus, FleetTrust, FleetWorker};
use garuda_selfplay::generate::{DroppedGame, NextNumber};
use tokio::sync::Notify;
use tracing::{debug, info, warn};

use super::checks;
use super::intake_log::WorkerTotals;
use crate::accept::{KnownPlans, MAX_RATE, Refusal};
use crate::leases::{LeaseTable, NumberState, Player};
use crate::names::Name;
use crate::plan::PlanHash;
use crate::protocol::{LeaseAnswer, LeaseRequest, Status, StatusAnswer};
use crate::registry::Registry;

/// A worker that was not heard of for this long does not count for sharing games out.
const SILENCE: Duration = Duration::from_secs(20);
/// Numbers of one lease at most.
const MAX_LEASE: usize = 1024;
/// How long a worker waits where there is nothing to play: while the trainer trains, and while it
/// waits for the last games.
const WAIT_FOR_PLAN: Duration = Duration::from_secs(2);
const WAIT_FOR_NUMBERS: Duration = Duration::from_millis(500);

/// Games of a new worker that wait for checks at most: it gets no more numbers meanwhile.
const MAX_HELD: u64 = 128;

/// What the trainer knows of its fleet. Requests of workers and the phases of training meet here.
#[derive(Debug)]
pub(crate) struct Hub {
    state: Mutex<HubState>,
    opened: Notify,
}

#[derive(Debug)]
struct HubState {
    registry: Registry,
    offer: Option<Offer>,
    table: LeaseTable,
    dropped: Vec<DroppedGame>,
    previous: Option<PlanHash>,
    workers: BTreeMap<Name, WorkerState>,
    /// Messages that wait at the broker.
    backlog: u64,
    leases: u64,
    /// Numbers of workers' games that are to be played again.
    checks: VecDeque<u64>,
    uncheckable: Vec<u64>,
    /// Workers that are revoked and whose games have not been withdrawn.
    newly_revoked: Vec<Name>,
    /// Workers that sent a false game, until the registry says so.
    convicted: BTreeSet<Name>,
    /// Games that the trainer played itself.
    local: u64,
}

/// A plan whose games are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) hash: PlanHash,
    pub(crate) checkpoint: u32,
    pub(crate) plan: Vec<u8>,
    /// Hash and bytes of the networks.
    pub(crate) networks: Vec<(String, Vec<u8>)>,
}

/// What is known of a worker.
#[derive(Debug, Default)]
struct WorkerState {
    /// None for a worker that has left.
    seen: Option<Instant>,
    /// The same in seconds since 1970, for people.
    last_seen: Option<u64>,
    cores: u32,
    games_per_second: f64,
    spooled: u64,
    /// Of the whole run.
    totals: WorkerTotals,
    /// Games that wait for checks.
    held: u64,
    refused: BTreeMap<String, u64>,
    last_refusal: Option<String>,
    /// Messages of the second that began then.
    second: Option<(Instant, u32)>,
}

impl WorkerState {
    /// Whether it was heard of a moment ago.
    fn is_here(&self) -> bool {
        self.seen.is_some_and(|seen| seen.elapsed() < SILENCE)
    }

    fn refuse(&mut self, worker: &Name, reason: &str, text: &str) {
        let count = self.refused.entry(reason.to_owned()).or_default();
        *count += 1;
        // A worker can send as much nonsense as it likes, and must not fill the log with it.
        if count.is_power_of_two() {
            warn!("refused from {worker}, {reason}, {count} times so far: {text}");
        }
        self.last_refusal = Some(text.to_owned());
    }
}

impl Hub {
    pub(crate) fn new(registry: Registry, totals: BTreeMap<Name, WorkerTotals>) -> Hub {
        // A trainer that was killed may not have told the registry.
        let convicted = (totals.iter())
            .filter(|(name, totals)| {
                let found = registry.find(name);
                totals.failed > 0 && found.is_some_and(|found| !found.revoked)
            })
            .map(|(name, _)| name.clone())
            .collect();
        let mut state = HubState {
            registry,
            offer: None,
            table: LeaseTable::default(),
            dropped: Vec::new(),
            previous: None,
            workers: BTreeMap::new(),
            backlog: 0,
            leases: 0,
            checks: VecDeque::new(),
            uncheckable: Vec::new(),
            newly_revoked: Vec::new(),
            convicted,
            local: 0,
        };
        for (worker, totals) in totals {
            state.worker(&worker).totals = totals;
        }
        state.revoke_convicted();
        Hub {
            state: Mutex::new(state),
            opened: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn registry(&self) -> Registry {
        self.state().registry.clone()
    }

    pub(crate) fn set_registry(&self, registry: Registry) {
        let mut state = self.state();
        for worker in registry.workers.iter().filter(|worker| worker.revoked) {
            state.convicted.remove(&worker.name);
            if !state.is_revoked(&worker.name) {
                state.newly_revoked.push(worker.name.clone());
                state.table.release(&Player::Worker(worker.name.clone()));
            }
        }
        state.registry = registry;
        state.revoke_convicted();
    }

    /// Workers whose games are to be withdrawn, each once.
    pub(crate) fn newly_revoked(&self) -> Vec<Name> {
        std::mem::take(&mut self.state().newly_revoked)
    }

    /// Workers that must be revoked in the registry.
    pub(crate) fn convicted(&self) -> Vec<Name> {
        self.state().convicted.iter().cloned().collect()
    }

    pub(crate) fn is_revoked(&self, worker: &Name) -> bool {
        self.state().is_revoked(worker)
    }

    /// Starts to hand out the games of a plan.
    pub(crate) fn open(&self, offer: Offer, numbers: &[u64]) {
        let mut state = self.state();
        state.table = LeaseTable::new(numbers);
        state.dropped.clear();
        state.offer = Some(offer);
        self.opened.notify_one();
    }

    /// The plan of the moment, or the next one.
    pub(crate) async fn next_offer(&self) -> Offer {
        loop {
            if let Some(offer) = self.offer() {
                return offer;
            }
            self.opened.notified().await;
        }
    }

    /// Ends the plan, and returns the games that could not be played.
    pub(crate) fn close(&self) -> Vec<DroppedGame> {
        let mut state = self.state();
        if let Some(offer) = state.offer.take() {
            state.previous = Some(offer.hash);
        }
        state.table = LeaseTable::default();
        state.checks.clear();
        state.uncheckable.clear();
        for worker in state.workers.values_mut() {
            worker.held = 0;
        }
        std::mem::take(&mut state.dropped)
    }

    pub(crate) fn offer(&self) -> Option<Offer> {
        self.state().offer.clone()
    }

    pub(crate) fn plans(&self) -> KnownPlans {
        let state = self.state();
        KnownPlans {
            current: state.offer.as_ref().map(|offer| offer.hash),
            previous: state.previous,
        }
    }

    /// Whether all games are here, and none of them waits for a check.
    pub(crate) fn is_complete(&self) -> bool {
        let state = self.state();
        state.table.is_complete() && state.workers.values().all(|worker| worker.held == 0)
    }

    pub(crate) fn set_backlog(&self, messages: u64) {
        self.state().backlog = messages;
    }

    /// Ends leases that are not kept. Not while messages wait: their games may be among those.
    pub(crate) fn expire(&self) {
        let mut state = self.state();
        if state.backlog == 0 {
            state.table.expire(Instant::now());
        }
    }

    /// A number for a place of the trainer's own shards: a check first, for which games wait, then
    /// a game of its own if it `plays` any.
    pub(crate) fn local_number(&self, plays: bool) -> NextNumber {
        let mut state = self.state();
        if let Some(number) = state.checks.pop_front() {
            return NextNumber::Number(number);
        }
        if !plays {
            return NextNumber::Later;
        }
        let players = state.players();
        let granted = (state.table).grant(&Player::Local, 1, players, Instant::now());
        match granted.first() {
            Some(&number) => NextNumber::Number(number),
            // Even if all games are here: some may be withdrawn.
            None => NextNumber::Later,
        }
    }

    /// The trainer itself could not play a game: nobody can.
    pub(crate) fn drop_game(&self, game: &DroppedGame) {
        let mut state = self.state();
        if state.table.take(game.number) {
            state.dropped.push(game.clone());
        } else {
            state.uncheckable.push(game.number);
        }
    }

    /// Numbers of games that were to be checked and that the trainer could not play, each once.
    pub(crate) fn uncheckable(&self) -> Vec<u64> {
        std::mem::take(&mut self.state().uncheckable)
    }

    /// Closes the number of a game that the trainer played. Returns whether it was open.
    pub(crate) fn take_local(&self, number: u64) -> bool {
        let mut state = self.state();
        let is_open = state.table.take(number);
        state.local += u64::from(is_open);
        is_open
    }

    /// Closes the number of a worker's game if it is wanted.
    pub(crate) fn take(&self, worker: &Name, number: u64) -> bool {
        let mut state = self.state();
        let found = (state.table).state(&Player::Worker(worker.clone()), number);
        let reason = match found {
            NumberState::Open => {
                state.table.take(number);
                return true;
            }
            // No fault: what is still played is given out twice when there is nothing else to play.
            NumberState::Taken => {
                let refused = &mut state.worker(worker).refused;
                *refused.entry("game known already".to_owned()).or_default() += 1;
                debug!("game {number} of {worker} is known already");
                return false;
            }
            NumberState::NotLeased => "game not leased",
            NumberState::NotOrdered => "game not ordered",
        };
        let text = format!("game {number}");
        state.worker(worker).refuse(worker, reason, &text);
        false
    }

    /// Counts games of a worker that are as good as written.
    pub(crate) fn accept(&self, worker: &Name, games: usize) {
        self.state().worker(worker).totals.accepted += games as u64;
    }

    /// Number of checks that a worker has passed.
    pub(crate) fn passed(&self, worker: &Name) -> u64 {
        self.state().worker(worker).totals.passed
    }

    /// Notes that games of a worker wait until some of them have been played again.
    pub(crate) fn hold(&self, worker: &Name, games: usize, unchecked: &BTreeSet<u64>) {
        let mut state = self.state();
        state.worker(worker).held += games as u64;
        state.checks.extend(unchecked);
    }

    /// Notes that they wait no more.
    pub(crate) fn release(&self, worker: &Name, games: usize) {
        let mut state = self.state();
        let held = &mut state.worker(worker).held;
        *held = held.saturating_sub(games as u64);
    }

    /// Notes what a check found. A worker that fails one is revoked.
    pub(crate) fn note_check(&self, worker: &Name, equal: bool) {
        let mut state = self.state();
        let totals = &mut state.worker(worker).totals;
        totals.passed += u64::from(equal);
        totals.failed += u64::from(!equal);
        if !equal {
            state.convicted.insert(worker.clone());
            state.revoke_convicted();
        }
    }

    /// Opens numbers whose games were taken back.
    pub(crate) fn reopen(&self, numbers: &[u64]) {
        self.state().table.reopen(numbers);
    }

    /// Notes how many games of a worker were taken back, and returns how many remain.
    pub(crate) fn note_withdrawn(&self, worker: &Name, games: u64) -> u64 {
        let mut state = self.state();
        let totals = &mut state.worker(worker).totals;
        totals.withdrawn += games;
        totals.accepted = totals.accepted.saturating_sub(games);
        totals.accepted
    }

    pub(crate) fn refuse(&self, worker: &Name, refusal: &Refusal) {
        let mut state = self.state();
        let text = refusal.to_string();
        state.worker(worker).refuse(worker, refusal.name(), &text);
    }

    /// Whether a worker sends faster than it may. Counts the message.
    pub(crate) fn is_too_fast(&self, worker: &Name) -> bool {
        let mut state = self.state();
        let now = Instant::now();
        let (since, count) = state.worker(worker).second.get_or_insert((now, 0));
        if since.elapsed() >= Duration::from_secs(1) {
            (*since, *count) = (now, 0);
        }
        *count += 1;
        *count > MAX_RATE
    }

    pub(crate) fn lease(&self, worker: &Name, request: &LeaseRequest) -> LeaseAnswer {
        let mut state = self.state();
        state.see(worker);
        let none = |plan, wait: Duration| LeaseAnswer {
            plan,
            lease: 0,
            numbers: Vec::new(),
            more: false,
            wait_ms: wait.as_millis() as u64,
        };
        let Some(plan) = state.offer.as_ref().map(|offer| offer.hash) else {
            return none(None, WAIT_FOR_PLAN);
        };
        if request.plan != plan || state.is_revoked(worker) {
            return none(Some(plan), WAIT_FOR_NUMBERS);
        }
        let known = state.worker(worker);
        if !checks::is_proven(known.totals.passed) && known.held >= MAX_HELD {
            return none(Some(plan), WAIT_FOR_NUMBERS);
        }
        let want = (request.want as usize).min(MAX_LEASE);
        let players = state.players();
        let player = Player::Worker(worker.clone());
        let numbers = (state.table).grant(&player, want, players, Instant::now());
        state.leases += 1;
        LeaseAnswer {
            lease: state.leases,
            more: state.table.has_free(),
            numbers,
            ..none(Some(plan), WAIT_FOR_NUMBERS)
        }
    }

    pub(crate) fn status(&self, worker: &Name, status: &Status) -> StatusAnswer {
        let mut state = self.state();
        state.see(worker);
        let player = Player::Worker(worker.clone());
        let plan = state.offer.as_ref().map(|offer| offer.hash);
        if plan.is_some() && status.plan == plan {
            state.table.give_up(worker, &status.given_up);
            (state.table).renew(&player, &status.in_hand, Instant::now());
        }
        if status.leaving {
            info!("worker {worker} leaves");
            state.table.release(&player);
            state.worker(worker).seen = None;
        }
        let known = state.worker(worker);
        known.cores = status.cores;
        known.games_per_second = match status.games_per_second {
            rate if rate.is_finite() && !status.leaving => rate.max(0.0),
            _ => 0.0,
        };
        known.spooled = status.spooled;
        StatusAnswer {
            plan,
            accepted: known.totals.accepted,
            refused: known.refused.clone(),
            last_refusal: known.last_refusal.clone(),
        }
    }
}

/// For people who watch.
impl Hub {
    pub(crate) fn summary(&self) -> FleetStatus {
        let state = self.state();
        let unknown = WorkerState::default();
        let workers = state.registry.workers.iter().map(|registered| {
            let known = state.workers.get(&registered.name).unwrap_or(&unknown);
            FleetWorker {
                name: registered.name.to_string(),
                trust: match registered.revoked {
                    true => FleetTrust::Revoked,
                    false if checks::is_proven(known.totals.passed) => FleetTrust::Proven,
                    false => FleetTrust::New,
                },
                here: known.is_here(),
                last_seen: known.last_seen,
                cores: known.cores,
                games_per_second: if known.is_here() {
                    known.games_per_second
                } else {
                    0.0
                },
                spooled: known.spooled,
                accepted: known.totals.accepted,
                held: known.held,
                withdrawn: known.totals.withdrawn,
                checks_passed: known.totals.passed,
                checks_failed: known.totals.failed,
                refused: known.refused.clone(),
                last_refusal: known.last_refusal.clone(),
            }
        });
        FleetStatus {
            version: FleetStatus::VERSION,
            written: unix_seconds(),
            checkpoint: state.offer.as_ref().map(|offer| offer.checkpoint),
            missing: state.table.missing() as u64,
            held: state.workers.values().map(|worker| worker.held).sum(),
            backlog: state.backlog,
            local: state.local,
            workers: workers.collect(),
        }
    }
}

fn unix_seconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
impl Hub {
    pub(crate) fn accepted(&self, worker: &str) -> u64 {
        let mut state = self.state();
        state.worker(&worker.parse().unwrap()).totals.accepted
    }

    pub(crate) fn refusals(&self, worker: &str) -> BTreeMap<String, u64> {
        let mut state = self.state();
        state.worker(&worker.parse().unwrap()).refused.clone()
    }

    pub(crate) fn refused(&self, worker: &str, reason: &str) -> u64 {
        self.refusals(worker).get(reason).copied().unwrap_or(0)
    }
}

impl HubState {
    fn worker(&mut self, worker: &Name) -> &mut WorkerState {
        self.workers.entry(worker.clone()).or_default()
    }

    fn see(&mut self, worker: &Name) {
        let known = self.worker(worker);
        known.last_seen = Some(unix_seconds());
        if known.seen.replace(Instant::now()).is_none() {
            info!("worker {worker} is here");
        }
    }

    /// Applies convictions to what is known of the registry.
    fn revoke_convicted(&mut self) {
        for worker in &self.convicted {
            self.registry.revoke(worker);
            self.table.release(&Player::Worker(worker.clone()));
        }
    }

    fn is_revoked(&self, worker: &Name) -> bool {
        self.registry.find(worker).is_none_or(|found| found.revoked)
    }

    /// Who plays at the moment, the trainer included.
    fn players(&self) -> usize {
        let here = self.workers.values().filter(|worker| worker.is_here());
        1 + here.count()
    }
}
