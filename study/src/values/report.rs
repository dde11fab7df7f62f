use garuda_rules::{GamePhase, MaterialFeature, Position};
use serde::Serialize;
use thiserror::Error;

use super::GameSample;
use super::bootstrap::{BootstrapFit, resample};
use super::guide::{GuideValue, assumed, guide};
use super::positions::{CountedGame, FIRST_FEATURE, FIRST_MOVE, TO_MOVE};
use crate::ConfidenceInterval;

/// Resamples unless something else is asked for.
pub const RESAMPLES: usize = 500;
/// A kind that differs in fewer games has no value.
const LEAST_DIFFERENCES: u32 = 20;
/// Games for each coefficient below which nothing is fitted, and below which words warn.
const LEAST_GAMES: usize = 5;
const ENOUGH_GAMES: usize = 50;
/// The share of resamples in which the unit must be worth something.
const CLEAR: f64 = 0.99;

/// What pieces are worth, fitted to games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FittedValues {
    pub rules: &'static str,
    /// What has the value 1.
    pub unit: &'static str,
    pub resamples: usize,
    /// How phases are told apart.
    pub phases: &'static str,
    /// Where the guide's values come from.
    pub guide: Option<&'static str>,
    /// Over all phases.
    pub all: PhaseValues,
    /// One for each phase that enough games reached.
    pub by_phase: Vec<PhaseValues>,
    /// What a reader must know before trusting the numbers.
    pub warnings: Vec<String>,
}

/// The values of one phase, or of all.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PhaseValues {
    /// `None` for all.
    pub phase: Option<GamePhase>,
    pub games: usize,
    pub positions: usize,
    /// Whether the unit's own coefficient is clearly positive, so that values can be told in it.
    pub unit_is_clear: bool,
    /// Log-odds of having moved first in the game.
    pub first_move: ConfidenceInterval,
    /// Log-odds of being to move.
    pub to_move: ConfidenceInterval,
    pub features: Vec<FeatureValue>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FeatureValue {
    #[serde(flatten)]
    pub feature: MaterialFeature,
    /// Games in which the sides' numbers of it differed.
    pub games: u32,
    /// How much one more of it adds to the log-odds of winning; `None` where the sides hardly
    /// ever differed.
    pub log_odds: Option<ConfidenceInterval>,
    /// The same in units.
    pub value: Option<ConfidenceInterval>,
    /// Whether the result always was with the side that had more of it, or always against it: a
    /// bound rather than a value.
    pub separated: bool,
    pub guide: Option<GuideValue>,
    /// What the `material` evaluator takes it to be worth, where that is not the guide's value.
    pub assumed: Option<f64>,
}

/// Why there are no values.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ValuesError {
    #[error("there are no games to fit values to")]
    NoGames,
    #[error(
        "{games} games with quiet positions are too few for {coefficients} coefficients: at least {least} are needed"
    )]
    TooFew {
        games: usize,
        coefficients: usize,
        least: usize,
    },
    #[error("all {0} games had the same result, from which no value follows")]
    OneResult(usize),
}

/// Fits values to counted games, in whatever order they come.
pub fn piece_values<P: Position>(
    games: &mut [CountedGame],
    resamples: usize,
) -> Result<FittedValues, ValuesError> {
    games.sort_by_key(|game| game.id);
    let features = P::material_features();
    let columns = FIRST_FEATURE + features.len();
    let least = LEAST_GAMES * columns;
    let joined: Vec<_> = (games.iter())
        .map(|game| (game.score, game.rows.concat()))
        .collect();
    let all = GameSample::new(columns, joined.iter().map(|(s, rows)| (*s, &rows[..])));
    drop(joined);
    if all.games() == 0 {
        return Err(ValuesError::NoGames);
    }
    if all.games() < least {
        return Err(ValuesError::TooFew {
            games: all.games(),
            coefficients: columns,
            least,
        });
    }
    if all.scores().windows(2).all(|pair| pair[0] == pair[1]) {
        return Err(ValuesError::OneResult(all.games()));
    }
    let values = |phase: Option<GamePhase>, sample: &GameSample| {
        let seed = phase.map_or(0, |phase| 1 + phase as u64);
        let fits = resample(sample, resamples, seed);
        phase_values::<P>(phase, sample, &fits, &features)
    };
    let by_phase = (GamePhase::ALL.into_iter())
        .map(|phase| {
            let rows = games.iter().map(|game| (game.score, game.phase(phase)));
            (phase, GameSample::new(columns, rows))
        })
        .filter(|(_, sample)| sample.games() >= least)
        .map(|(phase, sample)| values(Some(phase), &sample))
        .collect();
    let mut report = FittedValues {
        rules: P::NAME,
        unit: features[0].name,
        resamples,
        phases: P::PHASES,
        guide: P::GUIDE,
        all: values(None, &all),
        by_phase,
        warnings: Vec::new(),
    };
    report.warnings = warnings(&report, columns);
    Ok(report)
}

fn phase_values<P: Position>(
    phase: Option<GamePhase>,
    sample: &GameSample,
    fits: &BootstrapFit,
    features: &[MaterialFeature],
) -> PhaseValues {
    let unit_is_clear =
        fits.best[FIRST_FEATURE] > 0.0 && fits.share(|fit| fit[FIRST_FEATURE] > 0.0) >= CLEAR;
    let in_units = |x: f64, unit: f64| match unit {
        unit if unit > 0.0 => x / unit,
        _ => x.signum() * f64::INFINITY,
    };
    let differences = sample.games_with_difference();
    let separated = sample.separated();
    let features = features.iter().enumerate().map(|(i, feature)| {
        let column = FIRST_FEATURE + i;
        let differs = differences[column] >= LEAST_DIFFERENCES;
        FeatureValue {
            feature: *feature,
            games: differences[column],
            log_odds: differs.then(|| fits.interval(|fit| fit[column])),
            value: (differs && unit_is_clear)
                .then(|| fits.interval(|fit| in_units(fit[column], fit[FIRST_FEATURE]))),
            separated: differs && separated[column],
            guide: guide::<P>(feature),
            assumed: assumed::<P>(feature),
        }
    });
    PhaseValues {
        phase,
        games: sample.games(),
        positions: sample.rows(),
        unit_is_clear,
        first_move: fits.interval(|fit| fit[FIRST_MOVE]),
        to_move: fits.interval(|fit| fit[TO_MOVE]),
        features: features.collect(),
    }
}

fn warnings(report: &FittedValues, columns: usize) -> Vec<String> {
    let mut out = Vec::new();
    let all = &report.all;
    let enough = ENOUGH_GAMES * columns;
    if all.games < enough {
        out.push(format!(
            "{} games are few for {columns} coefficients: from about {enough} on the values mean something",
            all.games
        ));
    }
    let name = |values: &PhaseValues| values.phase.map_or("all phases", GamePhase::name);
    for values in std::iter::once(all).chain(&report.by_phase) {
        if values.unit_is_clear {
            continue;
        }
        let unit = report.unit;
        let coefficient = match values.features[0].log_odds {
            Some(i) => format!("{:.3}, between {:.3} and {:.3}", i.value, i.low, i.high),
            None => "the sides' numbers hardly ever differ".to_owned(),
        };
        out.push(format!(
            "{}: the {unit}'s own coefficient is not clearly positive ({coefficient}), so log-odds are told there instead of values",
            name(values)
        ));
    }
    for phase in GamePhase::ALL {
        if !report.by_phase.iter().any(|v| v.phase == Some(phase)) {
            out.push(format!("{}: too few games to tell", phase.name()));
        }
    }
    for value in all.features.iter().filter(|value| value.separated) {
        let name = value.feature.name;
        out.push(format!(
            "{name}: every game in which the sides' numbers differed went the same way, so its value is a bound at best"
        ));
    }
    out
}
