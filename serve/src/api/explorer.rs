use std::ops::RangeInclusive;
use std::sync::Arc;

use axum::extract::State;
use garuda_arena::players::GameLine;
use garuda_rules::{Game, Move, Position, with_rule_set};
use garuda_run::{RunDir, program, shell_path, shell_word};
use serde::Deserialize;
use serde_json::{Value, json};

use super::play::{bad, number, searching, wdl};
use super::{Answer, Asked, Params, SharedSite, blocking, json_response};
use crate::error::ApiError;
use crate::index::{MAX_PLIES, MoveCounts, PlayedHere};
use crate::players::{Opponent, evaluate};
use crate::position_view::{MoveView, PositionView, line_of, side};
use crate::site::ServedRun;

#[derive(Deserialize)]
pub(super) struct ExplorerQuery {
    #[serde(default)]
    start: String,
    #[serde(default)]
    moves: String,
    /// The range of checkpoints whose games count.
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
    /// Whether games from varied starts count too.
    #[serde(default)]
    varied: String,
    /// The checkpoint whose network evaluates.
    #[serde(default)]
    checkpoint: String,
}

/// A range of numbers of which each end may be left out.
pub(super) fn range(from: &str, to: &str) -> Result<RangeInclusive<u32>, ApiError> {
    let first = match from {
        "" => 0,
        text => number("from", text)?,
    };
    let last = match to {
        "" => u32::MAX,
        text => number("to", text)?,
    };
    Ok(first..=last)
}

/// The game that a query names, from the run's ordinary start unless it says otherwise.
fn line<P: Position>(run: &RunDir, query: &ExplorerQuery) -> Result<GameLine<P>, ApiError> {
    let ordinary = match run.config().game.start.as_str() {
        "" => P::start(),
        fen => fen.parse().map_err(anyhow::Error::from)?,
    };
    line_of(&query.start, &query.moves, ordinary).map_err(|error| bad(&error))
}

/// What was played in a position.
pub(super) async fn explorer(
    State(site): SharedSite,
    Params(run): Params<usize>,
    Asked(query): Asked<ExplorerQuery>,
) -> Answer {
    blocking(move || {
        let served = site.run(run)?;
        let run = served.open()?;
        with_rule_set!(run.config().game.rules, P => answer::<P>(served, &run, &query))
    })
    .await
}

fn answer<P: Position>(served: &ServedRun, run: &RunDir, query: &ExplorerQuery) -> Answer {
    let line = line::<P>(run, query)?;
    let position = line.position();
    let checkpoints = range(&query.from, &query.to)?;
    let varied = query.varied == "true";
    let key = position.key();
    let status = served.index.status();
    let played = match served.index.played(key, &checkpoints, varied) {
        Ok(played) => played,
        // Nothing has been indexed yet.
        Err(_) if !status.ready => Arc::default(),
        Err(error) => return Err(error.into()),
    };
    let PlayedHere { moves, games } = &*played;
    let total: u64 = moves.iter().map(MoveCounts::games).sum();
    let shown: Vec<Value> = moves.iter().map(|counts| row(position, counts)).collect();
    let games: Vec<Value> = (games.iter())
        .map(|(mv, game)| json!({ "move": position.uci(Move::from_code(*mv)), "game": game }))
        .collect();
    Ok(json_response(&json!({
        "position": PositionView::new(&line),
        "total": total,
        "moves": shown,
        "games": games,
        "index": status,
        "max_plies": MAX_PLIES,
        "command": command(served, &line),
    })))
}

fn row<P: Position>(position: &P, counts: &MoveCounts) -> Value {
    let MoveCounts {
        mv,
        white,
        draws,
        black,
        ..
    } = *counts;
    let games = counts.games() as f64;
    let wins = if side(position.turn()) == 0 {
        white
    } else {
        black
    };
    let score = (wins as f64 + 0.5 * draws as f64) / games;
    // Of the mean of results that are 0, ½ or 1.
    let squares = (wins as f64 + 0.25 * draws as f64) / games;
    let error = 1.96 * ((squares - score * score).max(0.0) / games).sqrt();
    let value = (counts.value_count > 0)
        .then(|| counts.value_sum as f64 / 255.0 / counts.value_count as f64);
    json!({
        "move": MoveView::new(position, Move::from_code(mv)),
        "white": white, "draws": draws, "black": black,
        "score": score, "error": error, "value": value,
    })
}

/// What `garuda openings` is told to study this position.
fn command<P: Position>(served: &ServedRun, line: &GameLine<P>) -> String {
    let from = if line.moves().is_empty() {
        line.start().to_string()
    } else {
        // From another start only the FEN names the position.
        match *line.start() == P::start() {
            true => line.uci_moves().join(" "),
            false => line.position().to_string(),
        }
    };
    let (program, run) = (program(), shell_path(&served.path));
    format!(
        "{program} openings {run} --from {}",
        shell_word(from.as_ref())
    )
}

/// What a network says of a position without any search.
pub(super) async fn eval(
    State(site): SharedSite,
    Params(number_of_run): Params<usize>,
    Asked(query): Asked<ExplorerQuery>,
) -> Answer {
    searching(site, move |site| {
        let run = site.run(number_of_run)?.open()?;
        let checkpoint = match query.checkpoint.as_str() {
            "" => (run.checkpoint_numbers()?.last().copied())
                .ok_or_else(|| ApiError::not_found("the run has no checkpoint yet"))?,
            text => number("checkpoint", text)?,
        };
        let opponent = Opponent::Checkpoint(number_of_run, checkpoint);
        let network = site.network(&opponent).map_err(|error| bad(&error))?;
        let network = network.expect("a checkpoint has a network or is an error");
        with_rule_set!(run.config().game.rules, P => {
            let line = line::<P>(&run, &query)?;
            let view = evaluate(&network, line.game()).map_err(|error| bad(&error))?;
            let moves: Vec<Value> = (view.moves.iter())
                .map(|&(mv, prior, value)| json!({
                    "move": line.position().uci(mv), "prior": prior, "value": value,
                }))
                .collect();
            Ok(json_response(&json!({
                "checkpoint": checkpoint, "turn": side(line.game().turn()),
                "wdl": wdl(view.wdl), "moves": moves,
            })))
        })
    })
    .await
}
