use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use garuda_rules::Position;
use tracing::warn;

use super::{GameRecord, decode_record_file, encode_record_file, record_file, verify};
use crate::files::{create_dir, free_path, write_new_atomically};
use crate::parallel::map_parallel;

const EXTENSION: &str = "games";
/// Where damaged record files go, and those with games that were withdrawn: out of the way but not
/// lost.
const REFUSED: &str = "refused";

/// The record files of a run: `00000042.games` and so on, never changed after they are written.
#[derive(Debug)]
pub struct RecordStore {
    dir: PathBuf,
    /// Number of the next record file, above all that were ever used.
    next: u64,
}

/// A game of the store, without its moves.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    pub checkpoint: u32,
    pub number: u64,
    /// Decisions that can be trained on.
    pub positions: u64,
}

impl StoredGame {
    fn key(&self) -> (u32, u64) {
        (self.checkpoint, self.number)
    }
}

/// What a directory of record files held.
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
        let next = match numbers(dir)?.last() {
            None => 0,
            Some(&last) => last.checked_add(1).with_context(|| {
                let (name, dir) = (file_name(last), dir.display());
                format!("{dir}: no record file can follow {name}; move that file away")
            })?,
        };
        Ok(RecordStore {
            dir: dir.to_owned(),
            next,
        })
    }

    /// Whether nothing was ever written to it.
    pub fn is_empty(&self) -> bool {
        self.next == 0
    }

    /// Writes a record file, which survives a crash once this returns. Returns its size in bytes.
    pub fn write(&mut self, records: &[GameRecord]) -> anyhow::Result<u64> {
        let bytes = encode_record_file(records)?;
        write_new_atomically(&self.dir.join(file_name(self.next)), &bytes)?;
        self.next += 1;
        Ok(bytes.len() as u64)
    }

    /// Takes games of the newest checkpoint back. The record files that hold them are set aside, and
    /// what else they hold is written again. Games of later checkpoints must not be there.
    pub fn withdraw(&mut self, checkpoint: u32, numbers: &BTreeSet<u64>) -> anyhow::Result<()> {
        // From the end: games of one checkpoint lie together.
        for (_, path) in record_files(&self.dir)?.into_iter().rev() {
            // A damaged file is set aside when games are loaded.
            let Ok(mut records) = decode_file(&path) else {
                continue;
            };
            if records
                .iter()
                .all(|record| record.checkpoint() < checkpoint)
            {
                break;
            }
            let count = records.len();
            records.retain(|record| {
                record.checkpoint() != checkpoint || !numbers.contains(&record.number())
            });
            if records.len() == count {
                continue;
            }
            if !records.is_empty() {
                self.write(&records)?;
            }
            self.set_aside(&path)?;
        }
        Ok(())
    }

    /// Goes over all record files and loads the games from an index on: `first` chooses it, given
    /// all games ordered by checkpoint and number. What comes before is never in memory at once,
    /// however long the run, and is not replayed, which would take most of the time.
    ///
    /// A file that is damaged, or holds what cannot have been a game, is set aside with a warning,
    /// and the rest is used.
    pub fn load<P: Position>(
        &self,
        mut first: impl FnMut(&[StoredGame]) -> usize,
    ) -> anyhow::Result<Loaded> {
        let mut loaded = Loaded::default();
        let files = record_files(&self.dir)?;
        let paths = files.into_iter().map(|(_, path)| path).collect();
        let mut lists = self.read_sound(paths, list_games, &mut loaded)?;
        loop {
            let mut games: Vec<_> = (lists.iter().enumerate())
                .flat_map(|(file, (_, list))| list.iter().map(move |game| (*game, file)))
                .collect();
            games.sort_by_key(|(game, _)| game.key());
            games.dedup_by_key(|(game, _)| game.key());
            let (games, file_of): (Vec<_>, Vec<_>) = games.into_iter().unzip();
            let start = first(&games);
            let (before, wanted) = games.split_at(start);
            loaded.passed_over = before.iter().map(|game| game.positions).sum();

            let of_wanted: BTreeSet<_> = file_of[start..].iter().collect();
            let paths: Vec<_> = (of_wanted.into_iter())
                .map(|&file| lists[file].0.clone())
                .collect();
            let is_wanted = |record: &GameRecord| {
                wanted
                    .binary_search_by_key(&key(record), StoredGame::key)
                    .is_ok()
            };
            let read = |path: &Path| {
                let mut records = read_record_file::<P>(path)?;
                records.retain(is_wanted);
                Ok(records)
            };
            let found = self.read_sound(paths.clone(), read, &mut loaded)?;
            if found.len() == paths.len() {
                loaded.records = found.into_iter().flat_map(|(_, records)| records).collect();
                loaded.records.sort_by_key(key);
                loaded.records.dedup_by_key(|record| key(record));
                return Ok(loaded);
            }
            // Some files were set aside: without their games, others may be wanted.
            let sound: BTreeSet<_> = found.into_iter().map(|(path, _)| path).collect();
            let refused: BTreeSet<_> = paths.into_iter().collect();
            lists.retain(|(path, _)| sound.contains(path) || !refused.contains(path));
        }
    }

    /// Reads files in parallel. Those that are not sound are set aside, with a warning.
    fn read_sound<T: Send>(
        &self,
        paths: Vec<PathBuf>,
        read: impl Fn(&Path) -> Result<T, String> + Sync,
        loaded: &mut Loaded,
    ) -> anyhow::Result<Vec<(PathBuf, T)>> {
        let results = map_parallel(&paths, |path| read(path));
        let mut sound = Vec::with_capacity(paths.len());
        for (path, result) in paths.into_iter().zip(results) {
            match result {
                Ok(content) => sound.push((path, content)),
                Err(problem) => {
                    self.set_aside(&path)?;
                    let refusal = format!("{}: {problem}", path.display());
                    warn!("{} is set aside in {REFUSED}/: {problem}", path.display());
                    loaded.refused.push(refusal);
                }
            }
        }
        Ok(sound)
    }

    /// Names of record files that must have been there: the numbers below the highest that no file
    /// has, also none of those set aside. A range of them is one name.
    pub fn missing_files(&self) -> anyhow::Result<Vec<String>> {
        let mut missing = Vec::new();
        let mut expected = 0;
        for number in numbers(&self.dir)? {
            match number.saturating_sub(expected) {
                0 => {}
                1 => missing.push(file_name(expected)),
                _ => {
                    let (first, last) = (file_name(expected), file_name(number - 1));
                    missing.push(format!("{first} to {last}"));
                }
            }
            expected = number.saturating_add(1);
        }
        Ok(missing)
    }

    fn set_aside(&self, path: &Path) -> anyhow::Result<()> {
        let refused = self.dir.join(REFUSED);
        create_dir(&refused)?;
        let name = path.file_name().expect("a record file has a name");
        let to = free_path(&refused.join(name));
        fs::rename(path, &to)
            .with_context(|| format!("cannot move {} to {}", path.display(), to.display()))
    }
}

/// Where a game stands among all of a run.
fn key(record: &GameRecord) -> (u32, u64) {
    (record.checkpoint(), record.number())
}

/// The games of a record file by name only. The file is known to be undamaged, but not that its games
/// can have been played.
fn list_games(path: &Path) -> Result<Vec<StoredGame>, String> {
    let game = |record: &GameRecord| StoredGame {
        checkpoint: record.checkpoint(),
        number: record.number(),
        positions: record.positions() as u64,
    };
    Ok(decode_file(path)?.iter().map(game).collect())
}

/// The games of a record file, all verified by replay. The error says what is wrong with the file.
pub fn read_record_file<P: Position>(path: &Path) -> Result<Vec<GameRecord>, String> {
    let records = decode_file(path)?;
    for record in &records {
        verify::<P>(record).map_err(|e| {
            let (checkpoint, number) = (record.checkpoint(), record.number());
            format!("game {number} of checkpoint {checkpoint}: {e}")
        })?;
    }
    Ok(records)
}

fn decode_file(path: &Path) -> Result<Vec<GameRecord>, String> {
    let length = fs::metadata(path).map_err(|e| e.to_string())?.len();
    if record_file::is_too_large(length) {
        return Err(format!(
            "{length} bytes are more than a record file can have"
        ));
    }
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    decode_record_file(&bytes).map_err(|e| e.to_string())
}

fn file_name(number: u64) -> String {
    format!("{number:08}.{EXTENSION}")
}

/// The number of the record file of this name.
fn file_number(name: &str) -> Option<u64> {
    let number = name.split_once('.')?.0.parse().ok()?;
    (name == file_name(number)).then_some(number)
}

pub(crate) fn is_record_file_name(name: &str) -> bool {
    file_number(name).is_some()
}

/// The numbers of all record files of a directory, those set aside included, in order.
fn numbers(dir: &Path) -> anyhow::Result<Vec<u64>> {
    let mut files = record_files(dir)?;
    let refused = dir.join(REFUSED);
    if refused.is_dir() {
        files.extend(record_files(&refused)?);
    }
    let mut numbers: Vec<_> = files.into_iter().map(|(number, _)| number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Number and path of all record files in a directory, in order.
pub fn record_files(dir: &Path) -> anyhow::Result<Vec<(u64, PathBuf)>> {
    let list = || -> io::Result<Vec<(u64, PathBuf)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            if let Some(number) = entry.file_name().to_str().and_then(file_number) {
                found.push((number, entry.path()));
            }
        }
        found.sort();
        Ok(found)
    };
    list().with_context(|| format!("cannot list {}", dir.display()))
}
