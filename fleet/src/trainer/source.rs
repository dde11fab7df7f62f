use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use async_nats::jetstream::{AckKind, Message};
use garuda_rules::Position;
use garuda_run::records::GameRecord;
use garuda_run::{Log, RunDir, shown_path};
use garuda_selfplay::generate::{
    Counters, DroppedGame, GameOrder, GameSink, GameSource, NextNumber, NumberSupply, Plan,
    SelfplayEvaluator, generate_from,
};
use nkeys::KeyPair;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{Receiver, Sender, error::TryRecvError};
use tracing::warn;

use super::hub::{Hub, Offer};
use super::link::{Arrival, Link};
use crate::accept::{Refusal, check_games};
use crate::broker::{Broker, broker_config, reachable};
use crate::envelope::Envelope;
use crate::keys::trainer_key;
use crate::plan::{FleetPlan, PlanHash, hash_of};
use crate::registry::{BrokerDir, Registry};

/// Messages whose games are written together, and how long they wait for each other.
const WRITTEN_TOGETHER: usize = 64;
const WRITE_EVERY: Duration = Duration::from_secs(5);
/// How long the phase sleeps when there is nothing to do.
const IDLE: Duration = Duration::from_millis(5);
/// How often the broker, the registry and the leases are looked after.
const KEEPER_INTERVAL: Duration = Duration::from_millis(500);
/// Arrivals that wait for the phase.
const ARRIVALS: usize = 64;

/// How other machines take part.
#[derive(Clone, Debug)]
pub struct FleetOptions {
    /// Where the broker listens; port 0 for any.
    pub listen: SocketAddr,
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
        let mut registry = dir.open_registry(&path)?;
        if registry.workers.is_empty() {
            dir.add(&mut registry, &"worker-1".parse()?)?;
        }
        let key = trainer_key(&dir.file("trainer.nk"))?;
        let public = key.public_key();
        let broker = Broker::start(&dir, self.options.listen, |address| {
            broker_config(&dir, address, &public, &registry)
        })?;
        let address = broker.address();
        self.announce(&dir, address, &registry);
        self.session = Some(FleetSession::start(dir, broker, &key, registry)?);
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
            plan,
            networks: networks.collect(),
        };
        hub.open(offer, order.numbers);
        let ended = AtomicBool::new(false);
        let (sender, local) = channel();
        let played = thread::scope(|scope| {
            let supply = LocalSupply::new(&hub);
            let open = |checkpoint| SelfplayEvaluator::open(order.plan, order.networks, checkpoint);
            let (plan, ended_flag) = (order.plan, &ended);
            let playing = scope.spawn(move || {
                generate_from(
                    plan,
                    &supply,
                    shards,
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
                answers: &session.answers,
                unwritten: Vec::new(),
                waiting_since: Instant::now(),
            };
            let is_over = || {
                // Without shards of its own the trainer only waits.
                let has_failed = shards > 0 && playing.is_finished();
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
    fn announce(&self, dir: &BrokerDir, address: SocketAddr, registry: &Registry) {
        let host = match address.ip().is_unspecified() {
            true => {
                let name = rustix::system::uname()
                    .nodename()
                    .to_string_lossy()
                    .into_owned();
                format!("{name}:{}", address.port())
            }
            false => address.to_string(),
        };
        let Some(worker) = registry.workers.iter().find(|worker| !worker.revoked) else {
            return;
        };
        let key = shown_path(&dir.worker_key(&worker.name));
        (self.options.log).line(&format!("workers: garuda worker nats://{host} --key {key}"));
    }
}

impl FleetSession {
    fn start(
        dir: BrokerDir,
        broker: Broker,
        key: &KeyPair,
        registry: Registry,
    ) -> anyhow::Result<FleetSession> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_io()
            .enable_time()
            .build()
            .context("cannot start the connection to the broker")?;
        let url = format!("nats://{}", reachable(broker.address()));
        let link = runtime.block_on(Link::connect(&url, key, &registry.run))?;
        let trainer = key.public_key();
        let hub = Arc::new(Hub::new(registry));
        let (arrived, arrivals) = tokio::sync::mpsc::channel(ARRIVALS);
        let (answers, answered) = tokio::sync::mpsc::channel(ARRIVALS);
        runtime.spawn(link.clone().serve_leases(Arc::clone(&hub)));
        runtime.spawn(link.clone().serve_status(Arc::clone(&hub)));
        runtime.spawn(link.clone().take_games(Arc::clone(&hub), arrived));
        runtime.spawn(Link::answer(answered));
        Ok(FleetSession {
            keeper: Some(Keeper::start(dir, broker, trainer, Arc::clone(&hub))?),
            hub,
            arrivals,
            answers,
            link,
            runtime: Some(runtime),
        })
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

/// Numbers for the trainer's own shards, which take part like a worker.
struct LocalSupply<'a> {
    hub: &'a Hub,
    /// When there was nothing to play: not asked again at every step of a search.
    empty: Mutex<Option<Instant>>,
}

impl LocalSupply<'_> {
    fn new(hub: &Hub) -> LocalSupply<'_> {
        LocalSupply {
            hub,
            empty: Mutex::new(None),
        }
    }
}

impl NumberSupply for LocalSupply<'_> {
    fn next(&self) -> NextNumber {
        let mut empty = self.empty.lock().unwrap_or_else(PoisonError::into_inner);
        if empty.is_some_and(|since| since.elapsed() < IDLE) {
            return NextNumber::Later;
        }
        let next = self.hub.local_number();
        *empty = (next == NextNumber::Later).then(Instant::now);
        next
    }

    fn gave_up(&self, game: &DroppedGame) {
        self.hub.drop_game(game);
    }
}

/// Takes the games of one plan.
struct Intake<'a, P> {
    hub: &'a Hub,
    plan: &'a Plan<P>,
    hash: PlanHash,
    counters: &'a Counters,
    answers: &'a Sender<(Message, AckKind)>,
    /// Messages whose games are taken and not written.
    unwritten: Vec<Message>,
    waiting_since: Instant,
}

impl<P: Position> Intake<'_, P> {
    fn run(
        mut self,
        arrivals: &mut Receiver<Arrival>,
        local: &std::sync::mpsc::Receiver<GameRecord>,
        sink: &mut dyn GameSink,
        is_over: impl Fn() -> bool,
    ) -> anyhow::Result<()> {
        loop {
            // Before the queues are looked at: what came before the end is taken.
            let over = is_over();
            let mut idle = true;
            while let Ok(record) = local.try_recv() {
                idle = false;
                if self.hub.take_local(record.number()) {
                    sink.add(record)?;
                }
            }
            match arrivals.try_recv() {
                Ok(arrival) => {
                    idle = false;
                    self.take(arrival, sink)?;
                }
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => bail!("the connection to the broker has ended"),
            }
            let waits = !self.unwritten.is_empty();
            if self.unwritten.len() >= WRITTEN_TOGETHER
                || waits && self.waiting_since.elapsed() >= WRITE_EVERY
            {
                self.write(sink)?;
            }
            // What has not been looked at is delivered again.
            if over {
                return self.write(sink);
            }
            if idle {
                thread::sleep(IDLE);
            }
        }
    }

    fn take(&mut self, arrival: Arrival, sink: &mut dyn GameSink) -> anyhow::Result<()> {
        let Arrival {
            worker,
            plan,
            message,
        } = arrival;
        let checked = match Envelope::decode(&message.payload) {
            _ if plan != self.hash => Err(Refusal::Late),
            Ok(envelope) => check_games::<P>(envelope.records, self.plan),
            Err(e) => Err(e.into()),
        };
        let records = match checked {
            Ok(records) => records,
            Err(refusal) => {
                self.hub.refuse(&worker, &refusal);
                self.answer(message, AckKind::Term);
                return Ok(());
            }
        };
        for record in records {
            if self.hub.take(&worker, record.number()) {
                let positions = record.positions() as u64;
                self.counters.games.fetch_add(1, Ordering::Relaxed);
                (self.counters.positions).fetch_add(positions, Ordering::Relaxed);
                sink.add(record)?;
            }
        }
        if self.unwritten.is_empty() {
            self.waiting_since = Instant::now();
        }
        self.unwritten.push(message);
        Ok(())
    }

    /// Writes the games so far, and only then tells the broker that they are here.
    fn write(&mut self, sink: &mut dyn GameSink) -> anyhow::Result<()> {
        if self.unwritten.is_empty() {
            return Ok(());
        }
        sink.flush()?;
        for message in std::mem::take(&mut self.unwritten) {
            self.answer(message, AckKind::Ack);
        }
        Ok(())
    }

    fn answer(&self, message: Message, kind: AckKind) {
        // The task that receives them lives as long as the run is open.
        let _ = self.answers.blocking_send((message, kind));
    }
}

/// Looks after the broker, the registry and the leases, on a thread of its own.
#[derive(Debug)]
struct Keeper {
    ended: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Keeper {
    fn start(
        dir: BrokerDir,
        mut broker: Broker,
        trainer: String,
        hub: Arc<Hub>,
    ) -> anyhow::Result<Keeper> {
        let ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ended);
        let work = move || {
            while !flag.load(Ordering::Relaxed) {
                thread::park_timeout(KEEPER_INTERVAL);
                broker.keep_alive();
                hub.expire();
                match dir.read() {
                    Ok(registry) if registry != hub.registry() => {
                        let config = broker_config(&dir, broker.address(), &trainer, &registry);
                        hub.set_registry(registry);
                        if let Err(e) = broker.reload(&config) {
                            warn!("{e:#}");
                        }
                    }
                    Ok(_) => {}
                    Err(e) => warn!("{e:#}"),
                }
            }
        };
        let thread = (thread::Builder::new().name("broker".to_owned()))
            .spawn(work)
            .context("cannot start a thread")?;
        Ok(Keeper {
            ended,
            thread: Some(thread),
        })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
