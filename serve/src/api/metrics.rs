use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use anyhow::Context;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use garuda_arena::ratings::ladder_ratings;
use garuda_run::{Event, Ladder};
use serde_json::{Value, json};

use super::{Answer, Params, SharedSite, blocking, json_response};

/// Number of damaged lines that are named.
const MAX_NAMED: usize = 20;

/// The events of a run, as far as whole lines of its log were written.
pub(super) struct MetricsFile {
    /// Of events that tell the same thing only the last.
    pub(super) events: Vec<Event>,
    /// Where the next event will start, in bytes.
    pub(super) offset: u64,
    /// Lines that are not events.
    pub(super) problems: Vec<String>,
}

impl MetricsFile {
    pub(super) fn read(path: &Path) -> anyhow::Result<MetricsFile> {
        let mut file = MetricsFile {
            events: Vec::new(),
            offset: 0,
            problems: Vec::new(),
        };
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(file),
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
        };
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        file.offset = whole as u64;
        let mut places = HashMap::new();
        for (i, line) in bytes[..whole].split(|&b| b == b'\n').enumerate() {
            match serde_json::from_slice::<Event>(line) {
                Ok(event) => match places.entry(key(&event)) {
                    std::collections::hash_map::Entry::Occupied(place) => {
                        file.events[*place.get()] = event;
                    }
                    std::collections::hash_map::Entry::Vacant(place) => {
                        place.insert(file.events.len());
                        file.events.push(event);
                    }
                },
                Err(_) if line.is_empty() => {}
                Err(error) if file.problems.len() < MAX_NAMED => {
                    let number = i + 1;
                    file.problems
                        .push(format!("metrics.jsonl, line {number}: {error}"));
                }
                Err(_) => {}
            }
        }
        Ok(file)
    }
}

/// Two events of one key tell the same thing, the later one more recently.
fn key(event: &Event) -> (u8, u32, String) {
    match event {
        Event::Selfplay(stats) => (0, stats.checkpoint, String::new()),
        Event::Training(stats) => (1, stats.checkpoint, String::new()),
        Event::Match(stats) => (2, stats.checkpoint, stats.opponent.clone()),
        Event::Warning { checkpoint, what } => (3, *checkpoint, what.clone()),
    }
}

/// All events of a run, and where the stream of new ones starts.
pub(super) async fn metrics(State(site): SharedSite, Params(number): Params<usize>) -> Answer {
    blocking(move || {
        let run = site.run(number)?.open()?;
        let file = MetricsFile::read(&run.metrics())?;
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
        let run = site.run(number)?.open()?;
        let ladder = Ladder::read(&run.ladder())?;
        // The reader passes over a damaged file; the page says that it is damaged.
        let problem = match fs::read(run.ladder()) {
            Ok(bytes) => serde_json::from_slice::<Value>(&bytes).err(),
            Err(_) => None,
        };
        Ok(json_response(&json!({
            "ratings": ladder_ratings(&ladder),
            "matches": ladder.matches(),
            "problem": problem.map(|error| format!("ladder.json is damaged: {error}")),
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
            for event in MetricsFile::read(&run.metrics())?.events.iter().rev() {
                if let Event::Selfplay(stats) = event {
                    add("positions", stats.total_positions as f64);
                    break;
                }
            }
            add("games", served.index.status().games as f64);
        }
        let mut response = Response::new(Body::from(text));
        let content_type = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Ok(response)
    })
    .await
}
