use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::bail;
use garuda_rules::{Position, Termination};
use garuda_run::RunDir;
use garuda_run::records::{GameRecord, ScanProgress, scan};

use super::{CountedGame, ValuesReport, count_game, fit_values};
use crate::balance::{BalanceReport, GameFacts, game_facts};
use crate::{CheckpointRange, VersionedReport};

/// Games to fit values to.
#[derive(Clone, Debug)]
pub struct ValuesSource<P> {
    /// The run, or the directory of other games.
    pub path: PathBuf,
    /// The directory of the record files.
    pub games: PathBuf,
    /// The ordinary start; games from others are counted apart.
    pub start: P,
}

impl<P: Position> ValuesSource<P> {
    /// The games of a run.
    pub fn of_run(run: &RunDir) -> anyhow::Result<ValuesSource<P>> {
        Ok(ValuesSource {
            path: run.path().to_owned(),
            games: run.games(),
            start: match run.config().game.start.as_str() {
                "" => P::start(),
                fen => fen.parse()?,
            },
        })
    }
}

/// Studies all games of the given checkpoints. It is an error if there are none; if they are too few
/// for values, the report says so and has the rest.
pub fn study_values<P: Position>(
    source: &ValuesSource<P>,
    checkpoints: RangeInclusive<u32>,
    resamples: usize,
    progress: impl FnMut(ScanProgress),
) -> anyhow::Result<ValuesReport> {
    let ordinary = source.start.to_string();
    let count_record = |record: &GameRecord| -> Option<(GameFacts, CountedGame)> {
        let facts = game_facts::<P>(record, &ordinary)?;
        Some((facts, count_game::<P>(record)?))
    };
    let count_records = |records: &[GameRecord]| -> Vec<_> {
        (records.iter())
            .filter(|record| checkpoints.contains(&record.checkpoint()))
            .filter_map(count_record)
            .collect()
    };
    let (mut facts, mut counted) = (Vec::new(), Vec::new());
    let scanned = scan::<P, _>(
        &source.games,
        count_records,
        |games| {
            for (game_facts, game) in games {
                facts.push(game_facts);
                counted.push(game);
            }
        },
        progress,
    )?;
    let played = || facts.iter().map(|game: &GameFacts| game.id.0);
    let (Some(from), Some(to)) = (played().min(), played().max()) else {
        let path = source.path.display();
        match (*checkpoints.start(), *checkpoints.end()) {
            (0, u32::MAX) => bail!("{path} has no finished games yet"),
            (from, u32::MAX) => bail!("{path} has no finished games from checkpoint {from} on"),
            (from, to) => bail!("{path} has no finished games of checkpoints {from} to {to}"),
        }
    };
    let is_length_limit_draw =
        |game: &GameFacts| game.termination == Termination::LengthLimit && game.first_mover == 0;
    let mut informative: Vec<_> = (facts.iter().zip(counted))
        .filter(|(facts, _)| !is_length_limit_draw(facts))
        .map(|(_, counted)| counted)
        .collect();
    let length_limit_draws = facts.len() - informative.len();
    let values = fit_values::<P>(&mut informative, resamples);
    Ok(ValuesReport {
        version: ValuesReport::VERSION,
        game: P::NAME.to_owned(),
        source: source.path.display().to_string(),
        checkpoints: CheckpointRange { from, to },
        games: facts.len(),
        varied_games: facts.iter().filter(|game| !game.ordinary).count(),
        length_limit_draws,
        problem: values.as_ref().err().map(ToString::to_string),
        values: values.ok(),
        balance: BalanceReport::new::<P>(&facts),
        refused: scanned.refused,
    })
}
