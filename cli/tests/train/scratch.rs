//! A directory for runs of the tiny configuration, and questions about them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use garuda_model::checkpoint_files::{OPTIMIZER, WEIGHTS};
use garuda_rules::tori::ToriPosition;
use garuda_run::RunDir;
use garuda_run::records::RecordStore;
use serde_json::Value;

pub(crate) struct Scratch {
    pub(crate) dir: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Scratch {
        let dir = tempfile::tempdir().unwrap();
        fs::write(
            dir.path().join("tiny.toml"),
            include_str!("../../../training/tests/tiny.toml"),
        )
        .unwrap();
        Scratch { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// `garuda train` of the tiny configuration in the run `name`.
    pub(crate) fn train(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = garuda();
        command
            .arg("train")
            .arg(self.path("tiny.toml"))
            .arg("--run")
            .arg(self.path(name))
            .args(arguments);
        command
    }

    pub(crate) fn trained(&self, name: &str, arguments: &[&str]) -> Value {
        let output = self.train(name, arguments).arg("--json").output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

pub(crate) fn garuda() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garuda"));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The names of all games of a run, by checkpoint and number. Fails if anything is damaged.
pub(crate) fn games(run: &Path) -> BTreeMap<(u32, u64), String> {
    let store = RecordStore::open(&run.join("games")).unwrap();
    let loaded = store.load::<ToriPosition>(|_| 0).unwrap();
    assert_eq!(loaded.refused, [] as [String; 0]);
    (loaded.records.iter())
        .map(|record| ((record.checkpoint(), record.number()), record.name()))
        .collect()
}

pub(crate) fn checkpoint(run: &Path, number: u32) -> PathBuf {
    RunDir::open(run).unwrap().checkpoint(number)
}

/// Hashes of what makes a checkpoint what it is. The model file also holds the run's name.
pub(crate) fn weights(run: &Path, number: u32) -> [String; 2] {
    let checkpoint = checkpoint(run, number);
    [WEIGHTS, OPTIMIZER]
        .map(|name| fs::read(checkpoint.join(name)).unwrap())
        .map(|bytes| blake3::hash(&bytes).to_string())
}

pub(crate) fn newest(run: &Path) -> Option<u32> {
    RunDir::open(run)
        .ok()?
        .checkpoint_numbers()
        .unwrap()
        .last()
        .copied()
}

pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .arg(name)
        .arg(child.id().to_string())
        .status();
    assert!(status.unwrap().success());
}

/// Waits until `condition` holds, for a minute at most.
pub(crate) fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{what} did not happen"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}
