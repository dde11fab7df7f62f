use garuda_rules::Position;
use serde::Serialize;

use super::games::{CheckpointRange, GameTable};
use super::results::GameResults;
use super::setups::SetUps;
use super::summary::{move_words, summary};
use crate::balance::BalanceReport;

/// Everything that was found out: plain data, in the shape of `garuda openings --json`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OpeningsReport {
    /// The rule set's name.
    pub game: &'static str,
    /// The game's name for people.
    pub title: &'static str,
    /// What a move of the position is called, in singular and plural.
    pub move_words: [&'static str; 2],
    pub source: ReportSource,
    /// What was asked for, if it was not the start.
    pub from: Option<String>,
    /// What came out in words, most important first.
    pub summary: Vec<String>,
    /// The good moves of the position, best first.
    pub good: Vec<String>,
    pub search: Option<SearchEffort>,
    pub counted: Option<CountedGames>,
    /// The position and its moves.
    #[serde(flatten)]
    pub root: OpeningNode,
    pub set_ups: Option<SetUps>,
    /// Of all games of the run.
    pub balance: Option<BalanceReport>,
}

impl OpeningsReport {
    /// Sums up what a study found and what the games told.
    pub fn new<P: Position>(
        source: ReportSource,
        from: Option<&str>,
        search: Option<SearchEffort>,
        games: Option<&GameTable>,
        root: OpeningNode,
    ) -> OpeningsReport {
        let summary = search.map_or_else(Vec::new, |effort| {
            summary::<P>(&root, from.is_none(), &effort)
        });
        OpeningsReport {
            game: P::NAME,
            title: P::TITLE,
            move_words: move_words::<P>(&root),
            source,
            from: from.map(ToOwned::to_owned),
            summary,
            good: (root.moves.iter().filter(|mv| mv.good))
                .map(|mv| mv.mv.clone())
                .collect(),
            search,
            counted: games.map(|games| CountedGames {
                games: games.counted,
                varied: games.varied,
                elsewhere: games.elsewhere,
                refused: games.refused.clone(),
                ranges: games.ranges(),
            }),
            set_ups: games.and_then(|games| games.set_ups().cloned()),
            balance: games.map(|games| games.balance.clone()),
            root,
        }
    }
}

/// Whose games and whose thoughts.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ReportSource {
    /// A run's directory or a model's file.
    pub name: String,
    pub checkpoint: Option<u32>,
    /// Training steps behind the network, and its hash.
    pub step: Option<u64>,
    pub hash: Option<String>,
}

/// How hard was searched.
#[derive(Copy, Clone, PartialEq, Debug, Serialize)]
pub struct SearchEffort {
    /// Visits of each search and searches of each move.
    pub visits: u32,
    pub searches: u32,
    pub seed: u64,
    /// How far below the best a good move may be.
    pub margin: f64,
    pub plies: u32,
    /// How many good moves of a position were followed at most.
    pub width: u32,
}

/// Which games were counted.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CountedGames {
    pub games: u64,
    /// Left out: begun elsewhere.
    pub varied: u64,
    /// Left out: never came to the position.
    pub elsewhere: u64,
    /// Files passed over, and why.
    pub refused: Vec<String>,
    /// The parts of the run that are told apart, by checkpoint.
    pub ranges: Vec<CheckpointRange>,
}

/// A position and its moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OpeningNode {
    /// Text form of the position.
    pub fen: String,
    /// Who moves, `w` or `b`.
    pub turn: char,
    /// Games that went on from here, where games were counted.
    pub here: Option<u32>,
    /// How many moves there are; in Eternal chess, whole turns that lead to different positions.
    pub legal: usize,
    /// Best first; where nothing was searched, those that were played, most frequent first.
    pub moves: Vec<MoveReport>,
}

/// A move, what was played and what was found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveReport {
    /// All of its decisions in UCI notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// Whether its value is within the margin of the best.
    pub good: bool,
    #[serde(flatten)]
    pub searched: MoveSearch,
    #[serde(flatten)]
    pub played: PlayedCounts,
    /// The same by parts of the run.
    pub by_checkpoints: Vec<RangeCounts>,
    /// Text form of the position after it.
    pub after: String,
    /// What was found about the answers to it.
    pub next: Option<OpeningNode>,
    /// The moves that lead to the same position, where its answers are told instead.
    pub transposes: Option<String>,
}

/// What searches found about a move; nothing where none were made. Values are for the mover, from
/// −1 (lost) to 1 (won).
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct MoveSearch {
    /// The network's chance of the move before any search.
    pub prior: Option<f64>,
    /// The mean of the searches' values.
    pub value: Option<f64>,
    /// Its 95 % interval by Student's t, from how much the searches differ. It tells how far the
    /// value is due to luck in searching, not whether the network judges well.
    pub value_low: Option<f64>,
    pub value_high: Option<f64>,
    /// Visits of all searches together.
    pub visits: Option<u64>,
    /// The value is certain, by a proof.
    pub proven: bool,
    /// The answer that the searches take for best, and the line that begins with it.
    pub reply: Option<String>,
    pub line: Option<String>,
}

/// GameResults for the mover, where games were counted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
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

/// GameResults in a part of the run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RangeCounts {
    #[serde(flatten)]
    pub range: CheckpointRange,
    pub games: u32,
    #[serde(flatten)]
    pub results: GameResults,
}
