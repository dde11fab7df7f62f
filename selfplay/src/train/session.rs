use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Instant;

use anyhow::bail;
use garuda_model::{Architecture, Encode, Trainer};
use garuda_rules::with_rule_set;
use serde::Serialize;
use tracing::{error, info, warn};

use super::alarms;
use super::checkpoints;
use super::evaluate::Evaluation;
use super::figures::positions;
use super::learn::{Learned, learn, recipe};
use super::ui::{bytes, thousands};
use super::{Log, Progress, Stop};
use crate::config::Config;
use crate::ratings::Verdict;
use crate::records::{GameRecord, RecordStore};
use crate::replay::Replay;
use crate::run::{Event, Ladder, Metrics, RunDir, TensorBoard, checkpoint_name, write_plots};
use crate::seeds;

/// The rate is halved at most so often before a run is given up.
const LEAST_RATE_SCALE: f64 = 1.0 / 256.0;

/// What to train, where, and for how long.
#[derive(Debug)]
pub struct TrainOptions {
    pub run: PathBuf,
    pub config: Config,
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
    let rule_set = options.config.rule_set();
    with_rule_set!(rule_set, P => Session::<P>::open(options)?.train())
}

/// A run that is being trained.
pub(super) struct Session<P: Encode> {
    pub(super) run: RunDir,
    pub(super) config: Config,
    pub(super) store: RecordStore,
    pub(super) metrics: Metrics,
    pub(super) ladder: Ladder,
    pub(super) progress: Progress,
    /// Games of the newest checkpoint, and of later ones if the run had to go back.
    pub(super) later: BTreeMap<u32, Vec<GameRecord>>,
    pub(super) stop: Stop,
    pub(super) shards: usize,
    pub(super) games_limit: Option<u64>,
    pub(super) log: Log,
    trainer: Trainer<P>,
    replay: Replay,
    /// Games and positions that the next checkpoint was to learn from when the end came.
    unlearned: (u64, u64),
    checkpoints_limit: Option<u32>,
    begun: Instant,
}

impl<P: Encode> Session<P> {
    fn open(options: TrainOptions) -> anyhow::Result<Session<P>> {
        let begun = Instant::now();
        let config = options.config;
        let run = RunDir::open_or_create(&options.run, &config)?;
        let mut metrics = Metrics::open(&run.metrics())?;
        if config.output.tensorboard {
            metrics.show_on(TensorBoard::create(&run.tensorboard())?);
        }
        let ladder = Ladder::read(&run.ladder())?;
        let store = RecordStore::open(&run.games())?;
        let records = store.load::<P>(config.rule_set())?.records;
        let cores = available_parallelism().map_or(1, usize::from);
        let or_cores = |n: u32| if n == 0 { cores } else { n as usize };
        garuda_model::set_threads(or_cores(config.machine.threads));

        let (trainer, progress) = match checkpoints::load_newest::<P>(&run, recipe(&config))? {
            Some((trainer, progress)) => {
                options.log.line(&format!(
                    "{} goes on from checkpoint {}: {} games, {} positions so far",
                    run.path().display(),
                    checkpoint_name(progress.net),
                    thousands(progress.games),
                    thousands(progress.positions),
                ));
                (trainer, progress)
            }
            None => {
                if !records.is_empty() {
                    bail!(
                        "{} has games but no checkpoint: its checkpoints were removed",
                        run.path().display()
                    );
                }
                let network = &config.network;
                let architecture = Architecture::new(network.blocks, network.channels)?;
                let seed = seeds::derive(config.run.seed, "network", &[]);
                let trainer = Trainer::new(architecture, recipe(&config), seed);
                let progress = Progress::beginning(&config);
                checkpoints::save(&run, &trainer, &progress)?;
                options.log.line(&format!(
                    "{} begins: {}, a network of {architecture}",
                    run.path().display(),
                    config.rule_set(),
                ));
                (trainer, progress)
            }
        };

        let mut replay = Replay::default();
        let mut by_net: BTreeMap<u32, Vec<GameRecord>> = BTreeMap::new();
        for record in records {
            by_net.entry(record.net()).or_default().push(record);
        }
        let later = by_net.split_off(&progress.net);
        for games in by_net.into_values() {
            replay.extend(games, &config.replay);
        }
        let mut session = Session {
            run,
            store,
            metrics,
            ladder,
            progress,
            later,
            stop: options.stop,
            shards: or_cores(config.machine.shards),
            games_limit: options.games,
            log: options.log,
            trainer,
            replay,
            unlearned: (0, 0),
            checkpoints_limit: options.checkpoints,
            begun,
            config,
        };
        session.note_training()?;
        Ok(session)
    }

    /// The position that games start from.
    pub(super) fn start(&self) -> P {
        match self.config.game.start.as_str() {
            "" => P::start(),
            text => text.parse().expect("a checked configuration"),
        }
    }

    fn train(mut self) -> anyhow::Result<Summary> {
        while let Some(evaluation) = self.evaluate()? {
            self.report(&evaluation)?;
            if self.has_regressed(&evaluation) {
                self.return_to_predecessor()?;
                continue;
            }
            let enough = self
                .checkpoints_limit
                .is_some_and(|n| self.progress.net >= n);
            if enough || self.stop.is_due() || !self.play_games()? || !self.make_checkpoint()? {
                break;
            }
        }
        self.finish()
    }

    /// Learns from the games of the newest checkpoint, which makes the next one. False if the
    /// end of the run came first.
    fn make_checkpoint(&mut self) -> anyhow::Result<bool> {
        let games = self.later.remove(&self.progress.net).unwrap_or_default();
        let (count, new) = (games.len() as u64, positions(&games));
        self.replay.extend(games, &self.config.replay);
        let bought = new as f64 * self.config.replay.samples_per_position;
        let samples = self.progress.samples_left + bought;
        let batch = f64::from(self.config.training.batch);
        let steps = if self.replay.is_empty() {
            0
        } else {
            (samples / batch) as u64
        };
        let figures = loop {
            let mut phase = self.log.phase("training", steps);
            let learned = learn(
                &mut self.trainer,
                &self.replay,
                &self.config,
                &self.progress,
                steps,
                &self.stop,
                |step, losses| {
                    phase.set(step, || {
                        format!(
                            "loss {:.3} · policy {:.3} · value {:.3}",
                            losses.total, losses.policy, losses.value
                        )
                    });
                },
            );
            match learned {
                Learned::Done(figures) => break figures,
                Learned::Stopped => {
                    self.unlearned = (count, new);
                    return Ok(false);
                }
                Learned::Diverged => self.go_back()?,
            }
        };
        self.progress = Progress {
            net: self.progress.net + 1,
            games: self.progress.games + count,
            positions: self.progress.positions + new,
            samples_left: samples - steps as f64 * batch,
            rate_scale: self.progress.rate_scale,
            positions_per_game: match count {
                0 => self.progress.positions_per_game,
                count => new as f64 / count as f64,
            },
            returned_to: None,
            training: Some(figures),
        };
        self.save()?;
        Ok(true)
    }

    fn save(&mut self) -> anyhow::Result<()> {
        checkpoints::save(&self.run, &self.trainer, &self.progress)?;
        checkpoints::thin(&self.run, self.config.checkpoint.resumable)?;
        self.note_training()
    }

    /// Puts the training that made the newest checkpoint on record; a crash may have come
    /// between the two.
    fn note_training(&mut self) -> anyhow::Result<()> {
        if let Some(figures) = self.progress.training.clone() {
            self.alarm(alarms::of_training(&self.config.alarms, &figures))?;
            self.metrics.add(Event::Training(figures))?;
        }
        Ok(())
    }

    /// Takes the weights of the newest checkpoint again, to learn more slowly.
    fn go_back(&mut self) -> anyhow::Result<()> {
        let scale = self.progress.rate_scale / 2.0;
        if scale < LEAST_RATE_SCALE {
            bail!("training has no finite loss even at 1/256 of the learning rate");
        }
        error!(
            "{} steps running had no finite loss: back to checkpoint {} with half the learning rate",
            self.config.training.bad_steps,
            checkpoint_name(self.progress.net),
        );
        let (trainer, _) =
            checkpoints::load::<P>(&self.run, self.progress.net, recipe(&self.config))?;
        self.trainer = trainer;
        self.progress.rate_scale = scale;
        Ok(())
    }

    fn has_regressed(&self, evaluation: &Evaluation) -> bool {
        let bound = self.config.evaluation.regression_elo;
        let (Some((estimate, _)), true) = (&evaluation.predecessor, bound > 0.0) else {
            return false;
        };
        estimate.high < -bound && self.progress.returned_to.is_none()
    }

    /// Makes a checkpoint that is the predecessor's network again, and goes on from there.
    fn return_to_predecessor(&mut self) -> anyhow::Result<()> {
        let net = self.progress.net;
        let Some(better) = net.checked_sub(self.config.evaluation.every) else {
            return Ok(());
        };
        let loaded = checkpoints::load::<P>(&self.run, better, recipe(&self.config));
        let (trainer, _) = match loaded {
            Ok(loaded) => loaded,
            Err(e) => {
                warn!(
                    "checkpoint {} is worse than {}, but the run cannot return to it: {e:#}",
                    checkpoint_name(net),
                    checkpoint_name(better)
                );
                self.progress.returned_to = Some(net);
                return Ok(());
            }
        };
        error!(
            "checkpoint {} is clearly worse than {}: the run returns to that network",
            checkpoint_name(net),
            checkpoint_name(better),
        );
        self.trainer = trainer;
        self.progress.net = net + 1;
        self.progress.returned_to = Some(better);
        self.progress.training = None;
        self.save()
    }

    pub(super) fn alarm(&mut self, alarms: Vec<String>) -> anyhow::Result<()> {
        for what in alarms {
            let net = self.progress.net;
            warn!("checkpoint {}: {what}", checkpoint_name(net));
            self.metrics.add(Event::Alarm { net, what })?;
        }
        Ok(())
    }

    fn rating(&self) -> Option<(f64, f64)> {
        let name = checkpoint_name(self.progress.net);
        (self.ladder.ratings().into_iter())
            .find(|rating| rating.player == name)
            .map(|rating| (rating.elo, rating.error))
    }

    /// The permanent line of a checkpoint, and the plots.
    fn report(&self, evaluation: &Evaluation) -> anyhow::Result<()> {
        let progress = &self.progress;
        let mut line = format!("checkpoint {}", checkpoint_name(progress.net));
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
                Verdict::Stronger => ", stronger",
                Verdict::NotStronger => ", not stronger",
                Verdict::Open => "",
            };
            line += &format!(
                " · {:+.0} Elo ({:+.0} to {:+.0}{word})",
                estimate.elo, estimate.low, estimate.high
            );
        }
        if let Some((elo, error)) = self.rating() {
            line += &format!(" · rating {elo:.0} ± {error:.0}");
        }
        let minutes = self.begun.elapsed().as_secs_f64() / 60.0;
        line += &format!(" · {} · {minutes:.1} min", bytes(self.run.size()));
        self.log.line(&line);
        if self.config.output.plots {
            write_plots(
                &self.run.plots(),
                &self.metrics.events(),
                &self.ladder.ratings(),
            )?;
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<Summary> {
        let newest = self.later.get(&self.progress.net);
        let newest = newest.map_or(&[][..], Vec::as_slice);
        let (games, new) = self.unlearned;
        let (games, new) = (games + newest.len() as u64, new + positions(newest));
        let summary = Summary {
            run: self.run.path().to_owned(),
            checkpoint: self.run.checkpoint(self.progress.net),
            checkpoints: self.progress.net,
            games: self.progress.games + games,
            positions: self.progress.positions + new,
            steps: self.trainer.steps(),
            rating: self.rating().map(|(elo, _)| elo),
            seconds: self.begun.elapsed().as_secs_f64(),
        };
        if games > 0 {
            info!("{games} games are not learned from yet");
        }
        let run = summary.run.display();
        self.log.line(&format!(
            "{run} has {} checkpoints, {} games, {} positions and takes {}. Next:\n  \
             garuda train {run}            goes on\n  \
             garuda ladder {run}           shows the ratings\n  \
             garuda match {run} material --games 100\n  \
             garuda play {run}             plays against you",
            summary.checkpoints,
            thousands(summary.games),
            thousands(summary.positions),
            bytes(self.run.size()),
        ));
        Ok(summary)
    }
}
