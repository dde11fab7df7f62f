//! The files of a run other than its games and networks: someone else's run can hold anything.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, process};

use garuda_arena::ratings::ladder_ratings;
use garuda_model::CheckpointState;
use garuda_rules::tori::ToriPosition;
use garuda_run::config::{Config, ConfigChange, FrozenSettings};
use garuda_run::labels::LabelDir;
use garuda_run::{Ladder, LiveGames, Metrics, RunDir};
use garuda_selfplay::experiment::ExperimentTerms;
use garuda_study::VersionedReport;
use garuda_study::charts::write_plots;
use garuda_study::openings::OpeningsReport;
use garuda_study::values::ValuesReport;
use serde::Deserialize;

/// The first byte chooses the file, the others are its contents. They are refused with a message, or
/// survive a round trip and whatever commands do with them.
pub fn run_files(input: &[u8]) {
    let Some((&kind, bytes)) = input.split_first() else {
        return;
    };
    let directory = scratch();
    match kind % 8 {
        0 => ladder(directory, bytes),
        1 => metrics(directory, bytes),
        2 => live(directory, bytes),
        3 => run_format(directory, bytes),
        4 => labels(directory, bytes),
        5 => experiment(directory, bytes),
        6 => state(bytes),
        _ => {
            report::<OpeningsReport>(bytes);
            report::<ValuesReport>(bytes);
        }
    }
}

/// A directory of this process, in memory where the system has one there.
pub(crate) fn scratch() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let root = match memory.is_dir() {
            true => memory.to_owned(),
            false => std::env::temp_dir(),
        };
        let directory = root.join(format!("garuda-fuzz-{}", process::id()));
        fs::create_dir_all(&directory).expect("there is room");
        directory
    })
}

fn write(directory: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, bytes).expect("there is room");
    path
}

fn ladder(directory: &Path, bytes: &[u8]) {
    let path = write(directory, "ladder.json", bytes);
    let ladder = Ladder::read(&path).expect("it can be read");
    let ratings = ladder_ratings(&ladder);
    ladder.write(&path, &ratings).expect("there is room");
    assert_eq!(Ladder::read(&path).expect("it can be read"), ladder);
}

fn metrics(directory: &Path, bytes: &[u8]) {
    let path = write(directory, "metrics.jsonl", bytes);
    let read = Metrics::read(&path).expect("it can be read");
    let mut opened = Metrics::open(&path).expect("it can be opened");
    assert_eq!(opened.events(), read);
    for event in &read {
        opened.add(event.clone()).expect("there is room");
    }
    assert_eq!(opened.events(), read);
    write_plots(&directory.join("plots"), &read, &[]).expect("there is room");
}

fn live(directory: &Path, bytes: &[u8]) {
    let path = write(directory, "live.json", bytes);
    match LiveGames::read(&path) {
        Ok(games) => {
            let games = games.expect("there is a file");
            games.write(&path).expect("there is room");
            let again = LiveGames::read(&path).expect("own bytes");
            assert_eq!(again, Some(games));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// `run.json`, of a run with a sound configuration.
fn run_format(directory: &Path, bytes: &[u8]) {
    let run = directory.join("run");
    fs::create_dir_all(&run).expect("there is room");
    write(&run, "config.toml", config().to_toml().as_bytes());
    write(&run, "run.json", bytes);
    match RunDir::open(&run) {
        Ok(run) => assert_eq!(run.config(), config()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn labels(directory: &Path, bytes: &[u8]) {
    let directory = directory.join("labels");
    fs::create_dir_all(&directory).expect("there is room");
    write(&directory, "labels.json", bytes);
    match LabelDir::open(&directory) {
        Ok(labels) => {
            let source = labels.source().clone();
            let again = LabelDir::open_or_create(&directory, &source);
            assert_eq!(again.expect("the same source").source(), &source);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn experiment(directory: &Path, bytes: &[u8]) {
    write(directory, "experiment.json", bytes);
    match ExperimentTerms::read(directory) {
        Ok(terms) => assert!(!terms.expect("there is a file").dir_name().contains('/')),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// `state.json` of a checkpoint, as it is and with a valid checksum.
fn state(bytes: &[u8]) {
    let mut states = vec![CheckpointState::decode(bytes)];
    if let Ok(state) = serde_json::from_slice::<CheckpointState>(bytes) {
        states.push(CheckpointState::decode(&state.encode()));
    }
    for state in states {
        match state {
            Ok(state) => {
                let _ = state.differences::<ToriPosition>();
                let settings = state.notes.get("config").map(FrozenSettings::deserialize);
                if let Some(Ok(settings)) = settings {
                    let file = Path::new("config.toml");
                    for change in [ConfigChange::Refused, ConfigChange::Accepted] {
                        let _ = settings.check_file("000001", config(), file, change);
                    }
                }
            }
            Err(problem) => assert!(!problem.is_empty()),
        }
    }
}

fn report<R: VersionedReport>(bytes: &[u8]) {
    match R::from_json(bytes) {
        Ok(report) => {
            let written = report.to_json();
            let again = R::from_json(written.as_bytes()).expect("own text");
            assert_eq!(again.to_json(), written);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn config() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(|| {
        let settings = ["game.rules=torishogi".to_owned()];
        Config::parse("fuzz", "", &settings).expect("sound settings")
    })
}
