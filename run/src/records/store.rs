use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, anyhow};
use garuda_rules::{Position, RuleSet};
use rayon::prelude::*;
use tracing::warn;

use super::{GameRecord, batch, decode_batch, encode_batch, verify};
use crate::files::{create_dir, write_atomically};

const EXTENSION: &str = "games";
/// Where damaged batches go, out of the way but not lost.
const REFUSED: &str = "refused";

/// The batches of records of a run: `00000042.games` and so on, never changed once written.
#[derive(Debug)]
pub struct RecordStore {
    dir: PathBuf,
    next: u32,
}

/// A game of the store, without its moves.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    pub checkpoint: u32,
    pub number: u64,
    /// Decisions that can be trained on.
    pub positions: u64,
    /// Its batch's place among all.
    batch: usize,
}

impl StoredGame {
    fn key(&self) -> (u32, u64) {
        (self.checkpoint, self.number)
    }
}

/// What a directory of batches held.
#[derive(Debug, Default)]
pub struct Loaded {
    /// By checkpoint and number, each game once.
    pub records: Vec<GameRecord>,
    /// Positions of the games before them.
    pub passed_over: u64,
    /// Files that were set aside, and why.
    pub refused: Vec<String>,
}

impl RecordStore {
    /// Opens the directory, making it if need be.
    pub fn open(dir: &Path) -> anyhow::Result<RecordStore> {
        create_dir(dir)?;
        let next = batches(dir)?
            .last()
            .map_or(0, |(number, _)| number.saturating_add(1));
        Ok(RecordStore {
            dir: dir.to_owned(),
            next,
        })
    }

    /// Whether nothing was ever written to it.
    pub fn is_empty(&self) -> bool {
        self.next == 0
    }

    /// Writes a batch; once this returns it survives anything. Returns its size in bytes.
    pub fn write(&mut self, records: &[GameRecord]) -> anyhow::Result<u64> {
        let bytes = encode_batch(records)?;
        let path = self.dir.join(format!("{:08}.{EXTENSION}", self.next));
        write_atomically(&path, &bytes)?;
        self.next += 1;
        Ok(bytes.len() as u64)
    }

    /// Goes over all batches and reads the games from the one on that `first` names: it is shown
    /// all of them, by checkpoint and number. What comes before is never in memory at once,
    /// however long the run.
    ///
    /// A batch that is damaged, or holds what cannot have been a game, is set aside with a
    /// warning, and the rest is used.
    pub fn load<P: Position>(
        &self,
        rule_set: RuleSet,
        first: impl FnOnce(&[StoredGame]) -> usize,
    ) -> anyhow::Result<Loaded> {
        let batches = batches(&self.dir)?;
        let listed: Vec<_> = batches
            .par_iter()
            .enumerate()
            .map(|(batch, (_, path))| -> Result<Vec<StoredGame>, String> {
                let records = read_batch::<P>(path, rule_set)?;
                let game = |record: &GameRecord| StoredGame {
                    checkpoint: record.checkpoint(),
                    number: record.number(),
                    positions: record.positions() as u64,
                    batch,
                };
                Ok(records.iter().map(game).collect())
            })
            .collect();
        let mut loaded = Loaded::default();
        let mut games = Vec::new();
        for ((_, path), list) in batches.iter().zip(listed) {
            match list {
                Ok(list) => games.extend(list),
                Err(problem) => {
                    self.set_aside(path)?;
                    warn!("{} is set aside in {REFUSED}/: {problem}", path.display());
                    loaded
                        .refused
                        .push(format!("{}: {problem}", path.display()));
                }
            }
        }
        games.sort_by_key(StoredGame::key);
        games.dedup_by_key(|game| game.key());
        let (before, wanted) = games.split_at(first(&games));
        loaded.passed_over = before.iter().map(|game| game.positions).sum();

        let of_wanted: BTreeSet<_> = wanted.iter().map(|game| game.batch).collect();
        let read: Vec<Vec<GameRecord>> = (of_wanted.into_par_iter())
            .map(|batch| {
                let path = &batches[batch].1;
                let mut records = read_batch::<P>(path, rule_set)
                    .map_err(|problem| anyhow!("{}: {problem}", path.display()))?;
                records.retain(|record| {
                    wanted
                        .binary_search_by_key(&key(record), StoredGame::key)
                        .is_ok()
                });
                Ok(records)
            })
            .collect::<anyhow::Result<_>>()?;
        loaded.records = read.into_iter().flatten().collect();
        loaded.records.sort_by_key(key);
        loaded.records.dedup_by_key(|record| key(record));
        Ok(loaded)
    }

    fn set_aside(&self, path: &Path) -> anyhow::Result<()> {
        let refused = self.dir.join(REFUSED);
        create_dir(&refused)?;
        let name = path.file_name().expect("a batch has a name");
        let to = refused.join(name);
        fs::rename(path, &to)
            .with_context(|| format!("cannot move {} to {}", path.display(), to.display()))
    }
}

/// Where a game stands among all of a run.
fn key(record: &GameRecord) -> (u32, u64) {
    (record.checkpoint(), record.number())
}

pub(super) fn read_batch<P: Position>(
    path: &Path,
    rule_set: RuleSet,
) -> Result<Vec<GameRecord>, String> {
    let length = fs::metadata(path).map_err(|e| e.to_string())?.len();
    if batch::is_too_large(length) {
        return Err(format!("{length} bytes are more than a batch can have"));
    }
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    let records = decode_batch(&bytes).map_err(|e| e.to_string())?;
    for record in &records {
        verify::<P>(record, rule_set).map_err(|e| {
            let (checkpoint, number) = (record.checkpoint(), record.number());
            format!("game {number} of checkpoint {checkpoint}: {e}")
        })?;
    }
    Ok(records)
}

/// Number and path of all batches in a directory, in order.
pub(super) fn batches(dir: &Path) -> anyhow::Result<Vec<(u32, PathBuf)>> {
    let list = || -> io::Result<Vec<(u32, PathBuf)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            let number = path
                .file_stem()
                .filter(|_| path.extension().is_some_and(|e| e == EXTENSION))
                .and_then(|stem| stem.to_str()?.parse().ok());
            if let Some(number) = number {
                found.push((number, path));
            }
        }
        found.sort();
        Ok(found)
    };
    list().with_context(|| format!("cannot list {}", dir.display()))
}
