use std::fmt::Write;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use garuda_run::FleetStatus;
use serde_json::json;

use super::{Answer, Params, SharedSite, blocking, json_response};

/// All events of a run, and where the stream of new ones starts.
pub(super) async fn metrics(State(site): SharedSite, Params(number): Params<usize>) -> Answer {
    blocking(move || {
        let served = site.run(number)?;
        let file = served.metrics(&served.open()?)?;
        Ok(json_response(&json!({
            "events": file.events,
            "offset": file.offset,
            "problems": file.problems,
        })))
    })
    .await
}

/// The ratings of a run's players, and the matches they follow from.
pub(super) async fn ladder(State(site): SharedSite, Params(number): Params<usize>) -> Answer {
    blocking(move || {
        let served = site.run(number)?;
        let rated = served.ladder(&served.open()?)?;
        Ok(json_response(&json!({
            "ratings": rated.ratings,
            "matches": rated.ladder.matches(),
            "problem": rated.problem,
        })))
    })
    .await
}

/// The newest figures of all runs in the text format of Prometheus.
pub(super) async fn prometheus(State(site): SharedSite) -> Answer {
    blocking(move || {
        let mut text = String::new();
        for (number, served) in site.runs.iter().enumerate() {
            let Ok(run) = served.open() else { continue };
            let label = format!("{{run=\"{number}\"}}");
            let mut add = |name: &str, value: f64| {
                writeln!(text, "garuda_{name}{label} {value}").expect("a string takes any text");
            };
            add("training", f64::from(u8::from(run.is_locked())));
            if let Some(checkpoint) = run.checkpoint_numbers()?.last() {
                add("checkpoint", f64::from(*checkpoint));
            }
            let metrics = served.metrics(&run)?;
            if let Some(stats) = metrics.selfplay() {
                add("positions", stats.total_positions as f64);
            }
            add("games", metrics.games() as f64);
            if let Ok(Some(fleet)) = FleetStatus::read(&run.fleet()) {
                text += &fleet.prometheus(&number.to_string());
            }
        }
        let mut response = Response::new(Body::from(text));
        let content_type = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Ok(response)
    })
    .await
}
