use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use std::{mem, thread};

use anyhow::bail;
use garuda_arena::ratings::{SprtDecision, ladder_ratings};
use garuda_model::{Architecture, Trainer};
use garuda_rules::{Position, with_rule_set};
use garuda_run::config::{Config, ConfigChange, FrozenSettings};
use garuda_run::records::{GameRecord, RecordStore};
use garuda_run::{
    Event, Ladder, Log, Metrics, RunDir, Stop, TensorBoard, bytes, checkpoint_name, counted,
    program, seeds, shell_path, shown_path, thousands,
};
use garuda_study::charts::write_plots;
use serde::Serialize;
use tracing::{error, info, warn};

use super::evaluate::Evaluation;
use super::learn::{Learner, TrainJob, Trained, train_params};
use super::machine::Machine;
use super::stats::positions;
use super::{Progress, checkpoints, warnings};
use crate::generate::position_sample_rate;
use crate::replay::{Replay, first_remembered};

/// What to train, where, and for how long.
#[derive(Debug)]
pub struct TrainOptions {
    pub run: PathBuf,
    pub config: Config,
    /// Whether the configuration may be another than the run has.
    pub config_change: ConfigChange,
    pub stop: Stop,
    /// End when the run has so many games.
    pub games: Option<u64>,
    /// End when the run has made so many checkpoints beyond its first, untrained one.
    pub checkpoints: Option<u32>,
    pub log: Log,
}

/// What a run has when training ends.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub run: PathBuf,
    pub checkpoint: PathBuf,
    pub checkpoints: u32,
    pub games: u64,
    pub positions: u64,
    pub steps: u64,
    /// Elo of the newest checkpoint in the ladder, 0 being a random player.
    pub rating: Option<f64>,
    pub seconds: f64,
}

/// Trains a run, beginning it or going on with it.
pub fn train(options: TrainOptions) -> anyhow::Result<Summary> {
    let rule_set = options.config.game.rules;
    with_rule_set!(rule_set, P => {
        let (session, learner) = Session::<P>::open(options)?;
        session.train(learner)
    })
}

/// A run that is being trained.
pub(super) struct Session<P: Position> {
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
    started: Instant,
}

impl<P: Position> Session<P> {
    pub(super) fn open(options: TrainOptions) -> anyhow::Result<(Session<P>, Learner<P>)> {
        let started = Instant::now();
        let config = options.config;
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
                let architecture = config.network.architecture()?;
                let seed = seeds::derive(config.run.seed, "network", &[]);
                let trainer = Trainer::new(architecture, train_params(&config), seed);
                let progress = Progress::beginning(&config);
                checkpoints::save(&run, &trainer, &progress)?;
                (trainer, progress)
            }
        };

        let unlearned_from = progress.checkpoint.saturating_sub(progress.behind);
        let mut found = 0;
        let loaded = store.load::<P>(|games| {
            found = games.partition_point(|game| game.checkpoint < progress.checkpoint) as u64;
            let learned = games
                .iter()
                .take_while(|game| game.checkpoint < unlearned_from);
            first_remembered(&config.replay, learned.map(|game| game.positions))
        })?;
        if found < progress.games {
            warn!(
                "{}",
                missing_games(&progress, found, &store.missing_files()?)
            );
        }
        let mut replay = Replay::after(loaded.passed_over);
        let mut by_net: BTreeMap<u32, Vec<GameRecord>> = BTreeMap::new();
        for record in loaded.records {
            by_net.entry(record.checkpoint()).or_default().push(record);
        }
        let pending_games = by_net.split_off(&unlearned_from);
        for games in by_net.into_values() {
            replay.extend(games, &config.replay);
        }
        let mut session = Session {
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
        session.log_start(is_new, trainer.averaged().architecture());
        session.note_training()?;
        Ok((session, Learner { trainer, replay }))
    }

    /// Says whether the run is new or resumed, and from where.
    fn log_start(&self, is_new: bool, network: Architecture) {
        let run = shown_path(self.run.path());
        let (games, positions) = self.played;
        self.log.line(&if is_new {
            let rules = P::NAME;
            format!("{run}: starting {rules} with a network of {network}")
        } else {
            format!(
                "{run}: resuming from checkpoint {}: {}, {} so far",
                checkpoint_name(self.progress.checkpoint),
                counted(self.progress.games + games, "game"),
                counted(self.progress.positions + positions, "position"),
            )
        });
    }

    fn train(mut self, mut learner: Learner<P>) -> anyhow::Result<Summary> {
        while let Some(evaluation) = self.evaluate()? {
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
            let made = if self.machine.overlap {
                self.play_while_learning(&mut learner)?
            } else {
                self.play_then_learn(&mut learner)?
            };
            if !made {
                break;
            }
        }
        self.finish(&learner)
    }

    /// Makes the next checkpoint from all games, those of the newest one included. False if the
    /// end of the run came first.
    fn play_then_learn(&mut self, learner: &mut Learner<P>) -> anyhow::Result<bool> {
        if !self.play_games()? {
            return Ok(false);
        }
        let mut job = self.job(learner, self.progress.checkpoint + 1);
        let learned = learner.learn(&mut job, &self.log, || self.stop.is_signalled())?;
        self.make_checkpoint(learner, &job, learned)
    }

    /// Plays the games of the newest checkpoint, and meanwhile makes the next one from those of
    /// the others. False if the end of the run came first.
    fn play_while_learning(&mut self, learner: &mut Learner<P>) -> anyhow::Result<bool> {
        let mut job = self.job(learner, self.progress.checkpoint);
        let (log, stop) = (self.log.clone(), self.stop.clone());
        let ended = AtomicBool::new(false);
        let is_stopped = || ended.load(Ordering::Relaxed) || stop.is_signalled();
        let (played, learned) = thread::scope(|scope| {
            let learning = scope.spawn(|| learner.learn(&mut job, &log, is_stopped));
            let played = self.play_games();
            if !matches!(played, Ok(true)) {
                ended.store(true, Ordering::Relaxed);
            }
            (played, learning.join())
        });
        let learned = learned.unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok(played? && self.make_checkpoint(learner, &job, learned)?)
    }

    /// Moves the games of checkpoints below `games_below` to the learner, and says how long it is
    /// to learn from them.
    pub(super) fn job(&mut self, learner: &mut Learner<P>, games_below: u32) -> TrainJob {
        let later = self.pending_games.split_off(&games_below);
        let mut new = 0;
        for games in mem::replace(&mut self.pending_games, later).into_values() {
            new += positions(&games);
            learner.replay.extend(games, &self.config.replay);
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

    /// Keeps what was learned as the next checkpoint. False if there was an end to it.
    pub(super) fn make_checkpoint(
        &mut self,
        learner: &Learner<P>,
        job: &TrainJob,
        learned: Trained,
    ) -> anyhow::Result<bool> {
        let training = match learned {
            Trained::Done(stats) => Some(stats),
            Trained::Nothing => None,
            Trained::Stopped => return Ok(false),
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
                // Every position of the games to come counts.
                games => {
                    positions as f64
                        / games as f64
                        / position_sample_rate(&self.config, checkpoint - 1)
                }
            },
            returned_to: None,
            training,
            config: FrozenSettings::of(&self.config),
        };
        self.save(learner)?;
        Ok(true)
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

    /// Makes a checkpoint that is the predecessor's network again, and goes on from there.
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

    fn rating(&self) -> Option<(f64, f64)> {
        let name = checkpoint_name(self.progress.checkpoint);
        ladder_ratings(&self.ladder)
            .into_iter()
            .find(|rating| rating.player == name)
            .map(|rating| (rating.elo, rating.error))
    }

    /// The permanent line of a checkpoint, and the plots.
    fn report(&self, evaluation: &Evaluation) -> anyhow::Result<()> {
        let progress = &self.progress;
        let mut line = format!("checkpoint {}", checkpoint_name(progress.checkpoint));
        if let Some(training) = &progress.training {
            line += &format!(
                " · {} positions · {} steps · policy {:.3} value {:.3}",
                thousands(progress.positions),
                thousands(training.steps),
                training.losses.policy,
                training.losses.value,
            );
        }
        if let Some((estimate, verdict)) = &evaluation.predecessor {
            let word = match verdict {
                SprtDecision::Stronger => ", stronger",
                SprtDecision::NotStronger => ", not stronger",
                SprtDecision::Undecided => "",
            };
            line += &format!(
                " · {:+.0} Elo ({:+.0} to {:+.0}{word})",
                estimate.elo, estimate.low, estimate.high
            );
        }
        if let Some((elo, error)) = self.rating() {
            line += &format!(" · rating {elo:.0} ± {error:.0}");
        }
        let minutes = self.started.elapsed().as_secs_f64() / 60.0;
        line += &format!(" · {} · {minutes:.1} min", bytes(self.run.size()));
        self.log.line(&line);
        if self.config.output.plots {
            write_plots(
                &self.run.plots(),
                &self.metrics.events(),
                &ladder_ratings(&self.ladder),
            )?;
        }
        Ok(())
    }

    fn finish(self, learner: &Learner<P>) -> anyhow::Result<Summary> {
        let (games, positions) = self.played;
        let summary = Summary {
            run: self.run.path().to_owned(),
            checkpoint: self.run.checkpoint(self.progress.checkpoint),
            checkpoints: self.progress.checkpoint,
            games: self.progress.games + games,
            positions: self.progress.positions + positions,
            steps: learner.trainer.steps(),
            rating: self.rating().map(|(elo, _)| elo),
            seconds: self.started.elapsed().as_secs_f64(),
        };
        if games > 0 {
            let games = counted(games, "game");
            info!("{games} of the newest checkpoint will count for the next one");
        }
        self.log.line(&format!(
            "{}: {}, {}, {}, {}. Next:\n{}",
            shown_path(&summary.run),
            counted(summary.checkpoints, "checkpoint"),
            counted(summary.games, "game"),
            counted(summary.positions, "position"),
            bytes(self.run.size()),
            next_commands(&summary.run),
        ));
        Ok(summary)
    }
}

/// The games that a checkpoint counts and the store does not have.
fn missing_games(progress: &Progress, found: u64, files: &[String]) -> String {
    let games = progress.games;
    let name = checkpoint_name(progress.checkpoint);
    let missing = games - found;
    let files = match files {
        [] => "no gap in the numbers of the record files shows which".to_owned(),
        files => format!("{} are not there", files.join(", ")),
    };
    format!(
        "{missing} of the {games} games played before checkpoint {name} are missing, and training \
         continues without them: {files}"
    )
}

/// What can be done with a run, as commands for a shell.
fn next_commands(run: &Path) -> String {
    let (garuda, run) = (program(), shell_path(run));
    let commands = [
        (format!("{garuda} train {run}"), "resume training"),
        (format!("{garuda} ladder {run}"), "show the ratings"),
        (
            format!("{garuda} match {run} alphabeta"),
            "play a match against alpha-beta search",
        ),
        (format!("{garuda} play {run}"), "play against it"),
    ];
    let width = commands.iter().map(|(c, _)| c.chars().count()).max();
    let width = width.unwrap_or(0);
    commands
        .map(|(command, purpose)| format!("  {command:<width$}   {purpose}"))
        .join("\n")
}
