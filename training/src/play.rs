use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use garuda_model::{Network, checkpoint_files};
use garuda_rules::Position;
use garuda_run::config::BootstrapEvaluator;
use garuda_run::records::{GameRecord, RecordStore};
use garuda_run::{Event, HumanCount, LiveGames, checkpoint_name, counted};
use tracing::{debug, warn};

use super::PhaseEnd;
use super::session::Session;
use super::stats::{positions, selfplay_stats};
use garuda_selfplay::generate::{Counters, GameOrder, GameSink, GameSource, Plan, PlanSpec};

/// Finished games are written at least this often.
const WRITE_EVERY: Duration = Duration::from_secs(20);
/// Games in progress are shown at most this often.
const SHOW_EVERY: Duration = Duration::from_secs(1);

impl<P: Position, S: GameSource> Session<P, S> {
    /// Gets the games of the newest checkpoint played that are not recorded yet.
    pub(super) fn play_games(&mut self) -> anyhow::Result<PhaseEnd> {
        let checkpoint = self.progress.checkpoint;
        let target = self.progress.games_to_play(&self.config);
        let games = self.pending_games.remove(&checkpoint).unwrap_or_default();
        let known = games.len();
        let mut numbers = missing_numbers(target, &games);
        numbers.truncate(self.games_allowed(known));
        let plan = self.plan()?;
        let networks = self.networks(&plan)?;
        let order = GameOrder {
            plan: &plan,
            networks: &networks,
            numbers: &numbers,
        };

        let started = Instant::now();
        let counters = Counters::default();
        let player = match plan.bootstrap() {
            None => checkpoint_name(checkpoint),
            Some(BootstrapEvaluator::Uniform) => "search alone".to_owned(),
            Some(BootstrapEvaluator::Material) => "search with a count of pieces".to_owned(),
        };
        let next = checkpoint_name(checkpoint + 1);
        let mut phase = (self.log.phase("self-play", target))
            .resumed_at(known as u64)
            .towards(format!("checkpoint {next}"), self.time_to_learn());
        let mut sink = PhaseSink {
            checkpoint,
            wanted: numbers.iter().copied().collect(),
            games,
            writer: RecordWriter {
                store: &mut self.store,
                games_per_file: self.config.selfplay.games_per_record_file as usize,
                unwritten: Vec::new(),
                last: Instant::now(),
            },
            live: self.run.live(),
            shown: Instant::now(),
            counters: &counters,
            report: |games: u64| {
                let seconds = started.elapsed().as_secs_f64();
                let rate = |count: &AtomicU64| {
                    HumanCount((count.load(Ordering::Relaxed) as f64 / seconds) as u64)
                };
                phase.set(games, || {
                    format!(
                        "{player} · {} positions/s · {} evaluations/s",
                        rate(&counters.positions),
                        rate(&counters.evaluations)
                    )
                });
            },
        };
        let source = &mut self.source;
        let played = (self.stop).watch(|due| source.play(&order, &counters, due, &mut sink));
        let written = sink.flush();
        let mut games = sink.games;
        drop(phase);
        let dropped = played?;
        written?;
        if !dropped.is_empty() {
            let games = counted(dropped.len() as u64, "game");
            warn!("{games} of checkpoint {checkpoint} could not be played");
        }
        games.sort_by_key(GameRecord::number);
        self.played = (games.len() as u64, positions(&games));
        if missing_numbers(target, &games).len() > dropped.len() {
            self.pending_games.insert(checkpoint, games);
            return Ok(PhaseEnd::Interrupted);
        }
        let mut stats = selfplay_stats(checkpoint, &games);
        stats.total_positions = self.progress.positions + self.played.1;
        stats.simulations = plan.simulations();
        stats.evaluations = counters.evaluations.load(Ordering::Relaxed);
        stats.seconds = started.elapsed().as_secs_f64();
        self.warn_about(super::warnings::of_games(&self.config.warnings, &stats))?;
        // Games that were all played by an earlier process have their statistics already, unless
        // it was killed between the last game and these.
        if !numbers.is_empty() || !self.metrics.has_selfplay(checkpoint) {
            self.metrics.add(Event::Selfplay(stats))?;
        }
        self.pending_games.insert(checkpoint, games);
        Ok(PhaseEnd::Complete)
    }

    /// How many games more than those known the newest checkpoint may play.
    fn games_allowed(&self, known: usize) -> usize {
        let limit = self.games_limit.unwrap_or(u64::MAX);
        let allowed = limit.saturating_sub(self.progress.games + known as u64);
        usize::try_from(allowed).unwrap_or(usize::MAX)
    }

    /// How the games of the newest checkpoint are played.
    fn plan(&self) -> anyhow::Result<Plan<P>> {
        let checkpoint = self.progress.checkpoint;
        let mut earlier = self.run.checkpoint_numbers()?;
        earlier.retain(|&number| number < checkpoint);
        let config = self.config.clone();
        let positions = self.progress.positions;
        let spec = PlanSpec::new(config, checkpoint, &earlier, positions);
        Ok(Plan::new(spec))
    }

    fn networks(&self, plan: &Plan<P>) -> anyhow::Result<Vec<Network>> {
        let read = |number: u32| {
            let path = checkpoint_files::network(&self.run.checkpoint(number));
            Network::read(&path).with_context(|| format!("cannot use {}", path.display()))
        };
        plan.checkpoints().into_iter().map(read).collect()
    }

    /// How long training on a checkpoint's games will take, estimated from the last time.
    fn time_to_learn(&self) -> Duration {
        match &self.progress.training {
            Some(last) if !self.machine.overlap && last.samples > 0 => {
                let samples = self.config.checkpoint.positions as f64
                    * self.config.replay.samples_per_position;
                Duration::from_secs_f64(last.seconds * samples / last.samples as f64)
            }
            _ => Duration::ZERO,
        }
    }
}

/// Writes how some of the games stand. What keeps it from being written does not matter to the run.
fn show(path: &Path, checkpoint: u32, counters: &Counters) {
    let games = (counters.live.lock()).unwrap_or_else(PoisonError::into_inner);
    let games = LiveGames {
        checkpoint,
        games: games.clone(),
    };
    if let Err(e) = games.write(path) {
        debug!("cannot write {}: {e}", path.display());
    }
}

/// Numbers below `target` that no game has.
fn missing_numbers(target: u64, games: &[GameRecord]) -> Vec<u64> {
    let known: HashSet<_> = games.iter().map(GameRecord::number).collect();
    (0..target).filter(|n| !known.contains(n)).collect()
}

/// The games of a phase.
struct PhaseSink<'a, R> {
    checkpoint: u32,
    /// Numbers of the games that are missing.
    wanted: HashSet<u64>,
    games: Vec<GameRecord>,
    writer: RecordWriter<'a>,
    live: PathBuf,
    /// When games in progress were last shown.
    shown: Instant,
    counters: &'a Counters,
    /// Shows the number of games.
    report: R,
}

impl<R: FnMut(u64)> GameSink for PhaseSink<'_, R> {
    fn add(&mut self, record: GameRecord) -> anyhow::Result<()> {
        // A source may deliver a game twice, or one of an earlier order.
        if record.checkpoint() != self.checkpoint || !self.wanted.remove(&record.number()) {
            debug!("game {} is not wanted", record.number());
            return Ok(());
        }
        self.writer.add(record.clone())?;
        self.games.push(record);
        if self.shown.elapsed() >= SHOW_EVERY {
            self.shown = Instant::now();
            show(&self.live, self.checkpoint, self.counters);
        }
        (self.report)(self.games.len() as u64);
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.writer.flush()
    }

    fn withdraw(&mut self, numbers: &BTreeSet<u64>) -> anyhow::Result<Vec<u64>> {
        self.writer.withdraw(self.checkpoint, numbers)?;
        let mut removed = Vec::new();
        self.games.retain(|record| {
            let is_withdrawn = numbers.contains(&record.number());
            if is_withdrawn {
                removed.push(record.number());
            }
            !is_withdrawn
        });
        self.wanted.extend(&removed);
        (self.report)(self.games.len() as u64);
        Ok(removed)
    }
}

/// Collects records into files.
struct RecordWriter<'a> {
    store: &'a mut RecordStore,
    games_per_file: usize,
    unwritten: Vec<GameRecord>,
    last: Instant,
}

impl RecordWriter<'_> {
    fn add(&mut self, record: GameRecord) -> anyhow::Result<()> {
        self.unwritten.push(record);
        if self.unwritten.len() >= self.games_per_file || self.last.elapsed() >= WRITE_EVERY {
            self.flush()?;
        }
        Ok(())
    }

    fn withdraw(&mut self, checkpoint: u32, numbers: &BTreeSet<u64>) -> anyhow::Result<()> {
        (self.unwritten).retain(|record| !numbers.contains(&record.number()));
        self.store.withdraw(checkpoint, numbers)
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        if !self.unwritten.is_empty() {
            self.store.write(&self.unwritten)?;
            self.unwritten.clear();
        }
        self.last = Instant::now();
        Ok(())
    }
}
