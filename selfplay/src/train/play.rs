use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Context;
use garuda_model::{Network, checkpoint_files};
use garuda_rules::Position;
use garuda_run::config::BootstrapEvaluator;
use garuda_run::records::{GameRecord, RecordStore};
use garuda_run::{Event, checkpoint_name, thousands};
use tracing::warn;

use super::session::Session;
use super::stats::{positions, selfplay_stats};
use crate::generate::{Counters, Plan, SelfplayEvaluator, generate, is_bootstrap};

/// Finished games are written at least this often.
const WRITE_EVERY: Duration = Duration::from_secs(20);

impl<P: Position> Session<P> {
    /// Plays the games of the newest checkpoint that are not recorded yet. False if the end of
    /// the run came first.
    pub(super) fn play_games(&mut self) -> anyhow::Result<bool> {
        let checkpoint = self.progress.checkpoint;
        let target = self.progress.games_to_play(&self.config);
        let mut current = self.pending_games.remove(&checkpoint).unwrap_or_default();
        let known: HashSet<_> = current.iter().map(GameRecord::number).collect();
        let limit = self
            .games_limit
            .map(|limit| limit.saturating_sub(self.progress.games));
        let numbers: Vec<_> = (0..target)
            .filter(|number| !known.contains(number))
            .take(limit.map_or(usize::MAX, |limit| {
                (limit as usize).saturating_sub(current.len())
            }))
            .collect();
        let complete = current.len() + numbers.len() >= target as usize;

        let earlier: Vec<_> = (self.run.checkpoint_numbers()?.into_iter())
            .filter(|&number| number < checkpoint)
            .collect();
        let plan = Plan::<P>::new(&self.config, checkpoint, &earlier, self.progress.positions);
        let mut networks = Vec::new();
        for number in [Some(checkpoint), plan.older()].into_iter().flatten() {
            let path = checkpoint_files::network(&self.run.checkpoint(number));
            let network =
                Network::read(&path).with_context(|| format!("cannot use {}", path.display()))?;
            networks.push((number, network));
        }
        let capacity = self.config.selfplay.parallel_games as usize;
        let bootstrap = is_bootstrap(&self.config, checkpoint);
        let open = |number: u32| -> anyhow::Result<SelfplayEvaluator<P>> {
            if bootstrap {
                return Ok(SelfplayEvaluator::of_bootstrap(
                    self.config.bootstrap.evaluator,
                ));
            }
            let (_, network) = (networks.iter())
                .find(|(n, _)| *n == number)
                .with_context(|| format!("checkpoint {number} was not asked for"))?;
            Ok(SelfplayEvaluator::Network(network.evaluator(capacity)?))
        };

        let started = Instant::now();
        let counters = Counters::default();
        let player = match (bootstrap, self.config.bootstrap.evaluator) {
            (true, BootstrapEvaluator::Uniform) => "search alone".to_owned(),
            (true, BootstrapEvaluator::Material) => "search that counts pieces".to_owned(),
            (false, _) => checkpoint_name(checkpoint),
        };
        let next = checkpoint_name(checkpoint + 1);
        let mut phase = (self.log.phase("self-play", target))
            .resumed_at(known.len() as u64)
            .towards(format!("checkpoint {next}"), self.time_to_learn());
        let mut writer = Writer {
            store: &mut self.store,
            size: self.config.selfplay.games_per_record_file as usize,
            waiting: Vec::new(),
            last: Instant::now(),
        };
        let done = RefCell::new(Vec::new());
        let played = self.stop.watch(|due| {
            generate(
                &plan,
                &numbers,
                self.machine.shards,
                open,
                due,
                &counters,
                |record| {
                    writer.add(record.clone())?;
                    done.borrow_mut().push(record);
                    let seconds = started.elapsed().as_secs_f64();
                    let rate = |count: &std::sync::atomic::AtomicU64| {
                        (count.load(Ordering::Relaxed) as f64 / seconds) as u64
                    };
                    phase.set((known.len() + done.borrow().len()) as u64, || {
                        format!(
                            "{player} · {} positions/s · {} evals/s",
                            thousands(rate(&counters.positions)),
                            thousands(rate(&counters.evaluations))
                        )
                    });
                    Ok(())
                },
            )
        });
        let written = writer.flush();
        drop(phase);
        let dropped = played?;
        written?;
        if !dropped.is_empty() {
            warn!("{} games were dropped", dropped.len());
        }
        current.append(&mut done.into_inner());
        current.sort_by_key(GameRecord::number);
        self.played = (current.len() as u64, positions(&current));
        let missing = (target as usize).saturating_sub(current.len() + dropped.len());
        if !complete || missing > 0 {
            self.pending_games.insert(checkpoint, current);
            return Ok(false);
        }
        let mut stats = selfplay_stats(checkpoint, &current);
        stats.total_positions = self.progress.positions + self.played.1;
        stats.simulations = plan.simulations();
        stats.evaluations = counters.evaluations.load(Ordering::Relaxed);
        stats.seconds = started.elapsed().as_secs_f64();
        self.warn_about(super::warnings::of_games(&self.config.warnings, &stats))?;
        // Games that were all played by an earlier process have their figures already, unless
        // it was killed in that very moment.
        if !numbers.is_empty() || !self.metrics.has_selfplay(checkpoint) {
            self.metrics.add(Event::Selfplay(stats))?;
        }
        self.pending_games.insert(checkpoint, current);
        Ok(true)
    }
}

impl<P: Position> Session<P> {
    /// How long learning from a checkpoint's games will take once they are played, judging by the
    /// last time.
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

/// Writes records in batches.
struct Writer<'a> {
    store: &'a mut RecordStore,
    size: usize,
    waiting: Vec<GameRecord>,
    last: Instant,
}

impl Writer<'_> {
    fn add(&mut self, record: GameRecord) -> anyhow::Result<()> {
        self.waiting.push(record);
        if self.waiting.len() >= self.size || self.last.elapsed() >= WRITE_EVERY {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        if !self.waiting.is_empty() {
            self.store.write(&self.waiting)?;
            self.waiting.clear();
        }
        self.last = Instant::now();
        Ok(())
    }
}
