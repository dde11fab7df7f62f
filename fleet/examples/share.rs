//! What of a machine's games is left when workers play them: two shards of this process, and two
//! workers of one core each that send their games through a real broker, play the same plans in
//! turns. Trainer, workers and broker share two cores.
//!
//!     cargo run --release --package garuda-fleet --features testing --example share -- [GAMES [TURNS]]
//!
//! `GAMES` is the number of games per turn. On a machine with more cores put `taskset --cpu-list 0,1`
//! before the program. The games are those of `configs/tori.toml` with the shipped network and 100
//! simulations.
//!
//! The workers are proven before the first turn, with games that cost next to nothing: the many
//! checks of a new worker are made once in its life. Everything that each plan costs is measured: the
//! way of plan and network to the workers, leases, checks, and the wait for the last games.

mod measuring;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use garuda_fleet::{WorkerKey, WorkerOptions, work};
use garuda_model::Network;
use garuda_rules::tori::ToriPosition;
use garuda_run::config::Config;
use garuda_run::records::{GameRecord, decode_record_file};
use garuda_run::{FleetStatus, FleetTrust, Log, Stop};
use garuda_selfplay::generate::{
    Counters, GameOrder, GameSink, GameSource, LocalSource, Plan, PlanSpec,
};

use measuring::{Files, MeasuredFleet, ScratchDir, cpu_seconds, worker_key};

const WORKERS: u64 = 2;
/// Number of games per plan that serves to prove the workers, and of such plans at most.
const PROVING_GAMES: u64 = 600;
const PROVING_PLANS: u64 = 20;
/// Positions of the run so far, which the configuration makes 100 simulations of.
const POSITIONS: u64 = 400_000;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if let [mode, url, key, spool] = &arguments[..]
        && mode == "work"
    {
        return play_as_worker(url, Path::new(key), PathBuf::from(spool));
    }
    let number = |i: usize, default: u64| arguments.get(i).map_or(Ok(default), |text| text.parse());
    measure(number(0, 4000)?, number(1, 4)?)
}

/// A worker, in a process of its own.
fn play_as_worker(url: &str, key: &Path, spool: PathBuf) -> anyhow::Result<()> {
    work(WorkerOptions {
        url: url.to_owned(),
        key: WorkerKey::read(key)?,
        cores: 1,
        spool: Some(spool),
        stop: Stop::after(None),
        log: Log::silent(),
    })?;
    Ok(())
}

/// Processes of workers. They end with this value.
struct Workers(Vec<Child>);

impl Workers {
    fn start(fleet: &MeasuredFleet, scratch: &ScratchDir) -> anyhow::Result<Workers> {
        let mut workers = Workers(Vec::new());
        for worker in 1..=WORKERS {
            let child = Command::new(env::current_exe()?)
                .args(["work", &fleet.url])
                .arg(fleet.run.path().join(worker_key(worker)))
                .arg(scratch.join(&format!("spool-{worker}")))
                .spawn()?;
            workers.0.push(child);
        }
        Ok(workers)
    }

    fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let times = self
            .0
            .iter()
            .map(|child| cpu_seconds(&child.id().to_string()));
        times.sum()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What a turn took.
#[derive(Copy, Clone, Debug)]
struct Turn {
    seconds: f64,
    /// CPU time of the trainer, the workers and the broker.
    cpu: [f64; 3],
}

impl Turn {
    /// The percentage of the two cores' time that nobody of them used; others may have.
    fn idle(&self) -> f64 {
        100.0 - self.cpu.iter().sum::<f64>() / (2.0 * self.seconds) * 100.0
    }
}

/// Dropped from the first field to the last: the workers end before the broker, and nothing is
/// removed that they use.
struct Measurement {
    workers: Workers,
    fleet: MeasuredFleet,
    config: Config,
    network: Network,
    scratch: ScratchDir,
}

fn measure(games: u64, turns: u64) -> anyhow::Result<()> {
    let cores = thread::available_parallelism()?.get();
    ensure!(
        cores == 2,
        "{cores} cores are available instead of 2; see taskset"
    );
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(repository.join("configs/tori.toml"))?;
    let config = Config::parse("configs/tori.toml", &text, &[])?;
    let scratch = ScratchDir::new("share")?;
    let fleet = MeasuredFleet::start(&scratch.join("run"), &config, WORKERS)?;
    let mut measurement = Measurement {
        workers: Workers::start(&fleet, &scratch)?,
        fleet,
        network: Network::read(&repository.join("nets/torishogi.safetensors"))?,
        config,
        scratch,
    };
    measurement.prove_workers()?;
    println!("{games} games per turn; CPU time in ms per game");
    println!(
        "turn | shards: games/s   CPU  idle | workers: games/s   CPU  trainer  broker  idle | share"
    );
    let mut totals = [0.0; 2];
    for turn in 1..=turns {
        // Each of them is first every other time.
        let plan = measurement.plan(turn);
        let (local, remote) = match turn % 2 {
            0 => {
                let remote = measurement.play_remote(&plan, games, turn)?;
                (measurement.play_local(&plan, games, turn)?, remote)
            }
            _ => {
                let local = measurement.play_local(&plan, games, turn)?;
                (local, measurement.play_remote(&plan, games, turn)?)
            }
        };
        measurement.compare(turn)?;
        totals[0] += local.seconds;
        totals[1] += remote.seconds;
        let per_game = |seconds: f64| seconds / games as f64 * 1e3;
        let [trainer, workers, broker] = remote.cpu.map(per_game);
        println!(
            "{turn:4} | {:15.2} {:5.2} {:3.0} % | {:16.2} {workers:5.2} {trainer:8.3} {broker:7.3} {:3.0} % | {:.1} %",
            games as f64 / local.seconds,
            per_game(local.cpu[0]),
            local.idle(),
            games as f64 / remote.seconds,
            remote.idle(),
            local.seconds / remote.seconds * 100.0,
        );
    }
    println!(
        "{} games each: workers play {:.1} % of the games/s of shards",
        games * turns,
        totals[0] / totals[1] * 100.0
    );
    Ok(())
}

impl Measurement {
    /// A plan of its own for every turn.
    fn plan(&self, turn: u64) -> Plan<ToriPosition> {
        let mut config = self.config.clone();
        config.run.seed += turn;
        Plan::new(PlanSpec::new(config, 1, &[], POSITIONS))
    }

    /// Has games played that cost little, until the trainer trusts the workers.
    fn prove_workers(&mut self) -> anyhow::Result<()> {
        for i in 0..PROVING_PLANS {
            let mut config = self.config.clone();
            config.run.seed += 1_000 + i;
            config.bootstrap.simulations = 2;
            let plan = Plan::<ToriPosition>::new(PlanSpec::new(config, 0, &[], 0));
            let mut taken = Files::new(self.scratch.join(&format!("proving-{i}")))?;
            play(
                &mut self.fleet.source,
                &plan,
                &[],
                PROVING_GAMES,
                &mut taken,
            )?;
            if self.are_proven()? {
                return Ok(());
            }
        }
        bail!("the workers are not proven");
    }

    fn are_proven(&self) -> anyhow::Result<bool> {
        // The trainer replaces it every two seconds.
        thread::sleep(Duration::from_secs(3));
        let status = FleetStatus::read(&self.fleet.run.fleet())?;
        let status = status.context("the trainer says nothing of its workers")?;
        let is_proven = |trust| trust == FleetTrust::Proven;
        Ok((status.workers.iter()).all(|worker| is_proven(worker.trust)))
    }

    fn play_local(&self, plan: &Plan<ToriPosition>, games: u64, turn: u64) -> anyhow::Result<Turn> {
        let mut sink = Files::new(self.scratch.join(&format!("local-{turn}")))?;
        let before = cpu_seconds("self")?;
        let networks = std::slice::from_ref(&self.network);
        let mut source = LocalSource::new(WORKERS as usize);
        let seconds = play(&mut source, plan, networks, games, &mut sink)?;
        Ok(Turn {
            seconds,
            cpu: [cpu_seconds("self")? - before, 0.0, 0.0],
        })
    }

    fn play_remote(
        &mut self,
        plan: &Plan<ToriPosition>,
        games: u64,
        turn: u64,
    ) -> anyhow::Result<Turn> {
        let mut sink = Files::new(self.scratch.join(&format!("remote-{turn}")))?;
        let before = self.cpu()?;
        let networks = std::slice::from_ref(&self.network);
        let seconds = play(&mut self.fleet.source, plan, networks, games, &mut sink)?;
        let after = self.cpu()?;
        Ok(Turn {
            seconds,
            cpu: [0, 1, 2].map(|i| after[i] - before[i]),
        })
    }

    fn cpu(&self) -> anyhow::Result<[f64; 3]> {
        Ok([
            cpu_seconds("self")?,
            self.workers.cpu_seconds()?,
            self.fleet.broker_seconds()?,
        ])
    }

    /// Makes sure that both have played the same games.
    fn compare(&self, turn: u64) -> anyhow::Result<()> {
        let [local, remote] = ["local", "remote"].map(|who| -> anyhow::Result<Vec<GameRecord>> {
            let mut games = Vec::new();
            for file in fs::read_dir(self.scratch.join(&format!("{who}-{turn}")))? {
                games.extend(decode_record_file(&fs::read(file?.path())?)?);
            }
            games.sort_by_key(GameRecord::number);
            Ok(games)
        });
        ensure!(local? == remote?, "workers have played other games");
        Ok(())
    }
}

/// Plays the first games of a plan and returns the number of seconds.
fn play(
    source: &mut impl GameSource,
    plan: &Plan<ToriPosition>,
    networks: &[Network],
    games: u64,
    sink: &mut Files,
) -> anyhow::Result<f64> {
    let numbers: Vec<_> = (0..games).collect();
    let order = GameOrder {
        plan,
        networks,
        numbers: &numbers,
    };
    let (counters, never) = (Counters::default(), AtomicBool::new(false));
    let started = Instant::now();
    source.play(&order, &counters, &never, sink)?;
    sink.flush()?;
    let seconds = started.elapsed().as_secs_f64();
    ensure!(sink.count == games, "{} games came", sink.count);
    Ok(seconds)
}
