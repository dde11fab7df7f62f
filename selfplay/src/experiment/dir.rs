use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use garuda_rules::{Color, Position};
use garuda_run::config::{Config, ConfigError};
use garuda_run::records::{GameRecord, RecordStore, ScanProgress, scan};
use garuda_run::{create_dir, lock_dir, seeds, write_atomically};
use serde::{Deserialize, Serialize};

const TERMS: &str = "experiment.json";

/// What the games of an experiment follow from, besides their arms and numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExperimentTerms {
    pub format: u32,
    /// Name of the rule set.
    pub game: String,
    /// Hash of the network.
    pub network: String,
    /// Number of its checkpoint, 0 where it has none.
    pub checkpoint: u32,
    pub seed: u64,
    /// Simulations per move, for both sides.
    pub simulations: u32,
    /// Temperature of the moves after the arm …
    pub temperature: f64,
    /// … and number of these moves.
    pub temperature_plies: u32,
}

impl ExperimentTerms {
    pub const FORMAT: u32 = 1;

    /// A name for a directory: checkpoint, simulations, and a hash of all terms.
    pub fn dir_name(&self) -> String {
        let json = serde_json::to_vec(self).expect("terms are valid JSON");
        let hash = blake3::hash(&json).to_hex();
        format!("{:06}-{}-{}", self.checkpoint, self.simulations, &hash[..8])
    }

    /// The terms of a directory; `None` if it is not an experiment's.
    pub fn read(path: &Path) -> anyhow::Result<Option<ExperimentTerms>> {
        let file = path.join(TERMS);
        let text = match fs::read(&file) {
            Ok(text) => text,
            Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", file.display()));
            }
        };
        let terms = serde_json::from_slice(&text)
            .with_context(|| format!("{} is not the file of an experiment", file.display()))?;
        Ok(Some(terms))
    }

    /// Where the record files of an experiment's directory are.
    pub fn games(path: &Path) -> PathBuf {
        path.join("games")
    }

    /// The configuration of the games. The error names what is out of range.
    pub(super) fn config(&self) -> Result<Config, ConfigError> {
        let settings = [
            format!("game.rules={}", self.game),
            format!("run.seed={}", self.seed),
            format!("search.simulations=[{}]", self.simulations),
            "search.simulations_from=[0]".to_owned(),
            "search.full_search_prob=1".to_owned(),
            "bootstrap.positions=0".to_owned(),
            format!("selfplay.temperature={:?}", self.temperature),
            format!("selfplay.temperature_plies={}", self.temperature_plies),
            "selfplay.policy_init_prob=0".to_owned(),
            "selfplay.varied_start_prob=0".to_owned(),
            "selfplay.varied_start_prob_end=0".to_owned(),
            "selfplay.past_opponent_prob=0".to_owned(),
            // Both sides search equally to the end.
            "selfplay.reduce_visits_plies=1000".to_owned(),
            "selfplay.reduce_visits_simulations=2".to_owned(),
        ];
        Config::parse("garuda openings", "", &settings)
    }
}

/// The result of a game in the directory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StoredResult {
    pub winner: Option<Color>,
    /// Hash of its moves.
    pub moves: u64,
}

impl StoredResult {
    fn of(record: &GameRecord) -> StoredResult {
        let codes: Vec<_> = record.moves().map(|mv| u64::from(mv.code())).collect();
        StoredResult {
            winner: record.winner(),
            moves: seeds::derive(0, "moves", &codes),
        }
    }
}

/// The directory of an experiment: its terms and the records of its games. One process at a time
/// holds it.
#[derive(Debug)]
pub struct ExperimentDir<P> {
    path: PathBuf,
    terms: ExperimentTerms,
    store: RecordStore,
    results: HashMap<u64, StoredResult>,
    /// Held, not used: closing the file gives the lock back.
    _lock: File,
    game: PhantomData<fn() -> P>,
}

impl<P: Position> ExperimentDir<P> {
    /// Opens a directory of these terms, or creates it. Games of a damaged record file are played
    /// again.
    pub fn open(
        path: &Path,
        terms: &ExperimentTerms,
        progress: impl FnMut(ScanProgress),
    ) -> anyhow::Result<ExperimentDir<P>> {
        terms.config()?;
        check_terms(path, terms)?;
        create_dir(path)?;
        let lock = lock_dir(path)?;
        let text = serde_json::to_vec_pretty(terms)?;
        write_atomically(&path.join(TERMS), &text)?;
        let games = ExperimentTerms::games(path);
        let store = RecordStore::open(&games)?;
        let mut results = HashMap::new();
        scan::<P, _>(
            &games,
            |records| -> Vec<_> {
                let result = |record: &GameRecord| (record.number(), StoredResult::of(record));
                records.iter().map(result).collect()
            },
            |found| results.extend(found),
            progress,
        )?;
        Ok(ExperimentDir {
            path: path.to_owned(),
            terms: terms.clone(),
            store,
            results,
            _lock: lock,
            game: PhantomData,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn terms(&self) -> &ExperimentTerms {
        &self.terms
    }

    /// The result of the game with this number, if it has been played.
    pub fn result(&self, number: u64) -> Option<StoredResult> {
        self.results.get(&number).copied()
    }

    /// Stores finished games, which then survive a crash.
    pub(super) fn write(&mut self, records: &[GameRecord]) -> anyhow::Result<()> {
        if !records.is_empty() {
            self.store.write(records)?;
        }
        let results = records
            .iter()
            .map(|record| (record.number(), StoredResult::of(record)));
        self.results.extend(results);
        Ok(())
    }
}

/// Refuses a directory of other terms, and one that holds anything else.
fn check_terms(path: &Path, terms: &ExperimentTerms) -> anyhow::Result<()> {
    let Some(found) = ExperimentTerms::read(path)? else {
        // A crash can leave these of a directory that was being created.
        let is_ours = |name: &OsStr| name == "lock" || name == "experiment.json.tmp";
        let is_unused = match fs::read_dir(path) {
            Ok(mut entries) => entries.all(|entry| entry.is_ok_and(|e| is_ours(&e.file_name()))),
            Err(_) => true,
        };
        ensure!(
            is_unused,
            "{} is not empty and has no {TERMS}: games need a directory of their own",
            path.display()
        );
        return Ok(());
    };
    ensure!(
        found == *terms,
        "{} holds games of other terms: {found:?} instead of {terms:?}. Name another directory",
        path.display()
    );
    Ok(())
}
