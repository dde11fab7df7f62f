use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};

/// How the machines that play for a run are doing, for people who watch: `fleet.json` of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FleetStatus {
    /// [`FleetStatus::VERSION`] of the program that wrote it.
    pub version: u32,
    /// When it was written, in seconds since 1970: what is much older is of a trainer that has ended.
    pub written: u64,
    /// The checkpoint whose games are wanted; none while the trainer does something else.
    pub checkpoint: Option<u32>,
    /// Games of that checkpoint that are missing.
    pub missing: u64,
    /// Games of workers that are checked before they count.
    pub held: u64,
    /// Messages that wait at the broker.
    pub backlog: u64,
    /// Games that the trainer played itself, since it was started.
    pub local: u64,
    /// Everyone who was ever invited, by name.
    pub workers: Vec<FleetWorker>,
}

/// A machine that plays for a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FleetWorker {
    pub name: String,
    pub trust: FleetTrust,
    /// Whether it was heard of a moment ago.
    pub here: bool,
    /// When it was last heard of, in seconds since 1970; none if this trainer has not heard of it.
    pub last_seen: Option<u64>,
    /// As the worker says.
    pub cores: u32,
    pub games_per_second: f64,
    /// Bytes of games that the worker has not sent.
    pub spooled: u64,
    /// Games that count, in the whole run; those that were withdrawn are not among them.
    pub accepted: u64,
    /// Games that are checked before they count.
    pub held: u64,
    /// Games that were taken back because the worker was revoked.
    pub withdrawn: u64,
    /// Games that the trainer played again and found equal, and those that it found to differ.
    pub checks_passed: u64,
    pub checks_failed: u64,
    /// Messages and games that were refused since the trainer was started, by reason.
    pub refused: BTreeMap<String, u64>,
    pub last_refusal: Option<String>,
}

impl FleetStatus {
    /// The figures in the text format of Prometheus, labelled with the run's name on the page.
    pub fn prometheus(&self, run: &str) -> String {
        let mut text = String::new();
        let mut add = |name: &str, labels: &[(&str, &str)], value: f64| {
            let labels: Vec<_> = ([("run", run)].iter().chain(labels))
                .map(|(label, value)| format!("{label}={value:?}"))
                .collect();
            let labels = labels.join(",");
            writeln!(text, "garuda_fleet_{name}{{{labels}}} {value}")
                .expect("a string takes any text");
        };
        for (name, value) in [
            ("written_seconds", self.written),
            ("games_missing", self.missing),
            ("messages_waiting", self.backlog),
            ("games_local", self.local),
        ] {
            add(name, &[], value as f64);
        }
        for worker in &self.workers {
            let of = ("worker", worker.name.as_str());
            let is = |trust| f64::from(u8::from(worker.trust == trust));
            add("worker_here", &[of], f64::from(u8::from(worker.here)));
            add("worker_proven", &[of], is(FleetTrust::Proven));
            add("worker_revoked", &[of], is(FleetTrust::Revoked));
            add("worker_cores", &[of], f64::from(worker.cores));
            add("games_per_second", &[of], worker.games_per_second);
            add("spooled_bytes", &[of], worker.spooled as f64);
            if let Some(seen) = worker.last_seen {
                add("last_seen_seconds", &[of], seen as f64);
            }
            for (name, value) in [
                ("games_accepted", worker.accepted),
                ("games_held", worker.held),
                ("games_withdrawn", worker.withdrawn),
                ("checks_passed", worker.checks_passed),
                ("checks_failed", worker.checks_failed),
            ] {
                add(name, &[of], value as f64);
            }
            for (reason, count) in &worker.refused {
                add("refused", &[of, ("reason", reason)], *count as f64);
            }
        }
        text
    }
}

/// How far a worker is trusted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FleetTrust {
    /// All its messages wait until some of their games have been checked.
    #[default]
    New,
    /// Few of its games are checked.
    Proven,
    /// Nothing is taken from it.
    Revoked,
}

impl FleetStatus {
    /// Raised when a field changes its meaning. New fields may come without.
    pub const VERSION: u32 = 1;

    /// Replaces the file. It is not synced: after a crash nobody wants it.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let temporary = path.with_extension("json.tmp");
        fs::write(&temporary, serde_json::to_vec(self)?)?;
        fs::rename(&temporary, path)
    }

    /// Reads the file; `None` if there is none, or one of another version.
    pub fn read(path: &Path) -> io::Result<Option<FleetStatus>> {
        #[derive(Deserialize)]
        struct OfAnyVersion {
            version: u32,
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e),
        };
        match serde_json::from_slice::<OfAnyVersion>(&bytes)?.version {
            FleetStatus::VERSION => Ok(Some(serde_json::from_slice(&bytes)?)),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("fleet.json");
        assert_eq!(FleetStatus::read(&path).unwrap(), None);
        let mut status = FleetStatus {
            version: FleetStatus::VERSION,
            written: 1_795_000_000,
            checkpoint: Some(3),
            workers: vec![FleetWorker {
                name: "node-2".to_owned(),
                trust: FleetTrust::Proven,
                refused: [("late".to_owned(), 2)].into(),
                ..FleetWorker::default()
            }],
            ..FleetStatus::default()
        };
        status.write(&path).unwrap();
        assert_eq!(FleetStatus::read(&path).unwrap(), Some(status.clone()));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(r#""trust":"proven""#), "{text}");
        let figures = status.prometheus("0");
        for line in [
            r#"garuda_fleet_games_missing{run="0"} 0"#,
            r#"garuda_fleet_worker_proven{run="0",worker="node-2"} 1"#,
            r#"garuda_fleet_refused{run="0",worker="node-2",reason="late"} 2"#,
        ] {
            assert!(figures.lines().any(|found| found == line), "{figures}");
        }
        // What another version wrote is not misunderstood.
        status.version += 1;
        status.write(&path).unwrap();
        assert_eq!(FleetStatus::read(&path).unwrap(), None);
        fs::write(&path, "{").unwrap();
        assert!(FleetStatus::read(&path).is_err());
    }
}
