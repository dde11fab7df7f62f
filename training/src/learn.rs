//! The training phase: what is learned depends on the records, the configuration and the number of
//! the checkpoint that is made, and on nothing else.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::bail;
use garuda_rules::Position;
use garuda_run::config::Config;
use garuda_run::records::GameRecord;
use garuda_run::{Log, LossStats, TrainingStats, checkpoint_name, seeds};
use garuda_torch::{Batch, LossWeights, Losses, LrDrop, Schedule, TrainParams, Trainer};
use rand::RngExt;
use rayon::prelude::*;
use tracing::error;

use super::progress::Progress;
use crate::replay::{ChosenSample, Replay, ReplayGame, SampleSettings};

/// Number of batches that the losses at the end of a phase are measured on.
const MEASURED: u64 = 8;

/// Below this factor of the learning rate a run is given up.
const MIN_RATE_SCALE: f64 = 1.0 / 256.0;

/// The network that is trained, and the replay window.
pub(super) struct Learner<P: Position> {
    pub(super) trainer: Trainer<P>,
    pub(super) replay: Replay,
}

/// What makes the next checkpoint.
pub(super) struct TrainJob {
    pub(super) config: Config,
    /// How far the run was before.
    pub(super) progress: Progress,
    /// The checkpoint of that progress, to restart from.
    pub(super) checkpoint: PathBuf,
    /// Games of checkpoints below this number are learned from.
    pub(super) games_below: u32,
    pub(super) steps: u64,
    /// Training samples that positions have paid for and the job does not use.
    pub(super) samples_left: f64,
    pub(super) threads: usize,
}

/// How a training phase ended.
pub(super) enum TrainOutcome {
    Trained(TrainingStats),
    /// The games are worth no step.
    NothingToLearn,
    /// The end of the run came first.
    Interrupted,
}

impl<P: Position> Learner<P> {
    /// Adds the records of one checkpoint to the replay window.
    pub(super) fn extend(&mut self, records: Vec<GameRecord>, config: &Config) {
        let kind = self.trainer.architecture().kind();
        let settings = SampleSettings::from(config);
        self.replay.extend(records, &config.replay, |record| {
            ReplayGame::new::<P>(record, kind, &settings)
        });
    }

    /// Makes the steps of a job. If the loss is no longer finite it starts again from the checkpoint
    /// with half the learning rate, and changes the job's progress accordingly.
    pub(super) fn train(
        &mut self,
        job: &mut TrainJob,
        log: &Log,
        is_stopped: impl Fn() -> bool,
    ) -> anyhow::Result<TrainOutcome> {
        if job.steps == 0 {
            return Ok(TrainOutcome::NothingToLearn);
        }
        // The number belongs to the thread that trains.
        garuda_torch::set_threads(job.threads);
        loop {
            let next = checkpoint_name(job.progress.checkpoint + 1);
            let mut phase = (log.phase("training", job.steps))
                .towards(format!("checkpoint {next}"), Duration::ZERO);
            let end = train_steps(self, job, &is_stopped, |step, losses| {
                phase.set(step, || {
                    format!(
                        "loss {:.3} · policy {:.3} · value {:.3}",
                        losses.total, losses.policy, losses.value
                    )
                });
            });
            match end {
                StepsEnd::Complete(stats) => return Ok(TrainOutcome::Trained(stats)),
                StepsEnd::Interrupted => return Ok(TrainOutcome::Interrupted),
                StepsEnd::Diverged => self.restart(job)?,
            }
        }
    }

    /// Loads the weights of the newest checkpoint again and halves the learning rate.
    fn restart(&mut self, job: &mut TrainJob) -> anyhow::Result<()> {
        let scale = job.progress.rate_scale / 2.0;
        if scale < MIN_RATE_SCALE {
            bail!("training has no finite loss even at 1/256 of the learning rate");
        }
        error!(
            "{} consecutive steps had no finite loss: back to {} with half the learning rate",
            job.config.training.max_nonfinite_steps,
            job.checkpoint.display(),
        );
        let (trainer, _): (_, Progress) =
            Trainer::load(&job.checkpoint, train_params(&job.config))?;
        self.trainer = trainer;
        job.progress.rate_scale = scale;
        Ok(())
    }
}

/// How the steps of a job ended.
enum StepsEnd {
    Complete(TrainingStats),
    /// Too many consecutive steps without a finite loss.
    Diverged,
    Interrupted,
}

pub(super) fn train_params(config: &Config) -> TrainParams {
    let training = &config.training;
    TrainParams {
        loss: LossWeights {
            policy: training.policy_weight,
            soft_policy: training.soft_policy_weight,
            opponent_policy: training.opponent_policy_weight,
            value: training.value_weight,
            short_term_value: training.short_term_value_weight,
            moves_left: training.moves_left_weight,
        },
        weight_decay: training.weight_decay,
        grad_clip_norm: training.grad_clip_norm,
        ema_decay: training.ema_decay,
    }
}

fn schedule(config: &Config) -> Schedule {
    let training = &config.training;
    Schedule {
        base: training.learning_rate,
        warmup: training.warmup_steps,
        drops: (training.lr_drops.iter())
            .map(|&step| LrDrop {
                step,
                factor: training.lr_drop_factor,
            })
            .collect(),
    }
}

/// Makes the steps of a job.
fn train_steps<P: Position>(
    learner: &mut Learner<P>,
    job: &TrainJob,
    is_stopped: impl Fn() -> bool,
    mut watch: impl FnMut(u64, &Losses),
) -> StepsEnd {
    let started = Instant::now();
    let Learner { trainer, replay } = learner;
    let TrainJob {
        config,
        progress,
        steps,
        ..
    } = job;
    let steps = *steps;
    let checkpoint = progress.checkpoint + 1;
    let size = config.training.batch_size;
    let schedule = schedule(config);
    let sampler = BatchSampler {
        settings: SampleSettings::from(config),
        mirror: config.replay.mirror,
        seed: config.run.seed,
        checkpoint,
        size,
    };
    let mut batch = Batch::new(trainer.architecture().kind());
    let (mut skipped, mut consecutive) = (0u64, 0);
    let (mut gradient, mut rate) = (0.0, 0.0);
    for step in 0..steps {
        if is_stopped() {
            return StepsEnd::Interrupted;
        }
        sampler.fill(&mut batch, Purpose::Training, step, replay);
        rate = schedule.at(trainer.steps()) * progress.rate_scale;
        let report = trainer.step(&batch, rate);
        if report.applied {
            consecutive = 0;
            gradient += f64::from(report.gradient);
            watch(step + 1, &report.losses);
        } else {
            skipped += 1;
            consecutive += 1;
            if consecutive >= config.training.max_nonfinite_steps {
                return StepsEnd::Diverged;
            }
        }
    }
    let losses = sampler.measure(trainer, Purpose::Window, replay);
    let validation = (replay.validation_len() >= u64::from(size))
        .then(|| sampler.measure(trainer, Purpose::Validation, replay));
    StepsEnd::Complete(TrainingStats {
        checkpoint,
        steps: trainer.steps(),
        window: replay.len(),
        rate,
        losses,
        validation,
        gradient: gradient / (steps - skipped).max(1) as f64,
        skipped,
        samples: steps * u64::from(size),
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// What a batch is drawn for.
#[derive(Copy, Clone)]
enum Purpose {
    Training,
    /// Measuring the loss on the window.
    Window,
    /// Measuring the loss on games that are never trained on.
    Validation,
}

/// Draws batches: equal numbers give equal batches.
struct BatchSampler {
    settings: SampleSettings,
    mirror: bool,
    seed: u64,
    checkpoint: u32,
    size: u32,
}

impl BatchSampler {
    fn fill<P: Position>(
        &self,
        batch: &mut Batch<P>,
        purpose: Purpose,
        number: u64,
        replay: &Replay,
    ) {
        let seed_purpose = match purpose {
            Purpose::Training => "batch",
            Purpose::Window => "measured",
            Purpose::Validation => "held-out",
        };
        let mut rng = seeds::rng(seeds::derive(
            self.seed,
            seed_purpose,
            &[self.checkpoint.into(), number],
        ));
        let chosen: Vec<(&ReplayGame, usize, bool)> = (0..self.size)
            .map(|_| {
                let (game, index) = match purpose {
                    Purpose::Validation => {
                        replay.validation_position(rng.random_range(0..replay.validation_len()))
                    }
                    _ => replay.position(rng.random_range(0..replay.len())),
                };
                (game, index, self.mirror && rng.random_bool(0.5))
            })
            .collect();
        let samples: Vec<_> = chosen
            .into_par_iter()
            .map(|(game, index, mirror)| (ChosenSample::new(game, index, &self.settings), mirror))
            .collect();
        batch.clear();
        for (sample, mirror) in &samples {
            sample.push_to(batch, *mirror);
        }
    }

    /// Losses of the network that will be exported.
    fn measure<P: Position>(
        &self,
        trainer: &Trainer<P>,
        purpose: Purpose,
        replay: &Replay,
    ) -> LossStats {
        let mut batch = Batch::new(trainer.architecture().kind());
        let mut mean = LossStats::default();
        for number in 0..MEASURED {
            self.fill(&mut batch, purpose, number, replay);
            let losses = trainer.validate(&batch);
            let share = |loss: f32| f64::from(loss) / MEASURED as f64;
            mean.total += share(losses.total);
            mean.policy += share(losses.policy);
            mean.value += share(losses.value);
        }
        mean
    }
}
