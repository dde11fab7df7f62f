use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use std::{mem, thread};

use anyhow::bail;
use garuda_rules::{Position, with_rule_set};
use garuda_run::config::{Config, ConfigChange, FrozenSettings};
use garuda_run::records::{GameRecord, RecordStore};
use garuda_run::{Event, Ladder, Log, Metrics, RunDir, Stop, TensorBoard, checkpoint_name};
use garuda_torch::Trainer;
use tracing::{error, warn};

use super::evaluate::{Evaluation, EvaluationEnd};
use super::learn::{Learner, TrainJob, TrainOutcome, train_params};
use super::machine::Machine;
use super::report::{Summary, missing_games};
use super::stats::positions;
use super::{PhaseEnd, Progress, checkpoints, warnings};
use crate::replay::{Replay, first_in_window};
use garuda_selfplay::generate::{GameSource, LocalSource, recorded_share};

/// What to train, where, and for how long.
#[derive(Debug)]
pub struct TrainOptions {
    pub run: PathBuf,
    pub config: Config,
    /// Whether the configuration may be another than the run has.
    pub config_change: ConfigChange,
    pub stop: Stop,
    /// End when the run has this number of games.
    pub games: Option<u64>,
    /// End when the run has made this number of checkpoints beyond its first, untrained one.
    pub checkpoints: Option<u32>,
    pub log: Log,
}

/// Creates a run and trains it, or resumes it, with games that this process plays.
pub fn train(options: TrainOptions) -> anyhow::Result<Summary> {
    let shards = shards(&options.config);
    train_with(options, LocalSource::new(shards))
}

/// Number of shards that this machine plays with.
pub fn shards(config: &Config) -> usize {
    Machine::here(&config.machine).shards
}

/// The same with games from any source.
pub fn train_with(options: TrainOptions, source: impl GameSource) -> anyhow::Result<Summary> {
    let rule_set = options.config.game.rules;
    with_rule_set!(rule_set, P => {
        let (session, learner) = Session::<P, _>::open(options, source)?;
        session.train(learner)
    })
}

/// A run that is being trained.
pub(super) struct Session<P: Position, S> {
    pub(super) source: S,
    pub(super) run: RunDir,
    pub(super) config: Config,
    pub(super) store: RecordStore,
    pub(super) metrics: Metrics,
    pub(super) ladder: Ladder,
    pub(super) progress: Progress,
    /// Games that have not been learned from, by the checkpoint that played them: the newest one,
    /// the one before if phases overlap, and later ones if the run had to go back.
    pub(super) pending_games: BTreeMap<u32, Vec<GameRecord>>,
    /// Games and positions of the newest checkpoint.
    pub(super) played: (u64, u64),
    pub(super) stop: Stop,
    pub(super) machine: Machine,
    pub(super) games_limit: Option<u64>,
    pub(super) log: Log,
    game: PhantomData<P>,
    checkpoints_limit: Option<u32>,
    pub(super) started: Instant,
}

impl<P: Position, S: GameSource> Session<P, S> {
    pub(super) fn open(
        options: TrainOptions,
        source: S,
    ) -> anyhow::Result<(Session<P, S>, Learner<P>)> {
        let started = Instant::now();
        let config = options.config;
        // What a new run cannot start from is refused before its directory is made.
        let initial_network = if options.run.exists() {
            None
        } else {
            Some(checkpoints::initial_network(&config)?)
        };
        let run = RunDir::open_or_create_with(&options.run, &config, options.config_change)?;
        let mut metrics = Metrics::open(&run.metrics())?;
        if config.output.tensorboard {
            metrics.show_on(TensorBoard::create(&run.tensorboard())?);
        }
        let ladder = Ladder::open(&run.ladder())?;
        let store = RecordStore::open(&run.games())?;
        let loaded = checkpoints::load_newest::<P>(&run, train_params(&config))?;
        let is_new = loaded.is_none();
        let (trainer, progress) = match loaded {
            Some((trainer, progress)) => {
                let name = checkpoint_name(progress.checkpoint);
                let (file, change) = (run.config_file(), options.config_change);
                (progress.config).check_file(&name, &config, &file, change)?;
                (trainer, progress)
            }
            None => {
                if !store.is_empty() {
                    bail!(
                        "{} has games but no checkpoint: its checkpoints were removed",
                        run.path().display()
                    );
                }
                let network = match initial_network {
                    Some(network) => network,
                    None => checkpoints::initial_network(&config)?,
                };
                let trainer = Trainer::from_network(network, train_params(&config));
                let progress = Progress::beginning(&config);
                checkpoints::save(&run, &trainer, &progress)?;
                (trainer, progress)
            }
        };

        let pending_from = progress.checkpoint.saturating_sub(progress.behind);
        let mut found = 0;
        let loaded = store.load::<P>(|games| {
            found = games.partition_point(|game| game.checkpoint < progress.checkpoint) as u64;
            let learned = games
                .iter()
                .take_while(|game| game.checkpoint < pending_from);
            first_in_window(&config.replay, learned.map(|game| game.positions))
        })?;
        if found < progress.games {
            warn!(
                "{}",
                missing_games(&progress, found, &store.missing_files()?)
            );
        }
        let mut learner = Learner {
            trainer,
            replay: Replay::after(loaded.passed_over),
        };
        let mut learned: BTreeMap<u32, Vec<GameRecord>> = BTreeMap::new();
        for record in loaded.records {
            learned.entry(record.checkpoint()).or_default().push(record);
        }
        let pending_games = learned.split_off(&pending_from);
        for games in learned.into_values() {
            learner.extend(games, &config);
        }
        let mut session = Session {
            source,
            run,
            store,
            metrics,
            ladder,
            played: (pending_games.get(&progress.checkpoint))
                .map_or((0, 0), |games| (games.len() as u64, positions(games))),
            progress,
            pending_games,
            stop: options.stop,
            machine: Machine::here(&config.machine),
            games_limit: options.games,
            log: options.log,
            game: PhantomData,
            checkpoints_limit: options.checkpoints,
            started,
            config,
        };
        session.log_start(is_new, learner.trainer.architecture());
        session.source.open(&session.run)?;
        session.note_training()?;
        Ok((session, learner))
    }

    fn train(mut self, mut learner: Learner<P>) -> anyhow::Result<Summary> {
        while let EvaluationEnd::Complete(evaluation) = self.evaluate()? {
            self.report(&evaluation)?;
            if self.has_regressed(&evaluation) {
                self.return_to_predecessor(&mut learner)?;
                continue;
            }
            let enough = self
                .checkpoints_limit
                .is_some_and(|n| self.progress.checkpoint >= n);
            if enough || self.stop.is_due() {
                break;
            }
            let end = if self.machine.overlap {
                self.play_while_training(&mut learner)?
            } else {
                self.play_then_train(&mut learner)?
            };
            if end == PhaseEnd::Interrupted {
                break;
            }
        }
        self.finish(&learner)
    }

    /// Makes the next checkpoint from all games, those of the newest one included.
    fn play_then_train(&mut self, learner: &mut Learner<P>) -> anyhow::Result<PhaseEnd> {
        if self.play_games()? == PhaseEnd::Interrupted {
            return Ok(PhaseEnd::Interrupted);
        }
        let mut job = self.job(learner, self.progress.checkpoint + 1);
        let outcome = learner.train(&mut job, &self.log, || self.stop.is_signalled())?;
        self.make_checkpoint(learner, &job, outcome)
    }

    /// Plays the games of the newest checkpoint, and meanwhile makes the next one from those of
    /// the others.
    fn play_while_training(&mut self, learner: &mut Learner<P>) -> anyhow::Result<PhaseEnd> {
        let mut job = self.job(learner, self.progress.checkpoint);
        let (log, stop) = (self.log.clone(), self.stop.clone());
        let ended = AtomicBool::new(false);
        let is_stopped = || ended.load(Ordering::Relaxed) || stop.is_signalled();
        let (played, trained) = thread::scope(|scope| {
            let training = scope.spawn(|| learner.train(&mut job, &log, is_stopped));
            let played = self.play_games();
            if !matches!(played, Ok(PhaseEnd::Complete)) {
                ended.store(true, Ordering::Relaxed);
            }
            (played, training.join())
        });
        let outcome = trained.unwrap_or_else(|panic| resume_unwind(panic))?;
        match played? {
            PhaseEnd::Complete => self.make_checkpoint(learner, &job, outcome),
            PhaseEnd::Interrupted => Ok(PhaseEnd::Interrupted),
        }
    }

    /// Moves the games of checkpoints below `games_below` to the learner's replay window, and
    /// computes how many steps they are worth.
    pub(super) fn job(&mut self, learner: &mut Learner<P>, games_below: u32) -> TrainJob {
        let later = self.pending_games.split_off(&games_below);
        let mut new = 0;
        for games in mem::replace(&mut self.pending_games, later).into_values() {
            new += positions(&games);
            learner.extend(games, &self.config);
        }
        let bought = new as f64 * self.config.replay.samples_per_position;
        let samples = self.progress.samples_left + bought;
        let batch = f64::from(self.config.training.batch_size);
        let steps = if learner.replay.is_empty() {
            0
        } else {
            (samples / batch) as u64
        };
        TrainJob {
            config: self.config.clone(),
            progress: self.progress.clone(),
            checkpoint: self.run.checkpoint(self.progress.checkpoint),
            games_below,
            steps,
            samples_left: samples - steps as f64 * batch,
            threads: self.machine.threads,
        }
    }

    /// Saves the trained network as the next checkpoint.
    pub(super) fn make_checkpoint(
        &mut self,
        learner: &Learner<P>,
        job: &TrainJob,
        outcome: TrainOutcome,
    ) -> anyhow::Result<PhaseEnd> {
        let training = match outcome {
            TrainOutcome::Trained(stats) => Some(stats),
            TrainOutcome::NothingToLearn => None,
            TrainOutcome::Interrupted => return Ok(PhaseEnd::Interrupted),
        };
        let (games, positions) = mem::take(&mut self.played);
        let checkpoint = self.progress.checkpoint + 1;
        self.progress = Progress {
            checkpoint,
            behind: checkpoint - job.games_below,
            games: self.progress.games + games,
            positions: self.progress.positions + positions,
            samples_left: job.samples_left,
            rate_scale: job.progress.rate_scale,
            positions_per_game: match games {
                0 => self.progress.positions_per_game,
                // Of the games to come another share may be recorded.
                games => {
                    let recorded = |checkpoint| recorded_share(&self.config, checkpoint);
                    positions as f64 / games as f64 * recorded(checkpoint)
                        / recorded(checkpoint - 1)
                }
            },
            returned_to: None,
            training,
            config: FrozenSettings::of(&self.config),
        };
        self.save(learner)?;
        Ok(PhaseEnd::Complete)
    }

    fn save(&mut self, learner: &Learner<P>) -> anyhow::Result<()> {
        checkpoints::save(&self.run, &learner.trainer, &self.progress)?;
        checkpoints::thin(&self.run, self.config.checkpoint.keep_optimizer_states)?;
        self.note_training()
    }

    /// Puts the training that made the newest checkpoint on record; a crash may have come
    /// between the two.
    fn note_training(&mut self) -> anyhow::Result<()> {
        if let Some(stats) = self.progress.training.clone() {
            self.warn_about(warnings::of_training(&self.config.warnings, &stats))?;
            self.metrics.add(Event::Training(stats))?;
        }
        Ok(())
    }

    pub(super) fn has_regressed(&self, evaluation: &Evaluation) -> bool {
        let bound = self.config.evaluation.regression_elo;
        let (Some((estimate, _)), true) = (&evaluation.predecessor, bound > 0.0) else {
            return false;
        };
        estimate.high < -bound && self.progress.returned_to.is_none()
    }

    /// Makes a checkpoint that is the predecessor's network again, and continues from there.
    pub(super) fn return_to_predecessor(&mut self, learner: &mut Learner<P>) -> anyhow::Result<()> {
        let checkpoint = self.progress.checkpoint;
        let Some(better) = checkpoint.checked_sub(self.config.evaluation.every) else {
            return Ok(());
        };
        let loaded = checkpoints::load::<P>(&self.run, better, train_params(&self.config));
        let (trainer, _) = match loaded {
            Ok(loaded) => loaded,
            Err(e) => {
                warn!(
                    "checkpoint {} is worse than {}, but the run cannot return to it: {e:#}",
                    checkpoint_name(checkpoint),
                    checkpoint_name(better)
                );
                self.progress.returned_to = Some(checkpoint);
                return Ok(());
            }
        };
        error!(
            "checkpoint {} is clearly worse than {}: the run returns to that network",
            checkpoint_name(checkpoint),
            checkpoint_name(better),
        );
        learner.trainer = trainer;
        self.progress.checkpoint = checkpoint + 1;
        self.progress.behind += 1;
        self.progress.returned_to = Some(better);
        self.progress.training = None;
        self.save(learner)
    }

    pub(super) fn warn_about(&mut self, warnings: Vec<String>) -> anyhow::Result<()> {
        for what in warnings {
            let checkpoint = self.progress.checkpoint;
            warn!("checkpoint {}: {what}", checkpoint_name(checkpoint));
            self.metrics.add(Event::Warning { checkpoint, what })?;
        }
        Ok(())
    }
}
