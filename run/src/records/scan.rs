use std::collections::HashSet;
use std::path::Path;

use garuda_rules::Position;
use tracing::warn;

use super::GameRecord;
use super::store::{read_record_file, record_files};
use crate::parallel::map_parallel;

/// Record files in memory at a time, per thread.
const FILES_PER_THREAD: usize = 4;

/// What a [`scan`] went over.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Scanned {
    /// Games, each counted once.
    pub games: u64,
    /// Files that were passed over, and why.
    pub refused: Vec<String>,
}

/// How far a [`scan`] is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ScanProgress {
    pub files_done: usize,
    pub files: usize,
    pub games: u64,
}

/// Goes over all games of a directory of record files without holding more than a few files in
/// memory.
///
/// `map` sees the games of one file, all verified by replay and none that an earlier file had, on
/// any thread; `reduce` gets the results in the order of the files, so that the outcome does not
/// depend on the threads. Games come in the order in which they were stored.
///
/// A file that is damaged, or holds what cannot have been a game, is passed over with a warning
/// and left where it is: another process may be training in the run.
pub fn scan<P: Position, T: Send>(
    dir: &Path,
    map: impl Fn(&[GameRecord]) -> T + Sync,
    mut reduce: impl FnMut(T),
    mut progress: impl FnMut(ScanProgress),
) -> anyhow::Result<Scanned> {
    let mut take = |sound: &[Vec<GameRecord>]| {
        let mapped = map_parallel(sound, |records| map(records));
        mapped.into_iter().for_each(&mut reduce);
    };
    scan_files(dir, read_record_file::<P>, &mut take, &mut progress)
}

/// All of it that is the same for every game and caller, compiled once.
fn scan_files(
    dir: &Path,
    read: fn(&Path) -> Result<Vec<GameRecord>, String>,
    take: &mut dyn FnMut(&[Vec<GameRecord>]),
    progress: &mut dyn FnMut(ScanProgress),
) -> anyhow::Result<Scanned> {
    let files = record_files(dir)?;
    let at_a_time = FILES_PER_THREAD * rayon::current_num_threads();
    let mut scanned = Scanned::default();
    let mut seen = HashSet::new();
    let mut files_done = 0;
    for paths in files.chunks(at_a_time) {
        let found = map_parallel(paths, |(_, path)| read(path));
        let mut sound = Vec::with_capacity(found.len());
        for ((_, path), records) in paths.iter().zip(found) {
            match records {
                Ok(mut records) => {
                    records.retain(|record| seen.insert((record.checkpoint(), record.number())));
                    scanned.games += records.len() as u64;
                    sound.push(records);
                }
                Err(problem) => {
                    let problem = format!("{}: {problem}", path.display());
                    warn!("passed over {problem}");
                    scanned.refused.push(problem);
                }
            }
        }
        take(&sound);
        files_done += paths.len();
        progress(ScanProgress {
            files_done,
            files: files.len(),
            games: scanned.games,
        });
    }
    Ok(scanned)
}
