//! The run's directory: one writer, no leftovers, nothing torn.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use garuda_run::config::{Config, ConfigChange, ConfigError, FrozenSettings};
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
        movetime: 0,
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
    let leftovers = [
        "config.toml.tmp",
        "run.json.tmp",
        "ladder.json.tmp",
        "games/00000003.games.tmp",
        "plots/loss.svg.tmp",
    ];
    for leftover in leftovers {
        fs::write(dir.path().join(leftover), b"half").unwrap();
    }
    // Not names that Garuda writes.
    let foreign = [
        "games/notes.txt",
        "thesis.tmp",
        "games/backup.tmp",
        "games/3.games.tmp",
        "checkpoints/best.tmp",
        "plots/mine.svg.tmp",
    ];
    for name in foreign {
        fs::write(dir.path().join(name), b"mine").unwrap();
    }
    let half = dir.path().join("checkpoints/000002.tmp");
    fs::create_dir(&half).unwrap();
    fs::write(half.join("weights.safetensors"), b"half").unwrap();
    let run = RunDir::open_or_create(dir.path(), &config).unwrap();
    assert!(run.checkpoint_numbers().unwrap().is_empty());
    for leftover in leftovers {
        assert!(!dir.path().join(leftover).exists(), "{leftover}");
    }
    assert!(!half.exists());
    for name in foreign {
        assert_eq!(fs::read(dir.path().join(name)).unwrap(), b"mine", "{name}");
    }
}

#[test]
fn a_directory_that_is_not_a_run_is_refused_and_not_touched() {
    for foreign in ["x.tmp", "config.toml.tmp.tmp", "games", ".hidden"] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(foreign), b"mine").unwrap();
        fs::create_dir(dir.path().join("y.tmp")).unwrap();
        let error = RunDir::open_or_create(dir.path(), &Config::default()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("is not a run"), "{error}");
        assert!(error.contains(foreign), "{error}");
        assert_eq!(fs::read(dir.path().join(foreign)).unwrap(), b"mine");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }
    // An empty directory, and what a crash leaves of a run that was being created.
    let dir = tempfile::tempdir().unwrap();
    for name in ["lock", "run.json", "run.json.tmp", "config.toml.tmp"] {
        fs::write(dir.path().join(name), b"").unwrap();
    }
    drop(RunDir::open_or_create(dir.path(), &Config::default()).unwrap());
    RunDir::open(dir.path()).unwrap();
}

#[test]
fn a_run_of_another_version_is_refused_in_words() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::default();
    drop(RunDir::open_or_create(dir.path(), &config).unwrap());
    let file = dir.path().join("run.json");
    let version = env!("CARGO_PKG_VERSION");
    assert!(fs::read_to_string(&file).unwrap().contains(version));
    let refused = || {
        let looking = RunDir::open(dir.path()).unwrap_err();
        let training = RunDir::open_or_create(dir.path(), &config).unwrap_err();
        assert_eq!(looking.to_string(), training.to_string());
        looking.to_string()
    };
    fs::write(&file, r#"{"format": 99, "version": "7.1"}"#).unwrap();
    let newer = refused();
    assert!(newer.contains("was made by Garuda 7.1"), "{newer}");
    assert!(newer.contains(version), "{newer}");
    fs::write(&file, "{").unwrap();
    assert!(refused().contains("does not say which version"));
    fs::remove_file(&file).unwrap();
    let older = refused();
    assert!(older.contains("was made by Garuda 0.1"), "{older}");
    assert!(older.contains("start a new run"), "{older}");
}

#[test]
fn every_key_of_a_run_is_required() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::default();
    drop(RunDir::open_or_create(dir.path(), &config).unwrap());
    let file = dir.path().join("config.toml");
    let whole = fs::read_to_string(&file).unwrap();
    let problems = |text: &str| {
        fs::write(&file, text).unwrap();
        let error = RunDir::open(dir.path()).unwrap_err();
        let problems = error.downcast_ref::<ConfigError>().unwrap().problems();
        problems.to_vec()
    };
    let without_seed = whole.replace("seed = 1\n", "");
    assert_eq!(problems(&without_seed), ["run.seed is missing"]);
    let (before, rest) = whole.split_once("[replay]").unwrap();
    let (_, after) = rest.split_once("\n[").unwrap();
    let without_replay = format!("{before}[{after}");
    assert_eq!(
        problems(&without_replay),
        ["the section [replay] is missing"]
    );
    assert_eq!(problems("").len(), whole.matches("\n[").count() + 1);
}

#[test]
fn settings_change_only_if_that_is_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::default();
    drop(RunDir::open_or_create(dir.path(), &config).unwrap());
    let open = |config: &Config| {
        RunDir::open_or_create_with(dir.path(), config, ConfigChange::Accepted).map(drop)
    };
    let mut other = config.clone();
    other.training.learning_rate = 0.0005;
    assert!(RunDir::open_or_create(dir.path(), &other).is_err());
    open(&other).unwrap();
    assert_eq!(RunDir::open(dir.path()).unwrap().config(), &other);
    // What the run's files depend on stays.
    let mut wider = other.clone();
    wider.network.channels = 128;
    let error = open(&wider).unwrap_err().to_string();
    assert!(error.contains("network.channels is 64, not 128"), "{error}");
    assert!(error.contains("cannot be changed"), "{error}");
    assert_eq!(RunDir::open(dir.path()).unwrap().config(), &other);
}

#[test]
fn settings_of_a_checkpoint_are_compared_key_by_key() {
    let config = Config::default();
    let frozen = FrozenSettings::of(&config);
    // As it is kept with a checkpoint.
    let text = serde_json::to_string(&frozen).unwrap();
    let frozen: FrozenSettings = serde_json::from_str(&text).unwrap();
    let check = |now: &Config, change| {
        let file = Path::new("run/config.toml");
        let result = frozen.check_file("000003", now, file, change);
        result.map_err(|e| e.problems().to_vec())
    };
    assert_eq!(check(&config, ConfigChange::Refused), Ok(()));
    let mut edited = config.clone();
    edited.run.seed = 5;
    edited.training.weight_decay = 0.1;
    edited.machine.shards = 1;
    let problems = check(&edited, ConfigChange::Refused).unwrap_err();
    assert_eq!(problems[0], "run.seed is 5, not 1");
    assert_eq!(problems[1], "training.weight_decay is 0.1, not 0.0001");
    assert!(problems[2].contains("checkpoint 000003"), "{problems:?}");
    assert!(
        problems[2].contains("--accept-config-change"),
        "{problems:?}"
    );
    assert_eq!(problems.len(), 3);
    assert_eq!(check(&edited, ConfigChange::Accepted), Ok(()));
}

#[test]
fn a_run_continues_as_it_was_started() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::default();
    drop(RunDir::open_or_create(dir.path(), &config).unwrap());
    let mut other = config.clone();
    other.training.batch_size = 64;
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
    assert!(read.has("000001", "random", 8, 0) && !read.has("000001", "random", 9, 0));
}

#[test]
fn a_damaged_ladder_is_set_aside_and_the_rest_works() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ladder.json");
    for (damage, aside) in [
        (&b"{"[..], "ladder.json.damaged"),
        (b"\xff\xfe", "ladder.json.damaged-2"),
        (b"[]", "ladder.json.damaged-3"),
    ] {
        fs::write(&path, damage).unwrap();
        // Looking changes nothing.
        assert!(Ladder::read(&path).unwrap().matches().is_empty());
        assert_eq!(fs::read(&path).unwrap(), damage);
        let mut ladder = Ladder::open(&path).unwrap();
        assert!(ladder.matches().is_empty());
        assert_eq!(fs::read(dir.path().join(aside)).unwrap(), damage);
        ladder.add(result("000001", "random", 9));
        ladder.write(&path, &[]).unwrap();
        assert_eq!(Ladder::open(&path).unwrap(), ladder);
    }
}
