use axum::extract::State;
use garuda_arena::ratings::ladder_ratings;
use garuda_rules::{Position, with_rule_set};
use garuda_run::{Event, Ladder};
use serde_json::{Value, json};

use super::metrics::MetricsFile;
use super::{Answer, Params, SharedSite, blocking, json_response};
use crate::players::LEVELS;
use crate::rules_data;

/// All runs. One that cannot be read is named with the reason.
pub(super) async fn runs(State(site): SharedSite) -> Answer {
    blocking(move || {
        let runs: Vec<Value> = (site.runs.iter().enumerate())
            .map(|(number, run)| match run.open() {
                Ok(opened) => {
                    let rules = opened.config().game.rules;
                    json!({
                        "run": number, "name": run.name, "rules": rules.name(),
                        "title": rules.title(), "training": opened.is_locked(),
                        "checkpoint": opened.checkpoint_numbers().ok().and_then(|all| all.last().copied()),
                    })
                }
                Err(error) => {
                    json!({ "run": number, "name": run.name, "problem": format!("{error:#}") })
                }
            })
            .collect();
        Ok(json_response(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "runs": runs,
        })))
    })
    .await
}

/// What the games are.
pub(super) async fn rules() -> Answer {
    Ok(json_response(&rules_data::all()))
}

/// Everyone who can be played against.
pub(super) async fn players(State(site): SharedSite) -> Answer {
    blocking(move || {
        Ok(json_response(&json!({
            "players": site.players(),
            "levels": LEVELS.map(|(random, simulations)| json!({
                "random_percent": random, "simulations": simulations,
            })),
        })))
    })
    .await
}

/// How far a run is: what `garuda status` prints, and the state of the position index.
pub(super) async fn summary(State(site): SharedSite, Params(number): Params<usize>) -> Answer {
    blocking(move || {
        let served = site.run(number)?;
        let run = served.open()?;
        let metrics = MetricsFile::read(&run.metrics())?;
        let ratings = ladder_ratings(&Ladder::read(&run.ladder())?);
        let newest = run.checkpoint_numbers()?.last().copied();
        let selfplay = metrics.events.iter().rev().find_map(|event| match event {
            Event::Selfplay(stats) => Some(stats),
            _ => None,
        });
        let training = metrics.events.iter().rev().find_map(|event| match event {
            Event::Training(stats) => Some(stats),
            _ => None,
        });
        let rating = (ratings.iter())
            .filter(|rating| rating.player.parse::<u32>().is_ok())
            .max_by(|a, b| a.player.cmp(&b.player));
        let config = run.config();
        let start = with_rule_set!(config.game.rules, P => match config.game.start.as_str() {
            "" => P::start().to_string(),
            fen => fen.to_owned(),
        });
        Ok(json_response(&json!({
            "name": served.name,
            "rules": config.game.rules.name(),
            "title": config.game.rules.title(),
            "start": start,
            "training": run.is_locked(),
            "checkpoint": newest,
            "selfplay": selfplay,
            "last_training": training,
            "rating": rating,
            "bytes": run.size(),
            "index": served.index.status(),
            "problems": metrics.problems,
        })))
    })
    .await
}
