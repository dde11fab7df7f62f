use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use garuda_rules::{Color, GameState, Move, Position, Termination};
use garuda_run::records::{read_record_file, record_files};
use garuda_run::{RunDir, map_parallel};
use rayon::prelude::*;
use tracing::warn;

/// A game to take positions from.
#[derive(Debug)]
pub(super) struct LabelGame<P> {
    pub(super) start: P,
    pub(super) moves: Vec<Move>,
    pub(super) winner: Option<Color>,
    pub(super) seed: u64,
}

impl<P: Position> LabelGame<P> {
    pub(super) fn replay(&self) -> GameState<P> {
        GameState::from_position(self.start)
    }
}

/// A record file and the hash of its contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GameFile {
    pub(super) path: PathBuf,
    pub(super) hash: String,
}

impl GameFile {
    pub(super) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// All record files of runs, directories of record files and single record files, in this order.
pub(super) fn list_files(inputs: &[PathBuf]) -> anyhow::Result<Vec<GameFile>> {
    let mut paths = Vec::new();
    for input in inputs {
        if input.is_file() {
            paths.push(input.clone());
        } else if input.join("config.toml").is_file() {
            let games = RunDir::open(input)?.games();
            paths.extend(files_of(&games)?);
        } else {
            ensure!(input.exists(), "{} does not exist", input.display());
            paths.extend(files_of(input)?);
        }
    }
    (paths.into_par_iter())
        .map(|path| {
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let hash = blake3::hash(&bytes).to_hex()[..32].to_owned();
            Ok(GameFile { path, hash })
        })
        .collect()
}

fn files_of(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let files = record_files(dir)?;
    ensure!(
        !files.is_empty(),
        "{} has no record files (00000000.games …)",
        dir.display()
    );
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// The games of record files, without those that the length limit ended: their results mean nothing,
/// and their positions are mostly repetitive. A file that is damaged is passed over with a warning.
pub(super) fn read_games<P: Position>(files: &[GameFile]) -> anyhow::Result<Vec<LabelGame<P>>> {
    let read = map_parallel(files, |file| read_record_file::<P>(&file.path));
    let mut games = Vec::new();
    let mut refused = None;
    for (file, records) in files.iter().zip(read) {
        let records = match records {
            Ok(records) => records,
            Err(problem) => {
                warn!("passed over {}: {problem}", file.path.display());
                refused = Some(problem);
                continue;
            }
        };
        for record in records {
            if record.termination() == Some(Termination::LengthLimit) {
                continue;
            }
            games.push(LabelGame {
                start: (record.start().parse())
                    .with_context(|| format!("{}: its start", file.path.display()))?,
                moves: record.moves().collect(),
                winner: record.winner(),
                seed: record.seed(),
            });
        }
    }
    match (games.is_empty(), refused) {
        (true, Some(problem)) => bail!("there is no game of {} to label: {problem}", P::NAME),
        (true, None) => bail!("there is no finished game of {} to label", P::NAME),
        (false, _) => Ok(games),
    }
}
