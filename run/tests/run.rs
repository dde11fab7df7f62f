//! The run's directory: one writer, no leftovers, nothing torn.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use garuda_run::config::{Config, ConfigError};
use garuda_run::{Event, Ladder, LossStats, MatchResult, Metrics, RunDir, Tally, TrainingStats};

fn training(checkpoint: u32) -> Event {
    Event::Training(TrainingStats {
        checkpoint,
        steps: 100 * u64::from(checkpoint),
        losses: LossStats {
            total: 5.0 / f64::from(checkpoint + 1),
            policy: 3.0,
            value: 1.0,
        },
        ..TrainingStats::default()
    })
}

fn result(first: &str, second: &str, wins: u64) -> MatchResult {
    let mut tally = Tally::default();
    for _ in 0..wins {
        tally.add_pair([1, 1]);
    }
    tally.add_pair([0, -1]);
    MatchResult {
        first: first.to_owned(),
        second: second.to_owned(),
        simulations: 8,
        tally,
        distinct_games: 2 * wins + 2,
        ends: BTreeMap::from([("checkmate".to_owned(), 2 * wins + 2)]),
    }
}

#[test]
fn one_process_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let config = Config::default();
    let run = RunDir::open_or_create(&path, &config).unwrap();
    assert!(run.is_locked());
    let refused = RunDir::open_or_create(&path, &config)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("in use by process"), "{refused}");
    assert!(
        refused.contains(&std::process::id().to_string()),
        "{refused}"
    );
    // Looking is allowed.
    assert_eq!(RunDir::open(&path).unwrap().config(), &config);
    drop(run);
    assert!(!RunDir::open(&path).unwrap().is_locked());
    RunDir::open_or_create(&path, &config).unwrap();
}

#[test]
fn leftovers_are_swept_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::default();
    drop(RunDir::open_or_create(dir.path(), &config).unwrap());
    for leftover in [
        "config.toml.tmp",
        "games/00000003.games.tmp",
        "plots/loss.svg.tmp",
    ] {
        fs::write(dir.path().join(leftover), b"half").unwrap();
    }
    let half = dir.path().join("checkpoints/000002.tmp");
    fs::create_dir(&half).unwrap();
    fs::write(half.join("weights.safetensors"), b"half").unwrap();
    fs::write(dir.path().join("games/notes.txt"), b"mine").unwrap();
    let run = RunDir::open_or_create(dir.path(), &config).unwrap();
    assert!(run.checkpoint_numbers().unwrap().is_empty());
    let names = |path: &Path| -> Vec<String> {
        let entries = fs::read_dir(path).unwrap();
        entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    for path in [
        dir.path().to_owned(),
        run.games(),
        run.checkpoints(),
        run.plots(),
    ] {
        assert!(
            names(&path).iter().all(|name| !name.ends_with(".tmp")),
            "{path:?}"
        );
    }
    assert_eq!(names(&run.games()), ["notes.txt"]);
}

#[test]
fn a_run_goes_on_as_it_was_begun() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::default();
    drop(RunDir::open_or_create(dir.path(), &config).unwrap());
    let mut other = config.clone();
    other.training.batch = 64;
    other.run.seed = 5;
    let error = RunDir::open_or_create(dir.path(), &other).unwrap_err();
    let problems = error.downcast_ref::<ConfigError>().unwrap().problems();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].contains("run.seed is 1, not 5"), "{problems:?}");
    // The machine may change.
    let mut other = config;
    other.machine.shards = 1;
    RunDir::open_or_create(dir.path(), &other).unwrap();
}

#[test]
fn what_cannot_be_a_run_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let missing = RunDir::open(&dir.path().join("nowhere"))
        .unwrap_err()
        .to_string();
    assert!(missing.contains("is not a run"), "{missing}");
    let file = dir.path().join("file");
    fs::write(&file, b"").unwrap();
    let blocked = RunDir::open_or_create(&file.join("run"), &Config::default());
    let blocked = format!("{:#}", blocked.unwrap_err());
    assert!(blocked.contains("cannot create directory"), "{blocked}");
    // The kernel lets nobody, not even root, write here.
    let read_only = RunDir::open_or_create(Path::new("/proc/garuda"), &Config::default());
    let read_only = format!("{:#}", read_only.unwrap_err());
    assert!(
        read_only.contains("cannot create directory /proc/garuda"),
        "{read_only}"
    );
}

#[test]
fn a_torn_last_line_of_metrics_is_repaired() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("metrics.jsonl");
    let mut metrics = Metrics::open(&path).unwrap();
    metrics.add(training(1)).unwrap();
    metrics.add(training(2)).unwrap();
    drop(metrics);
    let whole = fs::read(&path).unwrap();
    for cut in 1..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let mut metrics = Metrics::open(&path).unwrap();
        metrics.add(training(1)).unwrap();
        metrics.add(training(2)).unwrap();
        assert_eq!(metrics.events(), [training(1), training(2)]);
        drop(metrics);
        assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
    }
    // Nonsense in the middle costs that line alone.
    let nonsense = [&whole[..], b"nonsense\n", &whole].concat();
    fs::write(&path, nonsense).unwrap();
    assert_eq!(Metrics::read(&path).unwrap(), [training(1), training(2)]);
}

#[test]
fn ladders_are_kept_and_matches_counted_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ladder.json");
    let mut ladder = Ladder::read(&path).unwrap();
    ladder.add(result("000001", "000000", 5));
    ladder.add(result("000001", "random", 9));
    ladder.add(result("000001", "random", 9));
    ladder.write(&path, &[]).unwrap();
    let read = Ladder::read(&path).unwrap();
    assert_eq!(read, ladder);
    assert_eq!(read.matches().len(), 2);
    assert!(read.has("000001", "random", 8) && !read.has("000001", "random", 9));
    fs::write(&path, "{").unwrap();
    assert!(Ladder::read(&path).is_err());
}
