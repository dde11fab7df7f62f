use axum::extract::State;
use garuda_rules::{Color, Position, with_rule_set};
use garuda_run::RunDir;
use garuda_run::records::{DecisionKind, GameRecord, read_record_file, record_files};
use serde::Deserialize;
use serde_json::{Value, json};

use super::explorer::range;
use super::play::{number, wdl};
use super::{Answer, Asked, Params, SharedSite, blocking, json_response};
use crate::error::ApiError;
use crate::index::{GameFilter, GamePlace};
use crate::position_view::side;

const LISTED: u32 = 50;
/// Number of moves of a policy that are shown.
const SHOWN_POLICY: usize = 8;

#[derive(Deserialize)]
pub(super) struct GamesQuery {
    /// The range of checkpoints.
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
    /// white, draw or black.
    #[serde(default)]
    result: String,
    #[serde(default)]
    termination: String,
    /// The range of lengths.
    #[serde(default)]
    min_plies: String,
    #[serde(default)]
    max_plies: String,
    /// "false" leaves out games from varied starts.
    #[serde(default)]
    varied: String,
    /// List the games before `checkpoint/number`.
    #[serde(default)]
    before: String,
}

/// Games of a run, newest first.
pub(super) async fn games(
    State(site): SharedSite,
    Params(run): Params<usize>,
    Asked(query): Asked<GamesQuery>,
) -> Answer {
    blocking(move || {
        let served = site.run(run)?;
        served.open()?;
        let filter = filter(&query)?;
        let status = served.index.status();
        let games = match served.index.games(&filter) {
            Ok(games) => games,
            Err(_) if !status.ready => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        Ok(json_response(&json!({
            "games": games, "limit": LISTED, "index": status,
        })))
    })
    .await
}

fn filter(query: &GamesQuery) -> Result<GameFilter, ApiError> {
    let result = match query.result.as_str() {
        "" => None,
        "white" => Some(1),
        "draw" => Some(0),
        "black" => Some(-1),
        _ => return Err(ApiError::bad_request("a result is white, draw or black")),
    };
    let before = match query.before.split_once('/') {
        Some((checkpoint, game)) => Some(GamePlace {
            checkpoint: number("before", checkpoint)?,
            number: number("before", game)?,
        }),
        None => None,
    };
    Ok(GameFilter {
        checkpoints: range(&query.from, &query.to)?,
        result,
        termination: Some(query.termination.clone()).filter(|text| !text.is_empty()),
        plies: range(&query.min_plies, &query.max_plies)?,
        varied: query.varied != "false",
        before,
        limit: LISTED,
    })
}

/// A game with what the search thought of each move.
pub(super) async fn game(
    State(site): SharedSite,
    Params((run, checkpoint, number)): Params<(usize, u32, u64)>,
) -> Answer {
    blocking(move || {
        let served = site.run(run)?;
        let run = served.open()?;
        let place = GamePlace { checkpoint, number };
        let missing = || {
            ApiError::not_found(format!(
                "there is no game {number} of checkpoint {checkpoint}"
            ))
        };
        let file = match served.index.file_of(place) {
            Ok(file) => file.ok_or_else(missing)?,
            Err(_) if !served.index.status().ready => return Err(missing()),
            Err(error) => return Err(error.into()),
        };
        with_rule_set!(run.config().game.rules, P => {
            let record = find::<P>(&run, file, place)?.ok_or_else(missing)?;
            Ok(json_response(&view::<P>(&record)))
        })
    })
    .await
}

fn find<P: Position>(
    run: &RunDir,
    file: u64,
    place: GamePlace,
) -> anyhow::Result<Option<GameRecord>> {
    let files = record_files(&run.games())?;
    let Some((_, path)) = files.into_iter().find(|(number, _)| *number == file) else {
        return Ok(None);
    };
    let records = read_record_file::<P>(&path)
        .map_err(|problem| anyhow::anyhow!("{}: {problem}", path.display()))?;
    Ok((records.into_iter())
        .find(|record| (record.checkpoint(), record.number()) == (place.checkpoint, place.number)))
}

fn view<P: Position>(record: &GameRecord) -> Value {
    let mut position: P = (record.start().parse()).expect("a verified record has a valid start");
    let decisions: Vec<Value> = record
        .decisions()
        .map(|decision| {
            let policy: Vec<_> = (decision.policy.iter())
                .take(SHOWN_POLICY)
                .map(|&(mv, share)| {
                    let shown = crate::position_view::MoveView::new(&position, mv);
                    json!({ "move": shown, "share": share })
                })
                .collect();
            let searched = decision.kind != DecisionKind::Unsearched;
            let shown = json!({
                "uci": position.uci(decision.mv),
                "display": position.display_move(decision.mv),
                "turn": side(position.turn()),
                "kind": match decision.kind {
                    DecisionKind::Unsearched => "unsearched",
                    DecisionKind::Searched => "searched",
                    DecisionKind::ReducedVisits => "reduced-visits",
                },
                "wdl": searched.then(|| wdl(decision.wdl)),
                "policy": policy,
            });
            position.play(decision.mv);
            shown
        })
        .collect();
    json!({
        "rules": record.rules(),
        "start": record.start(),
        "checkpoint": record.checkpoint(),
        "number": record.number(),
        "white": record.side(Color::White),
        "black": record.side(Color::Black),
        "seed": record.seed().to_string(),
        "winner": record.winner().map(side),
        "termination": record.termination_name(),
        "decisions": decisions,
    })
}
