//! The position index of a run: what was played in every position of its games, and where each game
//! is. A cache in `RUN/index.sqlite` that can be deleted at any time.

mod build;
mod query;
mod rows;
mod schema;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io};

use garuda_rules::with_rule_set;
use garuda_run::RunDir;
use garuda_run::records::record_files;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use tracing::warn;

use query::QueryCache;
pub(crate) use query::{GameFilter, GamePlace, MoveCounts, PlayedHere};
pub(crate) use rows::MAX_PLIES;

/// How long an index is kept up to date after it was read: a page that shows it reads it every few
/// seconds while the run is trained.
const IN_USE: Duration = Duration::from_secs(60);

/// The index of one run, and how far it is.
#[derive(Debug)]
pub struct PositionIndex {
    run: PathBuf,
    path: PathBuf,
    status: Mutex<IndexStatus>,
    /// Held while the index is brought up to date.
    known: Mutex<KnownFiles>,
    /// When it was last read.
    read: Mutex<Option<Instant>>,
    /// Whether a reader found it damaged.
    is_damaged: AtomicBool,
    /// What was asked since the index was last changed.
    cache: Mutex<QueryCache>,
    chunk_moves: usize,
}

/// What the index was last brought up to date with.
#[derive(Debug, Default)]
struct KnownFiles {
    /// The record files in the index with their sizes.
    sizes: BTreeMap<u64, u64>,
    /// When the directory of record files had changed before it was listed, and when it was listed.
    listed: Option<(SystemTime, SystemTime)>,
}

impl KnownFiles {
    /// Whether nothing was added since: in the second after a change another one can have the same
    /// time.
    fn is_current(&self, changed: SystemTime) -> bool {
        self.listed.is_some_and(|(seen, listed)| {
            seen == changed
                && (listed.duration_since(seen)).is_ok_and(|past| past > Duration::from_secs(1))
        })
    }
}

/// How far an index is.
#[derive(Clone, Debug, Default, Serialize)]
pub struct IndexStatus {
    /// Whether it has been brought up to date since the program was started.
    pub ready: bool,
    /// Record files of the run.
    pub files: usize,
    /// Record files in the index.
    pub files_done: usize,
    pub games: u64,
    /// Number of games by the reason of their end.
    pub terminations: BTreeMap<String, u64>,
    /// Record files that were passed over, and why; at most some of them.
    pub damaged: Vec<String>,
    /// Why the index cannot be used, or was made again.
    pub problem: Option<String>,
}

impl PositionIndex {
    /// The index of the run in a directory. Nothing is read yet.
    pub fn new(run: &Path) -> PositionIndex {
        PositionIndex {
            run: run.to_owned(),
            path: run.join("index.sqlite"),
            status: Mutex::default(),
            known: Mutex::default(),
            read: Mutex::default(),
            is_damaged: AtomicBool::new(false),
            cache: Mutex::default(),
            chunk_moves: build::CHUNK_MOVES,
        }
    }

    /// The same with smaller transactions, to test what is between them.
    pub fn with_chunk_moves(mut self, moves: usize) -> PositionIndex {
        self.chunk_moves = moves;
        self
    }

    pub fn status(&self) -> IndexStatus {
        lock(&self.status).clone()
    }

    /// Whether someone looks at it, or will find it missing. Indexing every game at once, whether anybody
    /// wants to know or not, would take 2 % of two cores from a run that is trained beside it.
    pub fn is_in_use(&self) -> bool {
        let status = self.status();
        let read = *lock(&self.read);
        !status.ready || status.problem.is_some() || read.is_some_and(|at| at.elapsed() < IN_USE)
    }

    /// Notes that someone looks at it.
    fn note_use(&self) {
        *lock(&self.read) = Some(Instant::now());
    }

    /// Brings the index up to date with the games of the run, and reports whether that worked. What
    /// went wrong is in the status.
    pub fn refresh(&self) -> bool {
        let result = self.try_refresh();
        let mut status = lock(&self.status);
        match result {
            Ok(()) => status.ready = true,
            Err(error) => {
                let problem = format!("{error:#}");
                if status.problem.as_ref() != Some(&problem) {
                    warn!("{}: {problem}", self.path.display());
                }
                status.problem = Some(problem);
            }
        }
        status.ready && status.problem.is_none()
    }

    fn try_refresh(&self) -> anyhow::Result<()> {
        let run = RunDir::open(&self.run)?;
        let mut known = lock(&self.known);
        let is_damaged = self.is_damaged.swap(false, Ordering::AcqRel);
        if is_damaged {
            schema::remove(&self.path)?;
            known.sizes.clear();
        }
        let healthy = self.path.is_file() && self.status().problem.is_none();
        let changed = fs::metadata(run.games()).and_then(|data| data.modified());
        let now = SystemTime::now();
        // Listing tens of thousands of files takes time from the trainer.
        if healthy && changed.as_ref().is_ok_and(|&at| known.is_current(at)) {
            return Ok(());
        }
        known.listed = None;
        let files = match record_files(&run.games()) {
            Ok(files) => files,
            Err(error) if is_missing(&error) => Vec::new(),
            Err(error) => return Err(error),
        };
        let numbers = files.iter().map(|(number, _)| number);
        if !healthy || !known.sizes.keys().eq(numbers) {
            with_rule_set!(run.config().game.rules, P => {
                build::update::<P>(self, &run, &files, &mut known.sizes)
            })?;
        }
        if is_damaged {
            lock(&self.status).problem =
                Some("the position index was damaged and is made again".to_owned());
        }
        known.listed = changed.ok().map(|at| (at, now));
        Ok(())
    }

    /// Reads from the index, also while it is being written. One that is damaged is made again the
    /// next time that it is brought up to date.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.note_use();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let result = Connection::open_with_flags(&self.path, flags).and_then(|connection| {
            connection.busy_timeout(schema::BUSY)?;
            query(&connection)
        });
        if result.as_ref().is_err_and(schema::is_damage) {
            self.is_damaged.store(true, Ordering::Release);
        }
        result
    }
}

fn is_missing(error: &anyhow::Error) -> bool {
    (error.downcast_ref::<io::Error>()).is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
