//! The trainer's side against a real broker, with workers that behave and others that do not.

mod attacks;
mod cheats;
mod games;
mod links;
mod messages;
mod versions;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use async_nats::client::RequestError;
use async_nats::jetstream::Context;
use async_nats::{Client, ConnectOptions};
use garuda_model::Network;
use garuda_rules::tori::ToriPosition;
use garuda_run::config::Config;
use garuda_run::records::GameRecord;
use garuda_run::{Log, RunDir, Stop};
use garuda_selfplay::generate::{
    Counters, GameOrder, GameSink, GameSource, LocalSource, Plan, PlanSpec,
};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::broker::BrokerAddress;
use crate::envelope::seal;
use crate::keys::{WorkerKey, trainer_key};
use crate::names::{Name, PLAN, direct_get, games_subject, inbox, plan_subject};
use crate::plan::PlanHash;
use crate::registry::BrokerDir;
use crate::tls::secured;
use crate::trainer::{FleetOptions, FleetSource, Hub};
use crate::worker::{Cheat, WorkerOptions, WorkerSummary, work};

/// Says so where there is no server to test with.
pub(super) fn has_server() -> bool {
    let server = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let found = server.is_some_and(|path| path.is_file());
    if !found {
        eprintln!(
            "skipped: nats-server is not there (python3 scripts/setup/native.py nats-server)"
        );
    }
    found
}

/// Games that need no network.
pub(super) fn config() -> Config {
    let settings = [
        "game.rules=torishogi",
        "bootstrap.simulations=2",
        "selfplay.parallel_games=4",
    ];
    Config::parse("test", "", &settings.map(str::to_owned)).unwrap()
}

pub(super) fn plan(checkpoint: u32) -> Plan<ToriPosition> {
    // Of a later checkpoint only the numbers differ: bootstrap games are those of checkpoint 0.
    let mut config = config();
    config.run.seed += u64::from(checkpoint);
    Plan::new(PlanSpec::new(config, 0, &[], 0))
}

#[derive(Default)]
pub(super) struct Gathered {
    pub(super) records: Vec<GameRecord>,
    pub(super) flushed: usize,
}

impl GameSink for Gathered {
    fn add(&mut self, record: GameRecord) -> anyhow::Result<()> {
        self.records.push(record);
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.flushed = self.records.len();
        Ok(())
    }

    fn withdraw(&mut self, numbers: &BTreeSet<u64>) -> anyhow::Result<Vec<u64>> {
        let is_withdrawn = |record: &mut GameRecord| numbers.contains(&record.number());
        let removed = self.records.extract_if(.., is_withdrawn);
        Ok(removed.map(|record| record.number()).collect())
    }
}

/// The games of a plan as one machine plays them, by number.
pub(super) fn local_games(plan: &Plan<ToriPosition>, count: u64) -> Vec<GameRecord> {
    local_games_with(plan, &[], count)
}

pub(super) fn local_games_with(
    plan: &Plan<ToriPosition>,
    networks: &[Network],
    count: u64,
) -> Vec<GameRecord> {
    let mut sink = Gathered::default();
    let order = GameOrder {
        plan,
        networks,
        numbers: &(0..count).collect::<Vec<_>>(),
    };
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    (LocalSource::new(1).play(&order, &counters, &stop, &mut sink)).unwrap();
    sink.records.sort_by_key(GameRecord::number);
    sink.records
}

/// A run with a broker, without training.
pub(super) struct Fleet {
    pub(super) dir: TempDir,
    source: Option<FleetSource>,
    pub(super) hub: Arc<Hub>,
    pub(super) runtime: Runtime,
}

impl Fleet {
    pub(super) fn start(shards: usize) -> Fleet {
        Fleet::start_in(tempfile::tempdir().unwrap(), shards)
    }

    /// Ends the trainer and its broker, and starts them again.
    pub(super) fn restart(self, shards: usize) -> Fleet {
        let Fleet {
            dir,
            source,
            runtime,
            ..
        } = self;
        drop((source, runtime));
        Fleet::start_in(dir, shards)
    }

    fn start_in(dir: TempDir, shards: usize) -> Fleet {
        let run = dir.path().join("run");
        let opened = RunDir::open_or_create(&run, &config()).unwrap();
        let mut source = FleetSource::new(FleetOptions {
            broker: BrokerAddress::Listen("127.0.0.1:0".parse().unwrap()),
            shards,
            log: Log::silent(),
        });
        source.open(&opened).unwrap();
        Fleet {
            hub: source.hub(),
            source: Some(source),
            dir,
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .unwrap(),
        }
    }

    pub(super) fn run(&self) -> PathBuf {
        self.dir.path().join("run")
    }

    pub(super) fn url(&self) -> String {
        let address = fs::read_to_string(self.run().join("broker/address")).unwrap();
        format!("tls://{address}")
    }

    pub(super) fn key(&self, worker: &str) -> WorkerKey {
        let name = worker.parse().unwrap();
        WorkerKey::read(&BrokerDir::of(&self.run()).worker_key(&name)).unwrap()
    }

    pub(super) fn invite(&self, worker: &str) {
        crate::invite(&self.run(), &worker.parse().unwrap()).unwrap();
        let is_known = || {
            let known = self.hub.registry();
            known.find(&worker.parse().unwrap()).is_some()
        };
        wait_for("the trainer's notice", is_known);
    }

    /// Plays numbers from 0 on in the background, until all are there or it is told to stop.
    pub(super) fn play(&mut self, plan: Plan<ToriPosition>, count: u64) -> Playing {
        self.play_with(plan, Vec::new(), count, Gathered::default())
    }

    /// The same with networks, and with games that an earlier trainer took.
    pub(super) fn play_with(
        &mut self,
        plan: Plan<ToriPosition>,
        networks: Vec<Network>,
        count: u64,
        mut sink: Gathered,
    ) -> Playing {
        let mut source = self.source.take().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let known: BTreeSet<_> = sink.records.iter().map(GameRecord::number).collect();
            let numbers: Vec<_> = (0..count).filter(|n| !known.contains(n)).collect();
            let order = GameOrder {
                plan: &plan,
                networks: &networks,
                numbers: &numbers,
            };
            let counters = Counters::default();
            let dropped = source.play(&order, &counters, &flag, &mut sink).unwrap();
            assert_eq!(dropped, []);
            sink.records.sort_by_key(GameRecord::number);
            (source, sink)
        });
        wait_for("the offer", || self.hub.offer().is_some());
        Playing { stop, thread }
    }

    pub(super) fn end(&mut self, playing: Playing) -> Gathered {
        let (source, sink) = playing.thread.join().unwrap();
        self.source = Some(source);
        sink
    }

    pub(super) fn stop(&mut self, playing: Playing) -> Gathered {
        playing.stop.store(true, Ordering::Relaxed);
        self.end(playing)
    }

    /// A client with the rights of a worker and no manners.
    pub(super) fn client(&self, worker: &str) -> Client {
        let key = self.key(worker);
        let options = ConnectOptions::with_nkey(key.key.seed().unwrap())
            .custom_inbox_prefix(inbox(&key.worker));
        let options = secured(options, key.ca.as_deref()).unwrap();
        self.runtime.block_on(options.connect(self.url())).unwrap()
    }

    /// The broker as the trainer sees it.
    pub(super) fn jetstream(&self) -> Context {
        let broker = BrokerDir::of(&self.run());
        let key = trainer_key(&broker.file("trainer.nk")).unwrap();
        let options = ConnectOptions::with_nkey(key.seed().unwrap());
        let options = secured(options, broker.read_ca().unwrap().as_deref()).unwrap();
        self.runtime.block_on(async {
            let client = options.connect(self.url()).await.unwrap();
            async_nats::jetstream::new(client)
        })
    }

    /// What the broker has on a subject of a stream, if anything. An error if it has no such stream.
    pub(super) fn stored(
        &self,
        client: &Client,
        stream: &str,
        subject: &str,
    ) -> Result<Option<Vec<u8>>, RequestError> {
        let request = client.request(direct_get(stream, subject), "".into());
        let answer = self.runtime.block_on(request)?;
        Ok(answer.status.is_none().then(|| answer.payload.to_vec()))
    }

    /// Waits until the broker has the plan of the moment, and so all that workers need.
    pub(super) fn wait_for_plan(&self, client: &Client) {
        let offered = self.hub.offer().unwrap().plan;
        let subject = plan_subject(&self.hub.registry().run);
        wait_for("the plan", || {
            let stored = self.stored(client, PLAN, &subject);
            stored.is_ok_and(|plan| plan.as_ref() == Some(&offered))
        });
    }

    /// Leases numbers as a worker and returns them.
    pub(super) fn lease(&self, worker: &str, plan: PlanHash, want: u32) -> Vec<u64> {
        let request = crate::protocol::LeaseRequest { plan, want };
        self.hub.lease(&worker.parse().unwrap(), &request).numbers
    }

    /// Publishes a message with games, as a worker does.
    pub(super) fn send(&self, client: &Client, worker: &str, bytes: Vec<u8>) {
        let subject = games_subject(&self.hub.registry().run, worker);
        self.runtime.block_on(async {
            client.publish(subject, bytes.into()).await.unwrap();
            client.flush().await.unwrap();
        });
    }

    /// The bytes of a message that a worker signs.
    pub(super) fn sealed(&self, worker: &str, plan: PlanHash, records: &[u8]) -> Vec<u8> {
        let key = self.key(worker);
        seal(&key.key, &key.run, &key.worker, plan, 1, records).unwrap()
    }

    pub(super) fn spawn_worker(&self, worker: &str, stop: &Stop) -> Working {
        self.spawn_worker_at(self.url(), worker, stop)
    }

    pub(super) fn spawn_worker_at(&self, url: String, worker: &str, stop: &Stop) -> Working {
        let options = self.worker_options(worker, stop);
        thread::spawn(move || work(WorkerOptions { url, ..options }))
    }

    pub(super) fn spawn_cheat(&self, worker: &str, stop: &Stop, cheat: Option<Cheat>) -> Working {
        let options = self.worker_options(worker, stop);
        thread::spawn(move || work(WorkerOptions { cheat, ..options }))
    }

    /// A worker that keeps few bytes of games.
    pub(super) fn spawn_limited(&self, worker: &str, stop: &Stop, bytes: u64) -> Working {
        let spool_limit = Some(bytes);
        let options = self.worker_options(worker, stop);
        thread::spawn(move || {
            work(WorkerOptions {
                spool_limit,
                ..options
            })
        })
    }

    pub(super) fn spool(&self, worker: &str) -> PathBuf {
        self.dir.path().join(format!("spool-{worker}"))
    }

    fn worker_options(&self, worker: &str, stop: &Stop) -> WorkerOptions {
        WorkerOptions {
            url: self.url(),
            key: self.key(worker),
            cores: 1,
            spool: Some(self.spool(worker)),
            stop: stop.clone(),
            log: Log::silent(),
            cheat: None,
            spool_limit: None,
        }
    }
}

pub(super) type Working = JoinHandle<anyhow::Result<WorkerSummary>>;

pub(super) struct Playing {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<(FleetSource, Gathered)>,
}

/// Waits until `condition` holds, for a minute at most.
pub(super) fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{what} did not happen"
        );
        thread::sleep(Duration::from_millis(10));
    }
}

pub(super) fn name(text: &str) -> Name {
    text.parse().unwrap()
}
