use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::{env, io};

use anyhow::Context;
use garuda_run::{create_dir, lock_dir, write_atomically};
use tracing::{info, warn};

use crate::keys::WorkerKey;
use crate::names::MAX_MESSAGE;

/// Bytes of games that wait to be sent at most: beyond that the worker stops to play.
const MAX_SPOOLED: u64 = 256 << 20;
const EXTENSION: &str = "games";
/// Workers with one key on one machine.
const MAX_SPOOLS: u32 = 1000;

/// Messages with games that the broker does not have, as files: they outlive the worker.
#[derive(Debug)]
pub(super) struct Spool {
    dir: PathBuf,
    next: u64,
    entries: VecDeque<SpoolEntry>,
    bytes: u64,
    limit: u64,
    /// Held, not used: closing the file gives the lock back.
    _lock: File,
}

/// A message that waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SpoolEntry {
    path: PathBuf,
    bytes: u64,
    /// The games in it; unknown if an earlier worker left it.
    pub(super) numbers: Vec<u64>,
}

impl Spool {
    /// Opens a directory for this process alone.
    pub(super) fn open(dir: Option<&Path>, key: &WorkerKey) -> anyhow::Result<Spool> {
        match dir {
            Some(dir) => {
                create_dir(dir)?;
                Spool::of(dir, lock_dir(dir)?)
            }
            // Several workers of one machine may share a key: each takes the first that is free.
            None => {
                let name = format!("garuda-{}-{}", key.run, key.worker);
                let mut result = None;
                for i in 1..=MAX_SPOOLS {
                    let dir = env::temp_dir().join(format!("{name}-{i}"));
                    create_dir(&dir)?;
                    match lock_dir(&dir) {
                        Ok(lock) => return Spool::of(&dir, lock),
                        Err(e) => result = Some(e),
                    }
                }
                Err(result.context("no directory for the spool")?)
            }
        }
    }

    fn of(dir: &Path, lock: File) -> anyhow::Result<Spool> {
        let list = || -> io::Result<Vec<(u64, PathBuf, u64)>> {
            let mut found = Vec::new();
            for entry in fs::read_dir(dir)? {
                let entry = entry?;
                let path = entry.path();
                let number = (path.file_stem())
                    .and_then(|stem| stem.to_str()?.parse().ok())
                    .filter(|_| path.extension().is_some_and(|e| e == EXTENSION));
                if let Some(number) = number {
                    found.push((number, path, entry.metadata()?.len()));
                }
            }
            found.sort();
            Ok(found)
        };
        let found = list().with_context(|| format!("cannot list {}", dir.display()))?;
        let next = found.last().map_or(0, |(number, _, _)| number + 1);
        let entries: VecDeque<_> = (found.into_iter())
            .map(|(_, path, bytes)| SpoolEntry {
                path,
                bytes,
                numbers: Vec::new(),
            })
            .collect();
        if !entries.is_empty() {
            info!(
                "{} messages of an earlier worker are sent first",
                entries.len()
            );
        }
        Ok(Spool {
            dir: dir.to_owned(),
            next,
            bytes: entries.iter().map(|entry| entry.bytes).sum(),
            entries,
            limit: MAX_SPOOLED,
            _lock: lock,
        })
    }

    #[cfg(test)]
    pub(super) fn limited(mut self, limit: Option<u64>) -> Spool {
        self.limit = limit.unwrap_or(self.limit);
        self
    }

    /// Adds a message.
    pub(super) fn write(&mut self, bytes: &[u8], numbers: Vec<u64>) -> anyhow::Result<()> {
        let path = self.dir.join(format!("{:012}.{EXTENSION}", self.next));
        write_atomically(&path, bytes)?;
        self.next += 1;
        self.bytes += bytes.len() as u64;
        self.entries.push_back(SpoolEntry {
            path,
            bytes: bytes.len() as u64,
            numbers,
        });
        Ok(())
    }

    /// The oldest message. Files that cannot be read are passed over.
    pub(super) fn first(&mut self) -> Option<(SpoolEntry, Vec<u8>)> {
        loop {
            let entry = self.entries.front()?.clone();
            match fs::read(&entry.path) {
                Ok(bytes) if bytes.len() <= MAX_MESSAGE => return Some((entry, bytes)),
                Ok(_) => warn!("{} is no message: it is removed", entry.path.display()),
                Err(e) => warn!("cannot read {}: {e}", entry.path.display()),
            }
            self.remove(&entry);
        }
    }

    /// Removes a message that the broker has.
    pub(super) fn remove(&mut self, entry: &SpoolEntry) {
        if self.entries.front() == Some(entry) {
            self.entries.pop_front();
            self.bytes -= entry.bytes;
        }
        if let Err(e) = fs::remove_file(&entry.path)
            && e.kind() != io::ErrorKind::NotFound
        {
            // It will be sent again, and recognised.
            warn!("cannot remove {}: {e}", entry.path.display());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether no more games may be played.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= self.limit
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Games of this worker that wait.
    pub(super) fn games(&self) -> u64 {
        (self.entries.iter())
            .map(|entry| entry.numbers.len() as u64)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nkeys::KeyPair;

    #[test]
    fn messages_outlive_the_worker_and_leave_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let key = WorkerKey {
            run: "run".parse().unwrap(),
            worker: "worker".parse().unwrap(),
            key: KeyPair::new_user(),
            ca: None,
        };
        let path = dir.path().join("spool");
        let mut spool = Spool::open(Some(&path), &key).unwrap().limited(Some(10));
        for text in ["first", "second"] {
            assert!(!spool.is_full());
            spool.write(text.as_bytes(), vec![1, 2]).unwrap();
        }
        assert!(spool.is_full());
        assert_eq!((spool.bytes(), spool.games()), (11, 4));
        // Nobody else uses it meanwhile.
        let error = Spool::open(Some(&path), &key).unwrap_err().to_string();
        assert!(error.contains("in use by process"), "{error}");
        drop(spool);
        fs::write(path.join("000000000009.games"), vec![0; MAX_MESSAGE + 1]).unwrap();
        fs::write(path.join("notes.txt"), "mine").unwrap();

        let mut spool = Spool::open(Some(&path), &key).unwrap();
        for text in ["first", "second"] {
            let (entry, bytes) = spool.first().unwrap();
            assert_eq!(bytes, text.as_bytes());
            spool.remove(&entry);
        }
        assert!(spool.first().is_none());
        assert!(spool.is_empty() && spool.bytes() == 0);
        assert!(path.join("notes.txt").exists());
    }
}
