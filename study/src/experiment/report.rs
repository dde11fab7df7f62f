use garuda_arena::ratings::elo_of_score;
use serde::{Deserialize, Serialize};

use super::calibration::Calibration;
use super::elimination::{Elimination, EliminationSettings, Verdict};
use crate::{ConfidenceInterval, GameResults};

/// What games from chosen starts show: part of `garuda openings --json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExperimentReport {
    pub kind: ArmKind,
    #[serde(flatten)]
    pub settings: EliminationSettings,
    pub games_played: ExperimentGames,
    /// `None` if it was not measured.
    pub strength: Option<NetworkStrength>,
    /// Whether no more games are needed or allowed; otherwise the command was interrupted.
    pub complete: bool,
    /// The result in sentences, most important first.
    pub summary: Vec<String>,
    /// The arms at the position, or of both sides; and below them.
    pub nodes: Vec<ExperimentNode>,
}

/// What the arms of an experiment are.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArmKind {
    /// The moves of a position.
    Moves,
    /// The game's other start positions.
    Handicaps,
    /// Formations of one side in the set-up phase.
    SetUps,
    /// The position itself, for its balance.
    Start,
}

/// How the games of an experiment were played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExperimentGames {
    /// Simulations per move, for both sides.
    pub simulations: u32,
    /// Temperature of the moves after the arm …
    pub temperature: f64,
    /// … and number of these moves.
    pub temperature_plies: u32,
    pub seed: u64,
    /// Directory of the records.
    pub records: String,
}

/// How strong the network that played is, as far as known.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct NetworkStrength {
    /// Rating on the run's ladder and half the width of its 95 % interval, in Elo.
    pub rating: Option<[f64; 2]>,
    /// Scores against `alphabeta` and outside engines.
    pub opponents: Vec<OpponentScore>,
    /// The score against `alphabeta` below which the network has no opinion.
    pub required_score: f64,
}

/// The score against a fixed opponent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpponentScore {
    pub opponent: String,
    pub games: u64,
    /// From 0 to 1.
    pub score: f64,
}

impl NetworkStrength {
    /// The score against `alphabeta`.
    pub fn alphabeta(&self) -> Option<&OpponentScore> {
        self.opponents
            .iter()
            .find(|opponent| opponent.opponent == "alphabeta")
    }

    /// Whether the network is not known to play well enough.
    pub fn is_too_weak(&self) -> bool {
        self.alphabeta()
            .is_none_or(|found| found.score < self.required_score)
    }
}

/// Arms that are compared with each other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExperimentNode {
    /// Moves from the start to the position, or what the arms have in common; empty for the start.
    pub path: String,
    pub fen: String,
    /// The side whose score is counted, `w` or `b`.
    pub side: char,
    pub games: u64,
    /// Games that differ from all others.
    pub distinct_games: u64,
    /// Best first.
    pub arms: Vec<ArmReport>,
    /// Search values against scores; `None` where there are too few.
    pub calibration: Option<Calibration>,
}

/// An arm and its games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArmReport {
    /// A move in UCI notation, or a name.
    #[serde(rename = "move")]
    pub name: String,
    /// The move as people of this game write it.
    pub notation: String,
    pub verdict: Verdict,
    pub games: u32,
    /// For the side whose score is counted.
    #[serde(flatten)]
    pub results: GameResults,
    pub distinct_games: u64,
    /// The score and its interval, which holds at all times at once for this arm.
    pub score: ConfidenceInterval,
    /// The difference in Elo that the score stands for, with its bounds.
    pub elo: ConfidenceInterval,
    /// The value by search, as a second opinion, from −1 to 1.
    pub value: Option<f64>,
    /// FEN after the arm's moves.
    pub after: String,
    /// The replies, if the arm was followed.
    pub next: Option<ExperimentNode>,
}

impl ArmReport {
    /// An arm of which only the games are known.
    pub fn new(
        name: String,
        notation: String,
        elimination: &Elimination,
        arm: usize,
        distinct_games: u64,
    ) -> ArmReport {
        let results = elimination.results(arm);
        let score = elimination.interval(arm);
        // A perfect score counts as half a point less, so that everything is finite.
        let edge = 0.5 / (f64::from(results.games()) + 1.0);
        let elo = |score: f64| elo_of_score(score.clamp(edge, 1.0 - edge));
        ArmReport {
            name,
            notation,
            verdict: elimination.verdict(arm),
            games: results.games(),
            results,
            distinct_games,
            elo: ConfidenceInterval {
                value: elo(score.value),
                low: elo(score.low),
                high: elo(score.high),
            },
            score,
            value: None,
            after: String::new(),
            next: None,
        }
    }
}

impl ExperimentNode {
    /// Sorts the arms, best first, and compares their values with their scores.
    pub fn finish(&mut self) {
        (self.arms).sort_by(|a, b| {
            let by_score = b.score.value.total_cmp(&a.score.value);
            by_score.then_with(|| a.name.cmp(&b.name))
        });
        self.games = self.arms.iter().map(|arm| u64::from(arm.games)).sum();
        self.distinct_games = self.arms.iter().map(|arm| arm.distinct_games).sum();
        let pairs: Vec<_> = (self.arms.iter())
            .filter(|arm| arm.games > 0)
            .filter_map(|arm| Some((arm.value?, arm.score.value)))
            .collect();
        self.calibration = Calibration::new(&pairs);
    }
}
