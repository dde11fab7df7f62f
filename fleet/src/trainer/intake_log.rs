//! Who sent what: `intake.jsonl` of a run. From it the games of a worker that is revoked are known,
//! also after the trainer was restarted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::names::Name;

/// A line of the file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(crate) enum IntakeEvent {
    /// Games of a worker count. On the disk before the games are.
    Accepted {
        worker: Name,
        checkpoint: u32,
        numbers: Vec<u64>,
    },
    /// The trainer played a worker's game again, and found the same or another game.
    Checked {
        worker: Name,
        checkpoint: u32,
        number: u64,
        equal: bool,
    },
    /// Games of a worker do not count any more. On the disk after the games are gone, so that they
    /// are taken back again after a crash.
    Withdrawn {
        worker: Name,
        checkpoint: u32,
        numbers: Vec<u64>,
    },
}

/// What became of a worker's games in the whole run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct WorkerTotals {
    pub(crate) accepted: u64,
    pub(crate) withdrawn: u64,
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

#[derive(Debug)]
pub(crate) struct IntakeLog {
    path: PathBuf,
    file: File,
}

impl IntakeLog {
    /// Opens the log, or begins it. A last line that was torn by a crash is taken off.
    pub(crate) fn open(path: &Path) -> anyhow::Result<IntakeLog> {
        let open = || -> io::Result<File> {
            let file = (OpenOptions::new().append(true).create(true)).open(path)?;
            let mut whole = 0;
            let mut reader = BufReader::new(File::open(path)?);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
                whole += line.len() as u64;
                line.clear();
            }
            if file.metadata()?.len() > whole {
                warn!("{}: the torn last line is removed", path.display());
                file.set_len(whole)?;
            }
            Ok(file)
        };
        Ok(IntakeLog {
            path: path.to_owned(),
            file: open().with_context(|| format!("cannot open {}", path.display()))?,
        })
    }

    /// Appends events, which survive a crash once this returns.
    pub(crate) fn add(&mut self, events: &[IntakeEvent]) -> anyhow::Result<()> {
        let mut text = String::new();
        for event in events {
            text += &serde_json::to_string(event)?;
            text.push('\n');
        }
        (self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.sync_data())
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Reads all events, one at a time: the log of a long run is large.
    fn read(&self, mut take: impl FnMut(IntakeEvent)) -> anyhow::Result<()> {
        let mut read = || -> io::Result<()> {
            let reader = BufReader::new(File::open(&self.path)?);
            for (i, line) in reader.split(b'\n').enumerate() {
                match serde_json::from_slice(&line?) {
                    Ok(event) => take(event),
                    Err(e) => warn!("{}, line {}: {e}", self.path.display(), i + 1),
                }
            }
            Ok(())
        };
        read().with_context(|| format!("cannot read {}", self.path.display()))
    }

    pub(crate) fn totals(&self) -> anyhow::Result<BTreeMap<Name, WorkerTotals>> {
        let mut totals: BTreeMap<Name, WorkerTotals> = BTreeMap::new();
        self.read(|event| match event {
            IntakeEvent::Accepted {
                worker, numbers, ..
            } => totals.entry(worker).or_default().accepted += numbers.len() as u64,
            IntakeEvent::Checked { worker, equal, .. } => {
                let total = totals.entry(worker).or_default();
                total.passed += u64::from(equal);
                total.failed += u64::from(!equal);
            }
            IntakeEvent::Withdrawn {
                worker, numbers, ..
            } => {
                let total = totals.entry(worker).or_default();
                total.accepted = total.accepted.saturating_sub(numbers.len() as u64);
                total.withdrawn += numbers.len() as u64;
            }
        })?;
        Ok(totals)
    }

    /// The games of a checkpoint by the workers that sent them. A number may be of two: if a game was
    /// lost after it was noted, another worker has played it again.
    pub(crate) fn senders(&self, of: u32) -> anyhow::Result<BTreeMap<Name, BTreeSet<u64>>> {
        let mut senders: BTreeMap<Name, BTreeSet<u64>> = BTreeMap::new();
        self.read(|event| match event {
            IntakeEvent::Accepted {
                worker,
                checkpoint,
                numbers,
            } if checkpoint == of => senders.entry(worker).or_default().extend(numbers),
            IntakeEvent::Withdrawn {
                worker,
                checkpoint,
                numbers,
            } if checkpoint == of => {
                let sent = senders.entry(worker).or_default();
                for number in numbers {
                    sent.remove(&number);
                }
            }
            _ => {}
        })?;
        Ok(senders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_log_knows_who_sent_what() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("intake.jsonl");
        let name = |text: &str| text.parse::<Name>().unwrap();
        let accepted = |worker: &str, checkpoint, numbers: &[u64]| IntakeEvent::Accepted {
            worker: name(worker),
            checkpoint,
            numbers: numbers.to_vec(),
        };
        let mut log = IntakeLog::open(&path).unwrap();
        log.add(&[accepted("a", 1, &[0, 2]), accepted("b", 1, &[1])])
            .unwrap();
        let checked = |number, equal| IntakeEvent::Checked {
            worker: name("a"),
            checkpoint: 2,
            number,
            equal,
        };
        log.add(&[accepted("a", 2, &[0, 1]), checked(1, true)])
            .unwrap();
        drop(log);
        // A crash in the middle of a line, and someone's editor.
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}nonsense\n{{\"event\":\"acc")).unwrap();
        let mut log = IntakeLog::open(&path).unwrap();
        let withdrawn = IntakeEvent::Withdrawn {
            worker: name("a"),
            checkpoint: 2,
            numbers: vec![0],
        };
        log.add(&[checked(0, false), withdrawn]).unwrap();
        let senders = log.senders(2).unwrap();
        assert_eq!(senders, [(name("a"), [1].into())].into());
        assert_eq!(log.senders(1).unwrap()[&name("a")], [0, 2].into());
        let totals = log.totals().unwrap();
        assert_eq!(
            totals[&name("a")],
            WorkerTotals {
                accepted: 3,
                withdrawn: 1,
                passed: 1,
                failed: 1
            }
        );
        assert_eq!(totals[&name("b")].accepted, 1);
    }
}
