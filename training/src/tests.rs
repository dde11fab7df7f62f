//! Failures of training that no configuration causes, and games from other sources.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use garuda_arena::ratings::{EloEstimate, SprtDecision};
use garuda_model::checkpoint_files::WEIGHTS;
use garuda_rules::Position;
use garuda_rules::tori::ToriPosition;
use garuda_run::config::{Config, ConfigChange};
use garuda_run::records::GameRecord;
use garuda_run::{Log, RunDir, Stop, TrainingStats};
use garuda_torch::Trainer;

use super::evaluate::Evaluation;
use super::learn::{Learner, TrainJob, TrainOutcome};
use super::session::Session;
use super::{PhaseEnd, TrainOptions, train, train_with};
use garuda_selfplay::generate::{
    Counters, DroppedGame, GameOrder, GameSink, GameSource, LocalSource,
};

/// The tiny configuration without what these tests do not look at, and with training phases long enough
/// to go wrong in.
fn tiny() -> Config {
    let settings = [
        "replay.samples_per_position=3.5",
        "training.warmup_steps=0",
        "evaluation.games=0",
    ];
    let settings = settings.map(String::from);
    Config::parse("tiny", include_str!("../tests/tiny.toml"), &settings).unwrap()
}

fn options(run: &Path, checkpoints: u32) -> TrainOptions {
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

type ToriSession = Session<ToriPosition, LocalSource>;

fn open(run: &Path) -> (ToriSession, Learner<ToriPosition>) {
    Session::open(options(run, 9), LocalSource::new(1)).unwrap()
}

fn trained(learner: &mut Learner<ToriPosition>, job: &mut TrainJob) -> TrainingStats {
    match learner.train(job, &Log::silent(), || false).unwrap() {
        TrainOutcome::Trained(stats) => stats,
        _ => panic!("the job was not done"),
    }
}

#[test]
fn losses_that_are_not_finite_halve_the_rate() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    train(options(&run, 1)).unwrap();
    let (mut session, mut learner) = open(&run);
    assert_eq!(session.play_games().unwrap(), PhaseEnd::Complete);
    let mut job = session.job(&mut learner, 2);
    let steps = learner.trainer.steps();

    // One step of infinite length, and no weight is a number any more.
    let sound = job.config.training.clone();
    job.config.training.learning_rate = f64::INFINITY;
    job.config.training.max_nonfinite_steps = u32::MAX;
    let stats = trained(&mut learner, &mut job);
    assert!(stats.losses.total.is_nan());
    assert_eq!(stats.skipped, job.steps - 1);

    job.config.training = sound;
    let stats = trained(&mut learner, &mut job);
    assert!(stats.losses.total.is_finite());
    assert_eq!(stats.steps, steps + job.steps);
    assert_eq!(job.progress.rate_scale, 0.5);
    let full_rate = session.config.training.learning_rate;
    assert!((stats.rate - full_rate / 2.0).abs() < 1e-12);

    // The next checkpoint remembers the rate.
    let made = session.make_checkpoint(&learner, &job, TrainOutcome::Trained(stats));
    assert_eq!(made.unwrap(), PhaseEnd::Complete);
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
    assert_eq!(session.play_games().unwrap(), PhaseEnd::Complete);
    let mut job = session.job(&mut learner, 2);
    job.config.training.learning_rate = f64::INFINITY;
    let error = learner.train(&mut job, &Log::silent(), || false);
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
        "a network that was taken back is not evaluated again"
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

    // No game is lost or counted twice, and the run continues.
    drop((session, learner));
    let summary = train(options(&run, 4)).unwrap();
    assert_eq!(summary.checkpoints, 4);
    assert!(summary.games > games);
}

#[derive(Default)]
struct Gathered(Vec<GameRecord>);

impl GameSink for Gathered {
    fn add(&mut self, record: GameRecord) -> anyhow::Result<()> {
        self.0.push(record);
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    fn withdraw(&mut self, _: &BTreeSet<u64>) -> anyhow::Result<Vec<u64>> {
        unreachable!("a local source takes nothing back")
    }
}

/// Delivers games late, in reverse, twice, with some that were not ordered, and takes some back.
struct Unreliable(LocalSource);

impl GameSource for Unreliable {
    fn play<P: Position>(
        &mut self,
        order: &GameOrder<'_, P>,
        counters: &Counters,
        stop: &AtomicBool,
        sink: &mut dyn GameSink,
    ) -> anyhow::Result<Vec<DroppedGame>> {
        let mut records = Gathered::default();
        let taken_back: BTreeSet<_> = order.numbers.iter().copied().take(2).collect();
        let more: Vec<_> = order.numbers.iter().copied().chain([500, 501]).collect();
        let order = GameOrder {
            numbers: &more,
            ..*order
        };
        let dropped = (self.0).play(&order, counters, stop, &mut records)?;
        for record in records.0.iter().rev().chain(&records.0) {
            sink.add(record.clone())?;
            sink.flush()?;
        }
        // Some are taken back, and one that was never there, and come again.
        let withdrawn = sink.withdraw(&taken_back.iter().copied().chain([500]).collect())?;
        assert_eq!(withdrawn.into_iter().collect::<BTreeSet<_>>(), taken_back);
        for record in &records.0 {
            sink.add(record.clone())?;
        }
        Ok(dropped)
    }
}

#[test]
fn checkpoints_do_not_depend_on_how_games_arrive() {
    let dir = tempfile::tempdir().unwrap();
    let (local, other) = (dir.path().join("local"), dir.path().join("other"));
    let expected = train(options(&local, 3)).unwrap();
    let source = Unreliable(LocalSource::new(2));
    let found = train_with(options(&other, 3), source).unwrap();
    assert_eq!(
        (found.games, found.positions, found.steps),
        (expected.games, expected.positions, expected.steps)
    );
    let weights = |run: &Path| {
        let checkpoint = RunDir::open(run).unwrap().checkpoint(3);
        std::fs::read(checkpoint.join(WEIGHTS)).unwrap()
    };
    assert!(weights(&local) == weights(&other));
}
