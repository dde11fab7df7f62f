//! What the intake of a trainer sustains: workers in another process send games that were recorded
//! before, through a real broker, as fast as they are taken.
//!
//!     cargo run --release --package garuda-fleet --features testing --example intake -- [GAMES [WORKERS]]

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use garuda_fleet::testing::send_recorded_games;
use garuda_fleet::{BrokerAddress, FleetOptions, FleetSource, WorkerKey, invite};
use garuda_rules::tori::ToriPosition;
use garuda_run::config::Config;
use garuda_run::records::{GameRecord, decode_record_file, encode_record_file};
use garuda_run::{Log, RunDir};
use garuda_selfplay::generate::{
    Counters, GameOrder, GameSink, GameSource, LocalSource, Plan, PlanSpec,
};

/// Games of a file.
const FILE: usize = 1000;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if let [mode, url, scratch, workers] = &arguments[..]
        && mode == "send"
    {
        return send(url, Path::new(scratch), workers.parse()?);
    }
    let number = |i: usize, default: u64| arguments.get(i).map_or(Ok(default), |text| text.parse());
    measure(number(0, 10_000)?, number(1, 8)?)
}

/// Writes games to files, as a run does.
struct Files {
    dir: PathBuf,
    records: Vec<GameRecord>,
    count: u64,
    bytes: u64,
}

impl Files {
    fn new(dir: PathBuf) -> anyhow::Result<Files> {
        fs::create_dir_all(&dir)?;
        Ok(Files {
            dir,
            records: Vec::new(),
            count: 0,
            bytes: 0,
        })
    }
}

impl GameSink for Files {
    fn add(&mut self, record: GameRecord) -> anyhow::Result<()> {
        self.records.push(record);
        match self.records.len() {
            FILE => self.flush(),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let bytes = encode_record_file(&self.records)?;
        let mut file = File::create(self.dir.join(format!("{}.games", self.count)))?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        self.count += self.records.len() as u64;
        self.bytes += bytes.len() as u64;
        self.records.clear();
        Ok(())
    }

    fn withdraw(&mut self, numbers: &BTreeSet<u64>) -> anyhow::Result<Vec<u64>> {
        ensure!(numbers.is_empty(), "games that are right were withdrawn");
        Ok(Vec::new())
    }
}

fn measure(games: u64, workers: u64) -> anyhow::Result<()> {
    let scratch = env::temp_dir().join(format!("garuda-intake-{}", std::process::id()));
    let settings = ["game.rules=torishogi", "bootstrap.simulations=2"];
    let config = Config::parse("intake", "", &settings.map(str::to_owned))?;
    let plan = Plan::<ToriPosition>::new(PlanSpec::new(config.clone(), 0, &[], 0));
    let numbers: Vec<_> = (0..games).collect();
    let order = GameOrder {
        plan: &plan,
        networks: &[],
        numbers: &numbers,
    };
    let (counters, never) = (Counters::default(), AtomicBool::new(false));
    let mut recorded = Files::new(scratch.join("recorded"))?;
    let cores = thread::available_parallelism()?.get();
    LocalSource::new(cores).play(&order, &counters, &never, &mut recorded)?;
    recorded.flush()?;

    let run = scratch.join("run");
    let opened = RunDir::open_or_create(&run, &config)?;
    for worker in 1..=workers {
        invite(&run, &format!("worker-{worker}").parse()?)?;
    }
    let mut source = FleetSource::new(FleetOptions {
        broker: BrokerAddress::Listen("127.0.0.1:0".parse()?),
        shards: 0,
        log: Log::silent(),
    });
    source.open(&opened)?;
    let address = fs::read_to_string(run.join("broker/address"))?;
    let broker = fs::read_to_string(run.join("broker/pid"))?;
    let mut sender = Command::new(env::current_exe()?)
        .args(["send", &format!("tls://{address}")])
        .arg(&scratch)
        .arg(workers.to_string())
        .spawn()?;
    // The workers have read their games and wait for the plan.
    while !scratch.join("ready").exists() {
        ensure!(sender.try_wait()?.is_none(), "the workers have ended");
        thread::sleep(Duration::from_millis(20));
    }
    let mut taken = Files::new(scratch.join("taken"))?;
    let before = (cpu_seconds("self")?, cpu_seconds(broker.trim())?);
    let started = Instant::now();
    source.play(&order, &counters, &never, &mut taken)?;
    let seconds = started.elapsed().as_secs_f64();
    let trainer = cpu_seconds("self")? - before.0;
    let at_broker = cpu_seconds(broker.trim())? - before.1;
    sender.kill()?;
    sender.wait()?;
    ensure!(taken.count == games, "{} games were taken", taken.count);
    println!(
        "{games} games of {workers} workers in {seconds:.1} s: {:.0} games/s, {:.2} MB/s as files",
        games as f64 / seconds,
        taken.bytes as f64 / seconds / 1e6
    );
    println!(
        "trainer: {:.3} ms of CPU time per game, so that a core takes {:.0} games/s; broker: {:.3} ms",
        trainer / games as f64 * 1e3,
        games as f64 / trainer,
        at_broker / games as f64 * 1e3
    );
    println!("trainer's memory, at most: {} kB", peak_memory()?);
    drop(source);
    fs::remove_dir_all(&scratch)?;
    Ok(())
}

/// The workers, in a process of their own.
fn send(url: &str, scratch: &Path, workers: u64) -> anyhow::Result<()> {
    let mut games = Vec::new();
    for file in fs::read_dir(scratch.join("recorded"))? {
        games.extend(decode_record_file(&fs::read(file?.path())?)?);
    }
    let keys = (1..=workers).map(|worker| {
        WorkerKey::read(&scratch.join(format!("run/broker/keys/worker-{worker}.nk")))
    });
    let keys = keys.collect::<anyhow::Result<Vec<_>>>()?;
    File::create(scratch.join("ready"))?;
    send_recorded_games(url, &keys, games)
}

/// CPU time of a process until now.
fn cpu_seconds(process: &str) -> anyhow::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields = text.rsplit(')').next().unwrap_or_default();
    let times: Vec<f64> = (fields.split_whitespace().skip(11).take(2))
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    Ok(times.iter().sum::<f64>() / 100.0)
}

fn peak_memory() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    Ok(number.context("no figure")?.parse()?)
}
