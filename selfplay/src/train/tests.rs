//! Accidents of training that no configuration brings about.

use garuda_arena::ratings::{EloEstimate, SprtDecision};
use garuda_model::Trainer;
use garuda_model::checkpoint_files::WEIGHTS;
use garuda_rules::tori::ToriPosition;
use garuda_run::config::{Config, ConfigChange};
use garuda_run::{Log, Stop, TrainingStats};

use super::evaluate::Evaluation;
use super::learn::{Learner, TrainJob, Trained};
use super::session::Session;
use super::{TrainOptions, train};

/// The tiny configuration without what these tests do not look at, and with lessons long enough to
/// go wrong in.
fn tiny() -> Config {
    let settings = [
        "replay.samples_per_position=3.5",
        "training.warmup_steps=0",
        "evaluation.games=0",
    ];
    let settings = settings.map(String::from);
    Config::parse("tiny", include_str!("../../tests/tiny.toml"), &settings).unwrap()
}

fn options(run: &std::path::Path, checkpoints: u32) -> TrainOptions {
    TrainOptions {
        run: run.to_owned(),
        config: tiny(),
        config_change: ConfigChange::Refused,
        stop: Stop::after(None),
        games: None,
        checkpoints: Some(checkpoints),
        log: Log::silent(),
    }
}

fn open(run: &std::path::Path) -> (Session<ToriPosition>, Learner<ToriPosition>) {
    Session::open(options(run, 9)).unwrap()
}

fn learned(learner: &mut Learner<ToriPosition>, job: &mut TrainJob) -> TrainingStats {
    match learner.learn(job, &Log::silent(), || false).unwrap() {
        Trained::Done(stats) => stats,
        _ => panic!("the job was not learned"),
    }
}

#[test]
fn losses_that_are_not_finite_halve_the_rate() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    train(options(&run, 1)).unwrap();
    let (mut session, mut learner) = open(&run);
    assert!(session.play_games().unwrap());
    let mut job = session.job(&mut learner, 2);
    let steps = learner.trainer.steps();

    // One step of infinite length, and no weight is a number any more.
    let sound = job.config.training.clone();
    job.config.training.learning_rate = f64::INFINITY;
    job.config.training.max_nonfinite_steps = u32::MAX;
    let stats = learned(&mut learner, &mut job);
    assert!(stats.losses.total.is_nan());
    assert_eq!(stats.skipped, job.steps - 1);

    job.config.training = sound;
    let stats = learned(&mut learner, &mut job);
    assert!(stats.losses.total.is_finite());
    assert_eq!(stats.steps, steps + job.steps);
    assert_eq!(job.progress.rate_scale, 0.5);
    let full_rate = session.config.training.learning_rate;
    assert!((stats.rate - full_rate / 2.0).abs() < 1e-12);

    // The next checkpoint remembers the rate.
    let made = session.make_checkpoint(&learner, &job, Trained::Done(stats));
    assert!(made.unwrap());
    drop((session, learner));
    let (session, _) = open(&run);
    assert_eq!(
        (session.progress.checkpoint, session.progress.rate_scale),
        (2, 0.5)
    );
}

#[test]
fn a_run_that_cannot_learn_gives_up() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    train(options(&run, 1)).unwrap();
    let (mut session, mut learner) = open(&run);
    assert!(session.play_games().unwrap());
    let mut job = session.job(&mut learner, 2);
    job.config.training.learning_rate = f64::INFINITY;
    let error = learner.learn(&mut job, &Log::silent(), || false);
    let error = error.err().unwrap().to_string();
    assert!(error.contains("no finite loss"), "{error}");
    // The last good checkpoint is as it was.
    drop((session, learner));
    assert_eq!(open(&run).0.progress.checkpoint, 1);
}

#[test]
fn a_regression_brings_the_better_network_back() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    train(options(&run, 2)).unwrap();
    let (mut session, mut learner) = open(&run);
    let lost = |high| Evaluation {
        predecessor: Some((
            EloEstimate {
                elo: high - 100.0,
                low: high - 200.0,
                high,
            },
            SprtDecision::NotStronger,
        )),
    };
    assert!(!session.has_regressed(&lost(-140.0)));
    assert!(session.has_regressed(&lost(-160.0)));

    let games = session.progress.games;
    session.return_to_predecessor(&mut learner).unwrap();
    assert_eq!(session.progress.checkpoint, 3);
    assert_eq!(session.progress.returned_to, Some(1));
    assert!(
        !session.has_regressed(&lost(-160.0)),
        "a network that was taken back is not judged again"
    );
    let train_params = super::learn::train_params(&session.config);
    let weights = |number| {
        let path = session.run.checkpoint(number).join(WEIGHTS);
        std::fs::read(path).unwrap()
    };
    assert!(weights(3) == weights(1) && weights(3) != weights(2));
    let steps = |number| {
        let path = session.run.checkpoint(number);
        let (trainer, _): (Trainer<ToriPosition>, super::Progress) =
            Trainer::load(&path, train_params).unwrap();
        trainer.steps()
    };
    assert_eq!(steps(3), steps(1));

    // No game is lost or counted twice, and the run goes on.
    drop((session, learner));
    let summary = train(options(&run, 4)).unwrap();
    assert_eq!(summary.checkpoints, 4);
    assert!(summary.games > games);
}
