use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use async_nats::jetstream::{AckKind, Message};
use garuda_model::{Network, NetworkKind};
use garuda_rules::Position;
use garuda_run::{Log, RunDir, create_dir, shown_path};
use garuda_selfplay::generate::{
    Counters, DroppedGame, GameOrder, GameSink, GameSource, NextNumber, NumberSupply,
    SelfplayEvaluator, generate_from,
};
use nkeys::KeyPair;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{Receiver, Sender};

use super::hub::{Hub, Offer};
use super::intake::{IDLE, Intake, withdraw_written};
use super::intake_log::IntakeLog;
use super::keeper::Keeper;
use super::link::{Arrival, Link};
use super::readers::Readers;
use crate::broker::{BrokerAddress, RunBroker};
use crate::keys::trainer_key;
use crate::names::Name;
use crate::plan::{FleetPlan, PlanHash, hash_of};
use crate::registry::{BrokerDir, Registry};

/// Arrivals that wait for the phase.
const ARRIVALS: usize = 64;

/// How other machines take part.
#[derive(Clone, Debug)]
pub struct FleetOptions {
    pub broker: BrokerAddress,
    /// The trainer's own shards.
    pub shards: usize,
    pub log: Log,
}

/// Plays on threads of this process and on workers that connect to a broker of the run.
#[derive(Debug)]
pub struct FleetSource {
    options: FleetOptions,
    session: Option<FleetSession>,
}

/// What works in the background while the run is open.
#[derive(Debug)]
struct FleetSession {
    hub: Arc<Hub>,
    log: IntakeLog,
    arrivals: Receiver<Arrival>,
    answers: Sender<(Message, AckKind)>,
    link: Link,
    runtime: Option<Runtime>,
    keeper: Option<Keeper>,
}

impl FleetSource {
    pub fn new(options: FleetOptions) -> FleetSource {
        FleetSource {
            options,
            session: None,
        }
    }
}

impl GameSource for FleetSource {
    fn open(&mut self, run: &RunDir) -> anyhow::Result<()> {
        let path = run.path().canonicalize();
        let path = path.with_context(|| format!("cannot open {}", run.path().display()))?;
        let dir = BrokerDir::of(&path);
        create_dir(dir.path())?;
        match &self.options.broker {
            BrokerAddress::Listen(_) => dir.make_certificate()?,
            BrokerAddress::Outside { authority, .. } => dir.use_authority(authority.as_deref())?,
        }
        let mut registry = dir.open_registry(&path)?;
        if registry.workers.is_empty() {
            dir.add(&mut registry, &"worker-1".parse()?)?;
        }
        let key = trainer_key(&dir.file("trainer.nk"))?;
        let broker = RunBroker::start(&dir, &self.options.broker, key.public_key(), &registry)?;
        self.announce(&dir, &broker.public_url(), &registry);
        self.session = Some(FleetSession::start(dir, broker, &key, registry, run)?);
        Ok(())
    }

    fn play<P: Position>(
        &mut self,
        order: &GameOrder<'_, P>,
        counters: &Counters,
        stop: &AtomicBool,
        sink: &mut dyn GameSink,
    ) -> anyhow::Result<Vec<DroppedGame>> {
        let shards = self.options.shards;
        let session = self.session.as_mut().context("the broker is not started")?;
        let hub = Arc::clone(&session.hub);
        let plan = FleetPlan::new(&hub.registry().run, order)?.to_bytes();
        let hash = PlanHash::of(&plan);
        let networks = (order.networks.iter())
            .map(|network| (hash_of(network.bytes()), network.bytes().to_vec()));
        let offer = Offer {
            hash,
            checkpoint: order.plan.checkpoint(),
            plan,
            networks: networks.collect(),
        };
        let (senders, withdrawn) = session.withdraw_revoked(order.plan.checkpoint(), sink)?;
        hub.open(offer, &[order.numbers, &withdrawn[..]].concat());
        let checks = order.networks.iter().all(is_exact);
        // Someone must make the checks, also where the trainer plays no games of its own.
        let threads = shards.max(usize::from(checks));
        let ended = AtomicBool::new(false);
        let (sender, local) = channel();
        let played = thread::scope(|scope| {
            let supply = LocalSupply {
                hub: &hub,
                plays: shards > 0,
                empty: Mutex::new(None),
            };
            let open = |checkpoint| SelfplayEvaluator::open(order.plan, order.networks, checkpoint);
            let (plan, ended_flag) = (order.plan, &ended);
            let playing = scope.spawn(move || {
                generate_from(
                    plan,
                    &supply,
                    threads,
                    open,
                    ended_flag,
                    counters,
                    |record| {
                        // The receiver is gone only when the phase is over.
                        let _ = sender.send(record);
                        Ok(())
                    },
                )
            });
            let intake = Intake {
                hub: &hub,
                plan: order.plan,
                hash,
                counters,
                readers: Readers::start(scope, order.plan),
                answers: &session.answers,
                log: &mut session.log,
                checks,
                senders,
                held: Vec::new(),
                unwritten: Vec::new(),
                waiting_since: Instant::now(),
            };
            let is_over = || {
                // Without threads of its own the trainer only waits.
                let has_failed = threads > 0 && playing.is_finished();
                stop.load(Ordering::Relaxed) || hub.is_complete() || has_failed
            };
            let result = intake.run(&mut session.arrivals, &local, sink, is_over);
            ended.store(true, Ordering::Relaxed);
            let Ok(generated) = playing.join() else {
                bail!("the trainer's own shards panicked outside of their games");
            };
            result.and(generated.map(drop))
        });
        let dropped = hub.close();
        session.flush();
        played.map(|()| dropped)
    }
}

impl FleetSource {
    #[cfg(test)]
    pub(crate) fn hub(&self) -> Arc<Hub> {
        Arc::clone(&self.session.as_ref().unwrap().hub)
    }

    /// Says how workers join.
    fn announce(&self, dir: &BrokerDir, url: &str, registry: &Registry) {
        let Some(worker) = registry.workers.iter().find(|worker| !worker.revoked) else {
            return;
        };
        let key = shown_path(&dir.worker_key(&worker.name));
        (self.options.log).line(&format!("workers: garuda worker {url} --key {key}"));
    }
}

impl FleetSession {
    fn start(
        dir: BrokerDir,
        broker: RunBroker,
        key: &KeyPair,
        registry: Registry,
        run: &RunDir,
    ) -> anyhow::Result<FleetSession> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_io()
            .enable_time()
            .build()
            .context("cannot start the connection to the broker")?;
        let (url, authority) = (broker.url(), dir.read_ca()?);
        let retries = broker.is_own();
        let connecting = Link::connect(&url, key, authority.as_deref(), &registry.run, retries);
        let link = broker.explained(runtime.block_on(connecting))?;
        let log = IntakeLog::open(&run.intake())?;
        let known = registry.clone();
        let hub = Arc::new(Hub::new(registry, log.totals()?));
        let (arrived, arrivals) = tokio::sync::mpsc::channel(ARRIVALS);
        let (answers, answered) = tokio::sync::mpsc::channel(ARRIVALS);
        runtime.spawn(link.clone().serve_leases(Arc::clone(&hub)));
        runtime.spawn(link.clone().serve_status(Arc::clone(&hub)));
        runtime.spawn(link.clone().take_games(Arc::clone(&hub), arrived));
        runtime.spawn(Link::answer(answered));
        Ok(FleetSession {
            keeper: Some(Keeper::start(
                dir,
                broker,
                Arc::clone(&hub),
                known,
                run.fleet(),
            )?),
            hub,
            log,
            arrivals,
            answers,
            link,
            runtime: Some(runtime),
        })
    }

    /// Takes back games of a checkpoint that an earlier trainer accepted from workers that are
    /// revoked by now. Returns the others by who sent them, and the numbers that are missing again.
    fn withdraw_revoked(
        &mut self,
        checkpoint: u32,
        sink: &mut dyn GameSink,
    ) -> anyhow::Result<(Senders, Vec<u64>)> {
        self.hub.newly_revoked();
        let mut senders = self.log.senders(checkpoint)?;
        let mut missing = Vec::new();
        for worker in senders.keys().cloned().collect::<Vec<_>>() {
            if !self.hub.is_revoked(&worker) {
                continue;
            }
            let numbers = senders.remove(&worker).unwrap_or_default();
            let count = numbers.len() as u64;
            missing.extend(withdraw_written(
                &mut self.log,
                &worker,
                checkpoint,
                numbers,
                sink,
            )?);
            self.hub.note_withdrawn(&worker, count);
        }
        Ok((senders, missing))
    }

    fn flush(&self) {
        if let Some(runtime) = &self.runtime {
            runtime.block_on(self.link.flush());
        }
    }
}

impl Drop for FleetSession {
    fn drop(&mut self) {
        self.flush();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
        // The broker ends after everything that speaks to it.
        drop(self.keeper.take());
    }
}

/// Games by the workers that sent them.
type Senders = BTreeMap<Name, BTreeSet<u64>>;

/// Whether a network computes the same on every machine, so that games can be compared. Networks in
/// floating point do not.
fn is_exact(network: &Network) -> bool {
    network.info().architecture.kind() == NetworkKind::Sparse
}

/// Numbers for the trainer's own shards, which take part like a worker.
struct LocalSupply<'a> {
    hub: &'a Hub,
    /// Whether it plays games of its own, besides the checks.
    plays: bool,
    /// When there was nothing to play: not asked again at every step of a search.
    empty: Mutex<Option<Instant>>,
}

impl NumberSupply for LocalSupply<'_> {
    fn next(&self) -> NextNumber {
        let mut empty = self.empty.lock().unwrap_or_else(PoisonError::into_inner);
        if empty.is_some_and(|since| since.elapsed() < IDLE) {
            return NextNumber::Later;
        }
        let next = self.hub.local_number(self.plays);
        *empty = (next == NextNumber::Later).then(Instant::now);
        next
    }

    fn gave_up(&self, game: &DroppedGame) {
        self.hub.drop_game(game);
    }
}
