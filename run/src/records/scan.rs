use std::collections::HashSet;
use std::path::Path;

use garuda_rules::Position;
use rayon::prelude::*;
use tracing::warn;

use super::GameRecord;
use super::store::{read_record_file, record_files};

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
    let files = record_files(dir)?;
    let at_a_time = FILES_PER_THREAD * rayon::current_num_threads();
    let mut scanned = Scanned::default();
    let mut seen = HashSet::new();
    let mut files_done = 0;
    for paths in files.chunks(at_a_time) {
        let read: Vec<_> = (paths.par_iter())
            .map(|(_, path)| read_record_file::<P>(path))
            .collect();
        let mut sound = Vec::with_capacity(read.len());
        for ((_, path), records) in paths.iter().zip(read) {
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
        let mapped: Vec<_> = sound.par_iter().map(|records| map(records)).collect();
        mapped.into_iter().for_each(&mut reduce);
        files_done += paths.len();
        progress(ScanProgress {
            files_done,
            files: files.len(),
            games: scanned.games,
        });
    }
    Ok(scanned)
}
