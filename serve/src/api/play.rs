use std::sync::Arc;

use axum::extract::State;
use garuda_arena::players::GameLine;
use garuda_mcts::{Proof, Wdl};
use garuda_rules::{Game, Position, RuleSet, with_rule_set};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Asked, SharedSite, blocking, json_response};
use crate::Site;
use crate::error::ApiError;
use crate::players::{MAX_SIMULATIONS, Opponent, Strength, choose, search};
use crate::position_view::{MoveView, PositionQuery, PositionView, line_of};

pub(super) fn bad(error: &anyhow::Error) -> ApiError {
    ApiError::bad_request(format!("{error:#}"))
}

pub(super) fn rule_set(name: &str) -> Result<RuleSet, ApiError> {
    name.parse()
        .map_err(|error| ApiError::bad_request(format!("{error}")))
}

fn line<P: Position>(query: &PositionQuery) -> Result<GameLine<P>, ApiError> {
    line_of(&query.start, &query.moves, P::start()).map_err(|error| bad(&error))
}

/// A position with its legal moves.
pub(super) async fn position(Asked(query): Asked<PositionQuery>) -> Answer {
    let rules = rule_set(&query.rules)?;
    blocking(move || {
        with_rule_set!(rules, P => Ok(json_response(&PositionView::new(&line::<P>(&query)?))))
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct MoveQuery {
    #[serde(flatten)]
    position: PositionQuery,
    player: String,
    level: String,
    #[serde(default)]
    seed: String,
}

/// The move of an opponent, and the position after it.
pub(super) async fn engine_move(State(site): SharedSite, Asked(query): Asked<MoveQuery>) -> Answer {
    let rules = rule_set(&query.position.rules)?;
    let opponent = Opponent::parse(&query.player).map_err(|error| bad(&error))?;
    let strength = Strength {
        level: number("level", &query.level)?,
        seed: match query.seed.as_str() {
            "" => 0,
            seed => number("seed", seed)?,
        },
    };
    searching(site, move |site| {
        with_rule_set!(rules, P => {
            let mut line = line::<P>(&query.position)?;
            if line.game().outcome().is_some() {
                return Err(ApiError::bad_request("the game is over"));
            }
            let network = site.network(&opponent).map_err(|error| bad(&error))?;
            let mv = choose(&opponent, network.as_deref(), &line, strength)
                .map_err(|error| bad(&error))?;
            let played = MoveView::new(line.position(), mv);
            line.play(mv);
            Ok(json_response(&json!({ "move": played, "position": PositionView::new(&line) })))
        })
    })
    .await
}

#[derive(Deserialize)]
pub(super) struct AnalysisQuery {
    #[serde(flatten)]
    position: PositionQuery,
    #[serde(default)]
    player: String,
    #[serde(default)]
    simulations: String,
}

/// The evaluation of a position and its three best moves, by a network or by material.
pub(super) async fn analysis(
    State(site): SharedSite,
    Asked(query): Asked<AnalysisQuery>,
) -> Answer {
    let rules = rule_set(&query.position.rules)?;
    let opponent = match query.player.as_str() {
        "" => Opponent::AlphaBeta,
        player => Opponent::parse(player).map_err(|error| bad(&error))?,
    };
    let simulations = match query.simulations.as_str() {
        "" => 400,
        text => number("simulations", text)?,
    };
    if !(1..=MAX_SIMULATIONS).contains(&simulations) {
        return Err(ApiError::bad_request(format!(
            "simulations are from 1 to {MAX_SIMULATIONS}, not {simulations}"
        )));
    }
    searching(site, move |site| {
        with_rule_set!(rules, P => {
            let line = line::<P>(&query.position)?;
            if line.game().outcome().is_some() {
                return Err(ApiError::bad_request("the game is over"));
            }
            let network = site.network(&opponent).map_err(|error| bad(&error))?;
            let info = search(network.as_deref(), &line, simulations)
                .map_err(|error| bad(&error))?;
            let position = line.position();
            let lines: Vec<Value> = info.lines.iter().map(|found| {
                let mut after = *position;
                let moves: Vec<_> = found.moves.iter().map(|&mv| {
                    let view = MoveView::new(&after, mv);
                    after.play(mv);
                    view
                }).collect();
                json!({
                    "moves": moves, "visits": found.visits, "wdl": wdl(found.wdl),
                    "proof": found.proof.map(proof),
                })
            }).collect();
            Ok(json_response(&json!({
                "by": if network.is_some() { "network" } else { "material" },
                "turn": crate::position_view::side(position.turn()),
                "wdl": info.wdl.map(wdl),
                "proof": info.proof.map(proof),
                "best": info.best.map(|mv| MoveView::new(position, mv)),
                "lines": lines,
                "visits": info.visits,
            })))
        })
    })
    .await
}

/// Runs a search, unless as many as this machine can take are running.
pub(super) async fn searching(
    site: Arc<Site>,
    work: impl FnOnce(&Site) -> Answer + Send + 'static,
) -> Answer {
    let permit = (site.searches.clone().acquire_owned().await)
        .map_err(|_| ApiError::unavailable("the server is ending"))?;
    blocking(move || {
        let _permit = permit;
        work(&site)
    })
    .await
}

/// A number of a query. (With flattened parts the query's values are all texts.)
pub(super) fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| {
        let text: String = text.chars().take(50).collect();
        ApiError::bad_request(format!("{name} must be a number, not {text:?}"))
    })
}

/// For the side to move.
pub(super) fn wdl(wdl: Wdl) -> [f32; 3] {
    [wdl.win, wdl.draw, wdl.loss]
}

fn proof(proof: Proof) -> Value {
    match proof {
        Proof::Win(plies) => json!({ "result": "win", "plies": plies }),
        Proof::Draw => json!({ "result": "draw" }),
        Proof::Loss(plies) => json!({ "result": "loss", "plies": plies }),
    }
}
