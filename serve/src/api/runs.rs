use std::time::SystemTime;
use std::{fs, io};

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::Response;
use garuda_rules::{Position, with_rule_set};
use garuda_run::{Event, LiveGames, RunDir};
use serde_json::{Value, json};

use super::{Answer, Params, SharedSite, blocking, json_response};
use crate::error::ApiError;
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
                        "fleet": opened.fleet().is_file(),
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

/// Games that stood still for longer are not being played.
const PLAYING_SECONDS: f64 = 5.0;

/// What a run is doing.
fn phase(run: &RunDir, events: &[Event]) -> &'static str {
    if !run.is_locked() {
        return "idle";
    }
    if live_age(run).is_some_and(|age| age < PLAYING_SECONDS) {
        return "self-play";
    }
    match events.last() {
        Some(Event::Selfplay(_)) => "training",
        Some(_) => "evaluation",
        None => "starting",
    }
}

/// How many seconds ago games in progress were written.
fn live_age(run: &RunDir) -> Option<f64> {
    let written = fs::metadata(run.live()).and_then(|data| data.modified());
    let age = SystemTime::now().duration_since(written.ok()?);
    Some(age.unwrap_or_default().as_secs_f64())
}

/// Games that are being played, and how many seconds ago they stood like that.
pub(super) async fn live(State(site): SharedSite, Params(number): Params<usize>) -> Answer {
    blocking(move || {
        let run = site.run(number)?.open()?;
        let (games, problem) = match LiveGames::read(&run.live()) {
            Ok(games) => (games, None),
            Err(e) => (None, Some(format!("live.json cannot be read: {e}"))),
        };
        Ok(json_response(&json!({
            "training": run.is_locked(),
            "live": games,
            "problem": problem,
            "age": live_age(&run),
        })))
    })
    .await
}

/// The report is a page by itself, with its styles inside, and may be anyone's: it runs nothing and
/// loads nothing.
const REPORT_POLICY: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

/// The page that `garuda openings` wrote.
pub(super) async fn openings(State(site): SharedSite, Params(number): Params<usize>) -> Answer {
    blocking(move || {
        let path = site.run(number)?.open()?.openings_page();
        let page = match fs::read(&path) {
            Ok(page) => page,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let command = "garuda openings writes it";
                return Err(ApiError::not_found(format!(
                    "there is no report yet: {command}"
                )));
            }
            Err(e) => return Err(anyhow::Error::from(e).into()),
        };
        let mut response = Response::new(Body::from(page));
        let headers = response.headers_mut();
        for (name, value) in [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (CONTENT_SECURITY_POLICY, REPORT_POLICY),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        Ok(response)
    })
    .await
}

/// How far a run is: what `garuda status` prints, and the state of the position index.
pub(super) async fn summary(State(site): SharedSite, Params(number): Params<usize>) -> Answer {
    blocking(move || {
        let served = site.run(number)?;
        let run = served.open()?;
        let metrics = served.metrics(&run)?;
        let rated = served.ladder(&run)?;
        let newest = run.checkpoint_numbers()?.last().copied();
        let training = metrics.events.iter().rev().find_map(|event| match event {
            Event::Training(stats) => Some(stats),
            _ => None,
        });
        let rating = (rated.ratings.iter())
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
            "phase": phase(&run, &metrics.events),
            "openings": run.openings_page().is_file(),
            "checkpoint": newest,
            "games": metrics.games(),
            "selfplay": metrics.selfplay(),
            "last_training": training,
            "rating": rating,
            "bytes": served.size(&run)?,
            "index": served.index.status(),
            "problems": metrics.problems,
        })))
    })
    .await
}
