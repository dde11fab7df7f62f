use serde::{Deserialize, Serialize};

use super::setups::SetUps;
use crate::GameResults;
use crate::balance::BalanceReport;
use crate::experiment::ExperimentReport;
use crate::{CheckpointRange, VersionedReport};

/// Opening statistics, in the shape of `garuda openings --json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpeningsReport {
    pub version: u32,
    /// The rule set's name.
    pub game: String,
    /// The game's name for people.
    pub title: String,
    /// What a move of the position is called, in singular and plural.
    pub move_words: [String; 2],
    /// Whether the game has a set-up phase.
    pub has_setup: bool,
    pub source: ReportSource,
    /// The position asked for, as a FEN or moves; `None` for the start.
    pub from: Option<String>,
    /// The result in sentences, most important first.
    pub summary: Vec<String>,
    /// The good moves of the position, best first.
    pub good: Vec<String>,
    /// `None` if nothing was searched.
    pub search: Option<SearchEffort>,
    /// `None` if there was no run whose games could be counted.
    pub counted: Option<CountedGames>,
    /// What games from every move show, if they were played.
    #[serde(default)]
    pub experiment: Option<ExperimentReport>,
    /// The position and its moves.
    #[serde(flatten)]
    pub root: OpeningNode,
    /// Where pieces were placed, in games with a set-up phase.
    pub set_ups: Option<SetUps>,
    /// Of all games of the run.
    pub balance: Option<BalanceReport>,
}

impl VersionedReport for OpeningsReport {
    const VERSION: u32 = 1;
}

/// The run or network that a report is about.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ReportSource {
    /// A run's directory or a model's file.
    pub name: String,
    /// The checkpoint whose network searched.
    pub checkpoint: Option<u32>,
    /// Number of training steps of the network.
    pub step: Option<u64>,
    /// Hash of the network.
    pub hash: Option<String>,
}

/// How much was searched.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchEffort {
    /// Visits per search.
    pub visits: u32,
    /// Searches per move.
    pub searches: u32,
    pub seed: u64,
    /// How far below the best value a good move may be.
    pub margin: f64,
    /// Number of moves from the position that were studied.
    pub plies: u32,
    /// Largest number of good moves that were followed at each position.
    pub width: u32,
}

/// Which games were counted.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CountedGames {
    pub games: u64,
    /// Games left out because they started elsewhere.
    pub varied: u64,
    /// Games left out because they never reached the position.
    pub elsewhere: u64,
    /// Record files that were skipped, and why.
    pub refused: Vec<String>,
    /// The parts of the run that results are given for.
    pub ranges: Vec<CheckpointRange>,
}

/// A position and its moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpeningNode {
    pub fen: String,
    /// The side to move, `w` or `b`.
    pub turn: char,
    /// Number of games that continued from here; `None` where games were not counted.
    pub here: Option<u32>,
    /// Number of legal moves; in Eternal chess, of turns that lead to different positions.
    pub legal: usize,
    /// Best first; where nothing was searched, the moves that were played, most frequent first.
    pub moves: Vec<MoveReport>,
}

/// A move: its search, its games, and the moves after it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MoveReport {
    /// All of its decisions in UCI notation, separated by spaces.
    #[serde(rename = "move")]
    pub mv: String,
    /// The same as people of this game write it.
    #[serde(default)]
    pub notation: String,
    /// Whether its value is within the margin of the best.
    pub good: bool,
    #[serde(flatten)]
    pub searched: MoveSearch,
    #[serde(flatten)]
    pub played: PlayedCounts,
    /// Results by part of the run.
    pub by_checkpoints: Vec<RangeCounts>,
    /// FEN of the position after it.
    pub after: String,
    /// The position after it, if it was followed.
    pub next: Option<OpeningNode>,
    /// Moves from the root to the same position, whose replies are listed there instead.
    pub transposes: Option<String>,
}

/// The searches of a move; all `None` where it was not searched. Values are for the side that
/// makes the move, from −1 (lost) to 1 (won).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MoveSearch {
    /// The network's probability of the move before any search.
    pub prior: Option<f64>,
    /// The mean value of the searches.
    pub value: Option<f64>,
    /// The value's 95 % interval by Student's t, from the differences between the searches. It
    /// measures the randomness of searching, not the errors of the network.
    pub value_low: Option<f64>,
    pub value_high: Option<f64>,
    /// Visits of all searches together.
    pub visits: Option<u64>,
    /// Whether the value is proven.
    pub proven: bool,
    /// The reply that most searches prefer.
    pub reply: Option<String>,
    /// The expected line, starting with the reply.
    pub line: Option<String>,
}

/// Results for the side that makes the move; all `None` where games were not counted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PlayedCounts {
    pub games: Option<u32>,
    pub wins: Option<u32>,
    pub draws: Option<u32>,
    pub losses: Option<u32>,
}

impl PlayedCounts {
    pub fn new(results: GameResults) -> PlayedCounts {
        PlayedCounts {
            games: Some(results.games()),
            wins: Some(results.wins),
            draws: Some(results.draws),
            losses: Some(results.losses),
        }
    }

    /// The results, if there is at least one game.
    pub fn results(&self) -> Option<GameResults> {
        let results = GameResults {
            wins: self.wins?,
            draws: self.draws?,
            losses: self.losses?,
        };
        (results.games() > 0).then_some(results)
    }
}

/// Results in a part of the run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RangeCounts {
    #[serde(flatten)]
    pub range: CheckpointRange,
    pub games: u32,
    #[serde(flatten)]
    pub results: GameResults,
}
