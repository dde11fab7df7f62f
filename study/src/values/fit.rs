use garuda_rules::{GamePhase, MaterialFeature, Position};
use garuda_run::counted;
use thiserror::Error;

use super::bootstrap::{BootstrapFit, resample};
use super::guide::{assumed, guide};
use super::positions::{FIRST_FEATURE, FIRST_MOVE, TO_MOVE};
use super::{
    CountedGame, FeatureValue, FittedValues, GameSample, POSITIONS_PER_PHASE, PhaseValues,
};

/// Default number of resamples.
pub const RESAMPLES: usize = 500;
/// Fewer resamples have no 95 % interval.
pub const MIN_RESAMPLES: usize = 40;
/// A feature that differs in fewer games gets no value.
const MIN_DIFFERENCES: u32 = 20;
/// Number of games per coefficient below which nothing is fitted.
const MIN_GAMES: usize = 5;
/// Number of games per coefficient below which the report warns.
const ENOUGH_GAMES: usize = 50;
/// Share of resamples in which the unit's coefficient must be positive.
const CLEAR_SHARE: f64 = 0.99;

/// Why there are no values.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ValuesError {
    #[error("there are no games to fit values to")]
    NoGames,
    #[error(
        "{} with quiet positions are too few for {coefficients} coefficients: at least {min} are needed",
        counted(*games as u64, "game")
    )]
    TooFewGames {
        games: usize,
        coefficients: usize,
        min: usize,
    },
    #[error("all {0} games had the same result, so no values can be fitted")]
    SameResult(usize),
    #[error("{0} resamples are too few for a 95 % interval: at least {MIN_RESAMPLES} are needed")]
    TooFewResamples(usize),
}

/// Fits values to counted games. Their order does not matter.
pub fn fit_values<P: Position>(
    games: &mut [CountedGame],
    resamples: usize,
) -> Result<FittedValues, ValuesError> {
    if resamples < MIN_RESAMPLES {
        return Err(ValuesError::TooFewResamples(resamples));
    }
    games.sort_by_key(|game| game.id);
    let features = P::material_features();
    let columns = FIRST_FEATURE + features.len();
    let min = MIN_GAMES * columns;
    let joined: Vec<_> = (games.iter())
        .map(|game| (game.score, game.rows.concat()))
        .collect();
    let all = GameSample::new(columns, joined.iter().map(|(s, rows)| (*s, &rows[..])));
    drop(joined);
    if all.games() == 0 {
        return Err(ValuesError::NoGames);
    }
    if all.games() < min {
        return Err(ValuesError::TooFewGames {
            games: all.games(),
            coefficients: columns,
            min,
        });
    }
    if all.scores().windows(2).all(|pair| pair[0] == pair[1]) {
        return Err(ValuesError::SameResult(all.games()));
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
        .filter(|(_, sample)| sample.games() >= min)
        .map(|(phase, sample)| values(Some(phase), &sample))
        .collect();
    let mut fitted = FittedValues {
        title: P::TITLE.to_owned(),
        unit: features[0].name.to_owned(),
        resamples,
        positions_per_phase: POSITIONS_PER_PHASE,
        phases: P::PHASES.to_owned(),
        guide: P::GUIDE.map(str::to_owned),
        all: values(None, &all),
        by_phase,
        warnings: Vec::new(),
    };
    fitted.warnings = warnings(&fitted, columns);
    Ok(fitted)
}

fn phase_values<P: Position>(
    phase: Option<GamePhase>,
    sample: &GameSample,
    fits: &BootstrapFit,
    features: &[MaterialFeature],
) -> PhaseValues {
    let unit_is_clear =
        fits.best[FIRST_FEATURE] > 0.0 && fits.share(|fit| fit[FIRST_FEATURE] > 0.0) >= CLEAR_SHARE;
    let in_units = |x: f64, unit: f64| match unit {
        unit if unit > 0.0 => x / unit,
        _ => x.signum() * f64::INFINITY,
    };
    let differences = sample.games_with_difference();
    let separated = sample.separated();
    let features = features.iter().enumerate().map(|(i, feature)| {
        let column = FIRST_FEATURE + i;
        let differs = differences[column] >= MIN_DIFFERENCES;
        FeatureValue {
            name: feature.name.to_owned(),
            letter: feature.letter.to_owned(),
            place: feature.place,
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

fn warnings(fitted: &FittedValues, coefficients: usize) -> Vec<String> {
    let mut out = Vec::new();
    let FittedValues { all, unit, .. } = fitted;
    let enough = ENOUGH_GAMES * coefficients;
    if all.games < enough {
        out.push(format!(
            "{} are few for {coefficients} coefficients: values are reliable from about {enough} games",
            counted(all.games as u64, "game")
        ));
    }
    for values in std::iter::once(all).chain(&fitted.by_phase) {
        if values.unit_is_clear {
            continue;
        }
        let coefficient = match values.features[0].log_odds {
            Some(i) => format!("{:.3}, between {:.3} and {:.3}", i.value, i.low, i.high),
            None => "the sides' numbers differ in too few games".to_owned(),
        };
        out.push(format!(
            "{}: the {unit}'s own coefficient is not clearly positive ({coefficient}), so log-odds are shown instead of values",
            values.name()
        ));
    }
    for phase in GamePhase::ALL {
        if !fitted.by_phase.iter().any(|v| v.phase == Some(phase)) {
            out.push(format!("{}: too few games for values", phase.name()));
        }
    }
    for feature in all.features.iter().filter(|feature| feature.separated) {
        out.push(format!(
            "{}: all games in which the sides' numbers differed had the same result, so its value is only a bound",
            feature.label()
        ));
    }
    out
}
