use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::bail;
use garuda_rules::{Position, Termination};
use garuda_run::records::{GameRecord, ScanProgress, scan};
use garuda_run::{RunDir, write_atomically};
use serde::Serialize;

use super::{CountedGame, FittedValues, count_game, piece_values, values_svg};
use crate::balance::{BalanceReport, GameFacts, balance, game_facts};

/// What a run's games say about the worth of pieces and the balance of the game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValuesReport {
    pub rules: &'static str,
    /// The first and the last checkpoint whose games these are.
    pub checkpoints: [u32; 2],
    pub games: usize,
    /// Of them, from starts that are not the run's ordinary one.
    pub varied_games: usize,
    /// Of them, drawn at the length cap: no part of the values.
    pub cap_draws: usize,
    pub values: Option<FittedValues>,
    /// Why there are no values.
    pub problem: Option<String>,
    pub balance: BalanceReport,
    /// Files of games that were passed over, and why.
    pub refused: Vec<String>,
}

/// Looks at all games of the checkpoints given. It is an error if there are none; if they are too
/// few for values, the rest is told all the same.
pub fn run_values<P: Position>(
    run: &RunDir,
    checkpoints: RangeInclusive<u32>,
    resamples: usize,
    progress: impl FnMut(ScanProgress),
) -> anyhow::Result<ValuesReport> {
    let ordinary = match run.config().game.start.as_str() {
        "" => P::start(),
        text => text.parse()?,
    };
    let ordinary = ordinary.to_string();
    let look = |record: &GameRecord| -> Option<(GameFacts, CountedGame)> {
        let facts = game_facts::<P>(record, &ordinary)?;
        Some((facts, count_game::<P>(record)?))
    };
    let look_at_batch = |records: &[GameRecord]| -> Vec<_> {
        (records.iter())
            .filter(|record| checkpoints.contains(&record.checkpoint()))
            .filter_map(look)
            .collect()
    };
    let (mut facts, mut counted) = (Vec::new(), Vec::new());
    let scanned = scan::<P, _>(
        &run.games(),
        look_at_batch,
        |batch| {
            for (game_facts, game) in batch {
                facts.push(game_facts);
                counted.push(game);
            }
        },
        progress,
    )?;
    let nets = || facts.iter().map(|game: &GameFacts| game.id.0);
    let (Some(from), Some(to)) = (nets().min(), nets().max()) else {
        let path = run.path().display();
        match (*checkpoints.start(), *checkpoints.end()) {
            (0, u32::MAX) => bail!("{path} has no finished games yet"),
            (from, u32::MAX) => bail!("{path} has no finished games from checkpoint {from} on"),
            (from, to) => bail!("{path} has no finished games of checkpoints {from} to {to}"),
        }
    };
    let is_cap_draw =
        |game: &GameFacts| game.termination == Termination::LengthLimit && game.first_mover == 0;
    let mut telling: Vec<_> = (facts.iter().zip(counted))
        .filter(|(facts, _)| !is_cap_draw(facts))
        .map(|(_, counted)| counted)
        .collect();
    let cap_draws = facts.len() - telling.len();
    let values = piece_values::<P>(&mut telling, resamples);
    Ok(ValuesReport {
        rules: P::NAME,
        checkpoints: [from, to],
        games: facts.len(),
        varied_games: facts.iter().filter(|game| !game.ordinary).count(),
        cap_draws,
        problem: values.as_ref().err().map(ToString::to_string),
        values: values.ok(),
        balance: balance::<P>(&facts),
        refused: scanned.refused,
    })
}

impl ValuesReport {
    /// Writes `values.json` and, if there are values, `values.svg` into the run.
    pub fn write(&self, run: &RunDir) -> anyhow::Result<Vec<PathBuf>> {
        let mut written = vec![run.path().join("values.json")];
        write_atomically(&written[0], &serde_json::to_vec_pretty(self)?)?;
        if let Some(values) = &self.values {
            let plot = run.path().join("values.svg");
            write_atomically(&plot, values_svg(values).as_bytes())?;
            written.push(plot);
        }
        Ok(written)
    }
}
