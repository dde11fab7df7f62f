use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::Tally;
use crate::files::write_atomically;

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
    pub simulations: u32,
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
    /// Reads the ladder; one that is not there yet is empty.
    pub fn read(path: &Path) -> anyhow::Result<Ladder> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Ladder::default()),
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
        };
        let file: File = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a ladder", path.display()))?;
        Ok(Ladder {
            matches: file.matches,
        })
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

    pub fn has(&self, first: &str, second: &str, simulations: u32) -> bool {
        (self.matches.iter())
            .any(|m| m.first == first && m.second == second && m.simulations == simulations)
    }

    pub fn matches(&self) -> &[MatchResult] {
        &self.matches
    }
}

impl MatchResult {
    fn same_terms(&self, other: &MatchResult) -> bool {
        self.first == other.first
            && self.second == other.second
            && self.simulations == other.simulations
    }
}
