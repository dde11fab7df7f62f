//! The training phase: what is learned follows from the records, the configuration and the
//! number of the checkpoint that is made.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::bail;
use garuda_model::{Batch, Drop, Encode, LossWeights, Losses, Recipe, Schedule, Trainer};
use rand::RngExt;
use rayon::prelude::*;
use tracing::error;

use super::Log;
use super::progress::Progress;
use crate::config::Config;
use crate::records::GameRecord;
use crate::replay::{Replay, Sample, SampleSettings};
use crate::run::{LossFigures, TrainingFigures, checkpoint_name};
use crate::seeds;

/// Batches that the losses at the end of a phase are measured on.
const MEASURED: u64 = 8;

/// The rate is halved at most so often before a run is given up.
const LEAST_RATE_SCALE: f64 = 1.0 / 256.0;

/// The network that learns, and what it learns from.
pub(super) struct Learner<P: Encode> {
    pub(super) trainer: Trainer<P>,
    pub(super) replay: Replay,
}

/// What makes the next checkpoint.
pub(super) struct Lesson {
    pub(super) config: Config,
    /// How far the run was before.
    pub(super) progress: Progress,
    /// The checkpoint of that progress, to begin again from.
    pub(super) checkpoint: PathBuf,
    /// Games of checkpoints below this number are learned from.
    pub(super) games_below: u32,
    pub(super) steps: u64,
    /// Training samples that are bought and not used.
    pub(super) samples_left: f64,
    pub(super) threads: usize,
}

/// How a lesson ended.
pub(super) enum Learned {
    Done(TrainingFigures),
    /// There was nothing to learn from.
    Nothing,
    Stopped,
}

impl<P: Encode> Learner<P> {
    /// Learns a lesson. If there is no finite loss any more it begins again with half the rate,
    /// which the lesson's progress then tells.
    pub(super) fn learn(
        &mut self,
        lesson: &mut Lesson,
        log: &Log,
        is_stopped: impl Fn() -> bool,
    ) -> anyhow::Result<Learned> {
        if lesson.steps == 0 {
            return Ok(Learned::Nothing);
        }
        // The number belongs to the thread that trains.
        garuda_model::set_threads(lesson.threads);
        loop {
            let next = checkpoint_name(lesson.progress.net + 1);
            let mut phase = (log.phase("training", lesson.steps))
                .towards(format!("checkpoint {next}"), Duration::ZERO);
            let ended = teach(self, lesson, &is_stopped, |step, losses| {
                phase.set(step, || {
                    format!(
                        "loss {:.3} · policy {:.3} · value {:.3}",
                        losses.total, losses.policy, losses.value
                    )
                });
            });
            match ended {
                Taught::Done(figures) => return Ok(Learned::Done(figures)),
                Taught::Stopped => return Ok(Learned::Stopped),
                Taught::Diverged => self.begin_again(lesson)?,
            }
        }
    }

    /// Takes the weights of the newest checkpoint again, to learn more slowly.
    fn begin_again(&mut self, lesson: &mut Lesson) -> anyhow::Result<()> {
        let scale = lesson.progress.rate_scale / 2.0;
        if scale < LEAST_RATE_SCALE {
            bail!("training has no finite loss even at 1/256 of the learning rate");
        }
        error!(
            "{} steps running had no finite loss: back to {} with half the learning rate",
            lesson.config.training.bad_steps,
            lesson.checkpoint.display(),
        );
        let (trainer, _): (_, Progress) =
            Trainer::load(&lesson.checkpoint, recipe(&lesson.config))?;
        self.trainer = trainer;
        lesson.progress.rate_scale = scale;
        Ok(())
    }
}

enum Taught {
    Done(TrainingFigures),
    /// Too many steps running without a finite loss.
    Diverged,
    Stopped,
}

pub(super) fn recipe(config: &Config) -> Recipe {
    let training = &config.training;
    Recipe {
        loss: LossWeights {
            policy: training.policy_weight,
            soft: training.soft_policy_weight,
            reply: training.reply_policy_weight,
            value: training.value_weight,
            short: training.short_value_weight,
            plies: training.plies_left_weight,
        },
        weight_decay: training.weight_decay,
        clip: training.clip,
        average: training.ema,
    }
}

fn schedule(config: &Config) -> Schedule {
    let training = &config.training;
    Schedule {
        base: training.learning_rate,
        warmup: training.warmup_steps,
        drops: (training.rate_drops.iter())
            .map(|&step| Drop {
                step,
                factor: training.rate_drop,
            })
            .collect(),
    }
}

/// Makes the steps of a lesson.
fn teach<P: Encode>(
    learner: &mut Learner<P>,
    lesson: &Lesson,
    is_stopped: impl Fn() -> bool,
    mut watch: impl FnMut(u64, &Losses),
) -> Taught {
    let begun = Instant::now();
    let Learner { trainer, replay } = learner;
    let Lesson {
        config,
        progress,
        steps,
        ..
    } = lesson;
    let steps = *steps;
    let net = progress.net + 1;
    let size = config.training.batch;
    let schedule = schedule(config);
    let source = Source {
        settings: SampleSettings::from(config),
        mirror: config.replay.mirror,
        seed: config.run.seed,
        net,
        size,
    };
    let mut batch = Batch::new();
    let (mut skipped, mut running) = (0u64, 0);
    let (mut gradient, mut rate) = (0.0, 0.0);
    for step in 0..steps {
        if is_stopped() {
            return Taught::Stopped;
        }
        source.fill(&mut batch, Part::Training, step, replay);
        rate = schedule.at(trainer.steps()) * progress.rate_scale;
        let report = trainer.step(&batch, rate);
        if report.applied {
            running = 0;
            gradient += f64::from(report.gradient);
            watch(step + 1, &report.losses);
        } else {
            skipped += 1;
            running += 1;
            if running >= config.training.bad_steps {
                return Taught::Diverged;
            }
        }
    }
    let losses = source.measure(trainer, Part::Window, replay);
    let validation = (replay.held_out_len() >= u64::from(size))
        .then(|| source.measure(trainer, Part::HeldOut, replay));
    Taught::Done(TrainingFigures {
        net,
        steps: trainer.steps(),
        window: replay.len(),
        rate,
        losses,
        validation,
        gradient: gradient / (steps - skipped).max(1) as f64,
        skipped,
        samples: steps * u64::from(size),
        seconds: begun.elapsed().as_secs_f64(),
    })
}

/// What a batch is drawn for.
#[derive(Copy, Clone)]
enum Part {
    Training,
    Window,
    HeldOut,
}

/// Where batches come from: equal numbers give equal batches.
struct Source {
    settings: SampleSettings,
    mirror: bool,
    seed: u64,
    net: u32,
    size: u32,
}

impl Source {
    fn fill<P: Encode>(&self, batch: &mut Batch<P>, part: Part, number: u64, replay: &Replay) {
        let purpose = match part {
            Part::Training => "batch",
            Part::Window => "measured",
            Part::HeldOut => "held-out",
        };
        let mut rng = seeds::rng(seeds::derive(
            self.seed,
            purpose,
            &[self.net.into(), number],
        ));
        let choose: Vec<(&GameRecord, usize, bool)> = (0..self.size)
            .map(|_| {
                let (record, ply) = match part {
                    Part::HeldOut => {
                        replay.held_out_position(rng.random_range(0..replay.held_out_len()))
                    }
                    _ => replay.position(rng.random_range(0..replay.len())),
                };
                (record, ply, self.mirror && rng.random_bool(0.5))
            })
            .collect();
        let samples: Vec<_> = choose
            .into_par_iter()
            .map(|(record, ply, mirror)| (Sample::new(record, ply, &self.settings), mirror))
            .collect();
        batch.clear();
        for (sample, mirror) in &samples {
            sample.push_to(batch, *mirror && sample.has_mirror());
        }
    }

    /// Losses of the network that will be exported.
    fn measure<P: Encode>(&self, trainer: &Trainer<P>, part: Part, replay: &Replay) -> LossFigures {
        let mut batch = Batch::new();
        let mut mean = LossFigures::default();
        for number in 0..MEASURED {
            self.fill(&mut batch, part, number, replay);
            let losses = trainer.validate(&batch);
            let share = |loss: f32| f64::from(loss) / MEASURED as f64;
            mean.total += share(losses.total);
            mean.policy += share(losses.policy);
            mean.value += share(losses.value);
        }
        mean
    }
}
