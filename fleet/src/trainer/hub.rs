use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use garuda_selfplay::generate::{DroppedGame, NextNumber};
use tracing::{info, warn};

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

/// What the trainer knows of its fleet. Requests of workers and the phases of training meet here.
#[derive(Debug)]
pub(crate) struct Hub(Mutex<HubState>);

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
}

/// A plan whose games are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) hash: PlanHash,
    pub(crate) plan: Vec<u8>,
    /// Hash and bytes of the networks.
    pub(crate) networks: Vec<(String, Vec<u8>)>,
}

/// What is known of a worker.
#[derive(Debug, Default)]
struct WorkerState {
    seen: Option<Instant>,
    accepted: u64,
    refused: BTreeMap<String, u64>,
    last_refusal: Option<String>,
    /// Messages of the second that began then.
    second: Option<(Instant, u32)>,
}

impl WorkerState {
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
    pub(crate) fn new(registry: Registry) -> Hub {
        Hub(Mutex::new(HubState {
            registry,
            offer: None,
            table: LeaseTable::default(),
            dropped: Vec::new(),
            previous: None,
            workers: BTreeMap::new(),
            backlog: 0,
            leases: 0,
        }))
    }

    fn state(&self) -> MutexGuard<'_, HubState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn registry(&self) -> Registry {
        self.state().registry.clone()
    }

    pub(crate) fn set_registry(&self, registry: Registry) {
        let mut state = self.state();
        for worker in registry.workers.iter().filter(|worker| worker.revoked) {
            state.table.release(&Player::Worker(worker.name.clone()));
        }
        state.registry = registry;
    }

    /// Starts to hand out the games of a plan.
    pub(crate) fn open(&self, offer: Offer, numbers: &[u64]) {
        let mut state = self.state();
        state.table = LeaseTable::new(numbers);
        state.dropped.clear();
        state.offer = Some(offer);
    }

    /// Ends the plan, and returns the games that could not be played.
    pub(crate) fn close(&self) -> Vec<DroppedGame> {
        let mut state = self.state();
        if let Some(offer) = state.offer.take() {
            state.previous = Some(offer.hash);
        }
        state.table = LeaseTable::default();
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

    pub(crate) fn is_complete(&self) -> bool {
        self.state().table.is_complete()
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

    /// A number for a place of the trainer's own shards.
    pub(crate) fn local_number(&self) -> NextNumber {
        let mut state = self.state();
        let players = state.players();
        let granted = (state.table).grant(&Player::Local, 1, players, Instant::now());
        match granted.first() {
            Some(&number) => NextNumber::Number(number),
            None if state.table.is_complete() => NextNumber::End,
            None => NextNumber::Later,
        }
    }

    /// The trainer itself could not play a game: nobody can.
    pub(crate) fn drop_game(&self, game: &DroppedGame) {
        let mut state = self.state();
        if state.table.take(game.number) {
            state.dropped.push(game.clone());
        }
    }

    /// Closes the number of a game that the trainer played. Returns whether it was open.
    pub(crate) fn take_local(&self, number: u64) -> bool {
        self.state().table.take(number)
    }

    /// Closes the number of a worker's game if it is wanted, and counts it.
    pub(crate) fn take(&self, worker: &Name, number: u64) -> bool {
        let mut state = self.state();
        let found = (state.table).state(&Player::Worker(worker.clone()), number);
        let reason = match found {
            NumberState::Open => {
                state.table.take(number);
                state.worker(worker).accepted += 1;
                return true;
            }
            NumberState::Taken => "game known already",
            NumberState::NotLeased => "game not leased",
            NumberState::NotOrdered => "game not ordered",
        };
        let text = format!("game {number}");
        state.worker(worker).refuse(worker, reason, &text);
        false
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
        StatusAnswer {
            plan,
            accepted: known.accepted,
            refused: known.refused.clone(),
            last_refusal: known.last_refusal.clone(),
        }
    }
}

#[cfg(test)]
impl Hub {
    pub(crate) fn accepted(&self, worker: &str) -> u64 {
        self.state().worker(&worker.parse().unwrap()).accepted
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
        if (self.worker(worker).seen.replace(Instant::now())).is_none() {
            info!("worker {worker} is here");
        }
    }

    fn is_revoked(&self, worker: &Name) -> bool {
        self.registry.find(worker).is_none_or(|found| found.revoked)
    }

    /// Who plays at the moment, the trainer included.
    fn players(&self) -> usize {
        let is_here =
            |worker: &&WorkerState| worker.seen.is_some_and(|seen| seen.elapsed() < SILENCE);
        1 + self.workers.values().filter(is_here).count()
    }
}
