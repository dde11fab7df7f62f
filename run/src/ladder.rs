use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tracing::{error, warn};

use crate::Tally;
use crate::files::{set_aside, write_atomically};

/// All matches of a run; the ratings follow from them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ladder {
    matches: Vec<MatchResult>,
}

/// A match between two players of the ladder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    pub first: String,
    pub second: String,
    /// Simulations per move; 0 if the time was limited.
    pub simulations: u32,
    /// Milliseconds per move; 0 if the simulations were limited.
    #[serde(default)]
    pub movetime: u32,
    pub tally: Tally,
    /// Games that differ from all others of the match.
    pub distinct_games: u64,
    /// Games by reason of their end.
    pub ends: BTreeMap<String, u64>,
}

/// A player's strength.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rating {
    pub player: String,
    /// In Elo, 0 for the anchor.
    pub elo: f64,
    /// Half the width of the 95 % interval, relative to the mean of all players.
    pub error: f64,
    pub games: u64,
    pub points: f64,
}

#[derive(Deserialize)]
struct File {
    matches: Vec<MatchResult>,
}

impl Ladder {
    /// Opens the ladder of a run that is trained; one that is not there yet is empty. A damaged file
    /// is set aside, loudly, and the ladder starts again without its matches.
    pub fn open(path: &Path) -> anyhow::Result<Ladder> {
        match parse(read_bytes(path)?.as_deref()) {
            Ok(ladder) => Ok(ladder),
            Err(problem) => {
                let aside = set_aside(path)?;
                error!(
                    "{} is damaged and becomes {}: its matches are not counted ({problem})",
                    path.display(),
                    aside.display()
                );
                Ok(Ladder::default())
            }
        }
    }

    /// Reads the ladder to look at it. A damaged file is passed over with a warning and left where
    /// it is: another process may be training.
    pub fn read(path: &Path) -> anyhow::Result<Ladder> {
        Ok(
            parse(read_bytes(path)?.as_deref()).unwrap_or_else(|problem| {
                warn!("{} is damaged and passed over: {problem}", path.display());
                Ladder::default()
            }),
        )
    }

    /// Writes the matches, and beside them the ratings that follow from them.
    pub fn write(&self, path: &Path, ratings: &[Rating]) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(&json!({
            "ratings": ratings,
            "matches": self.matches,
        }))?;
        write_atomically(path, text.as_bytes())
    }

    /// Adds a match, in place of an earlier one of the same players under the same terms.
    pub fn add(&mut self, result: MatchResult) {
        self.matches.retain(|m| !m.same_terms(&result));
        self.matches.push(result);
    }

    /// Whether a match of these players was played with this number of simulations or this time
    /// per move.
    pub fn has(&self, first: &str, second: &str, simulations: u32, movetime: u32) -> bool {
        (self.matches.iter()).any(|m| {
            (m.first.as_str(), m.second.as_str()) == (first, second)
                && (m.simulations, m.movetime) == (simulations, movetime)
        })
    }

    pub fn matches(&self) -> &[MatchResult] {
        &self.matches
    }
}

/// `None` if the file does not exist.
fn read_bytes(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn parse(bytes: Option<&[u8]>) -> serde_json::Result<Ladder> {
    match bytes.map(serde_json::from_slice).transpose()? {
        Some(File { matches }) => Ok(Ladder { matches }),
        None => Ok(Ladder::default()),
    }
}

impl MatchResult {
    fn same_terms(&self, other: &MatchResult) -> bool {
        self.first == other.first
            && self.second == other.second
            && (self.simulations, self.movetime) == (other.simulations, other.movetime)
    }
}
