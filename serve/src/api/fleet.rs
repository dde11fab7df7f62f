use std::time::SystemTime;

use axum::extract::State;
use garuda_run::FleetStatus;
use serde_json::json;

use super::{Answer, Params, SharedSite, blocking, json_response};

/// How the machines that play for a run are doing; null where there are none. `now` is this
/// machine's time: the browser's may differ.
pub(super) async fn fleet(State(site): SharedSite, Params(number): Params<usize>) -> Answer {
    blocking(move || {
        let run = site.run(number)?.open()?;
        let path = run.fleet();
        let (fleet, problem) = match FleetStatus::read(&path) {
            Ok(None) if path.exists() => (
                None,
                Some("fleet.json is of another version of the program".to_owned()),
            ),
            Ok(fleet) => (fleet, None),
            Err(e) => (None, Some(format!("fleet.json cannot be read: {e}"))),
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Ok(json_response(&json!({
            "training": run.is_locked(),
            "fleet": fleet,
            "problem": problem,
            "now": now.unwrap_or_default().as_secs(),
        })))
    })
    .await
}
