//! What the intake of a trainer sustains: workers in another process send games that were recorded
//! before, through a real broker, as fast as they are taken.
//!
//!     cargo run --release --package garuda-fleet --features testing --example intake -- [GAMES [WORKERS]]

mod measuring;

use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use garuda_fleet::WorkerKey;
use garuda_fleet::testing::send_recorded_games;
use garuda_rules::tori::ToriPosition;
use garuda_run::config::Config;
use garuda_run::records::decode_record_file;
use garuda_selfplay::generate::{
    Counters, GameOrder, GameSink, GameSource, LocalSource, Plan, PlanSpec,
};

use measuring::{Files, MeasuredFleet, ScratchDir, cpu_seconds, worker_key};

/// Games of a phase of self-play at most.
const PHASE: usize = 4000;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if let [mode, url, run, scratch, workers] = &arguments[..]
        && mode == "send"
    {
        return send(url, Path::new(run), Path::new(scratch), workers.parse()?);
    }
    let number = |i: usize, default: u64| arguments.get(i).map_or(Ok(default), |text| text.parse());
    measure(number(0, 10_000)?, number(1, 8)?)
}

fn measure(games: u64, workers: u64) -> anyhow::Result<()> {
    let scratch = ScratchDir::new("intake")?;
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

    let mut fleet = MeasuredFleet::start(&scratch.join("run"), &config, workers)?;
    let mut sender = Command::new(env::current_exe()?)
        .args(["send", &fleet.url])
        .arg(fleet.run.path())
        .arg(scratch.join(""))
        .arg(workers.to_string())
        .spawn()?;
    // The workers have read their games and wait for the plan.
    while !scratch.join("ready").exists() {
        ensure!(sender.try_wait()?.is_none(), "the workers have ended");
        thread::sleep(Duration::from_millis(20));
    }
    let mut taken = Files::new(scratch.join("taken"))?;
    let before = (cpu_seconds("self")?, fleet.broker_seconds()?);
    let started = Instant::now();
    // A phase of self-play after the other, as in a run.
    for numbers in numbers.chunks(PHASE) {
        let order = GameOrder { numbers, ..order };
        (fleet.source).play(&order, &counters, &never, &mut taken)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let trainer = cpu_seconds("self")? - before.0;
    let at_broker = fleet.broker_seconds()? - before.1;
    sender.kill()?;
    sender.wait()?;
    ensure!(taken.count == games, "{} games were taken", taken.count);
    println!(
        "{games} games of {workers} workers in {seconds:.1} s: {:.0} games/s, {:.2} MB/s as files",
        games as f64 / seconds,
        taken.bytes as f64 / seconds / 1e6
    );
    println!(
        "trainer: {:.3} ms of CPU time per game, so that a core takes {:.0} games/s, and {:.2} cores \
         at work; broker: {:.3} ms",
        trainer / games as f64 * 1e3,
        games as f64 / trainer,
        trainer / seconds,
        at_broker / games as f64 * 1e3
    );
    println!("trainer's memory, at most: {} kB", peak_memory()?);
    Ok(())
}

/// The workers, in a process of their own.
fn send(url: &str, run: &Path, scratch: &Path, workers: u64) -> anyhow::Result<()> {
    let mut games = Vec::new();
    for file in fs::read_dir(scratch.join("recorded"))? {
        games.extend(decode_record_file(&fs::read(file?.path())?)?);
    }
    let keys = (1..=workers).map(|worker| WorkerKey::read(&run.join(worker_key(worker))));
    let keys = keys.collect::<anyhow::Result<Vec<_>>>()?;
    File::create(scratch.join("ready"))?;
    send_recorded_games(url, &keys, games)
}

fn peak_memory() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    Ok(number.context("no figure")?.parse()?)
}
