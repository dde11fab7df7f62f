use garuda_rules::{FeaturePlace, GamePhase};
use serde::{Deserialize, Serialize};

use super::GuideValue;
use crate::balance::BalanceReport;
use crate::{CheckpointRange, ConfidenceInterval, VersionedReport};

/// Piece values and game balance of a run, in the shape of `garuda values --json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ValuesReport {
    pub version: u32,
    /// The rule set's name.
    pub game: String,
    /// The run's directory.
    pub source: String,
    /// The first and the last checkpoint of the games.
    pub checkpoints: CheckpointRange,
    pub games: usize,
    /// Games from other starts than the run's ordinary one; they count for the values too.
    pub varied_games: usize,
    /// Games drawn by the length limit; they do not count for the values.
    pub length_limit_draws: usize,
    pub values: Option<FittedValues>,
    /// Why there are no values.
    pub problem: Option<String>,
    pub balance: BalanceReport,
    /// Record files that were skipped, and why.
    pub refused: Vec<String>,
}

impl VersionedReport for ValuesReport {
    const VERSION: u32 = 1;
}

/// Piece values fitted to games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FittedValues {
    /// The game's name for people.
    pub title: String,
    /// The feature whose value is 1.
    pub unit: String,
    /// Number of resamples that the intervals come from.
    pub resamples: usize,
    /// Largest number of positions of a game in each phase.
    pub positions_per_phase: usize,
    /// Definition of the phases.
    pub phases: String,
    /// Origin of the guide values.
    pub guide: Option<String>,
    /// Over all phases.
    pub all: PhaseValues,
    /// One for each phase that enough games reached.
    pub by_phase: Vec<PhaseValues>,
    /// Reasons to doubt the numbers.
    pub warnings: Vec<String>,
}

/// The values of one phase, or of all phases together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PhaseValues {
    /// `None` for all phases.
    pub phase: Option<GamePhase>,
    pub games: usize,
    pub positions: usize,
    /// Whether the unit's own coefficient is clearly positive: only then are there values.
    pub unit_is_clear: bool,
    /// Log-odds of having moved first in the game.
    pub first_move: ConfidenceInterval,
    /// Log-odds of being to move.
    pub to_move: ConfidenceInterval,
    /// The unit first.
    pub features: Vec<FeatureValue>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FeatureValue {
    pub name: String,
    /// The letter of the piece type; empty if it is not a piece.
    pub letter: String,
    pub place: FeaturePlace,
    /// Games in which the sides' numbers of it differed.
    pub games: u32,
    /// Log-odds of winning that one more of it adds; `None` where it differed in too few games.
    pub log_odds: Option<ConfidenceInterval>,
    /// The same in units.
    pub value: Option<ConfidenceInterval>,
    /// Whether in all games in which it differed the side with more of it won, or in all of them
    /// lost: the value is a bound rather than an estimate.
    pub separated: bool,
    pub guide: Option<GuideValue>,
    /// The value of the `material` evaluator, where that is not the guide's.
    pub assumed: Option<f64>,
}

impl PhaseValues {
    pub(super) fn name(&self) -> &'static str {
        self.phase.map_or("all phases", GamePhase::name)
    }
}

impl FeatureValue {
    /// Its name with its place: `swallow in hand`.
    pub(super) fn label(&self) -> String {
        let name = &self.name;
        match self.place {
            FeaturePlace::Board | FeaturePlace::Zone | FeaturePlace::Score => name.clone(),
            FeaturePlace::Hand => format!("{name} in hand"),
            FeaturePlace::Across => format!("{name} across"),
        }
    }

    /// The value in units or the log-odds.
    pub(super) fn shown(&self, in_units: bool) -> Option<ConfidenceInterval> {
        if in_units { self.value } else { self.log_odds }
    }
}
