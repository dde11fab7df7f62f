//! The log of a run as the page reads it.

use std::collections::HashMap;
use std::path::Path;
use std::{fs, io};

use anyhow::Context;
use garuda_run::{Event, SelfplayStats};

/// Number of damaged lines that are named.
const MAX_NAMED: usize = 20;

/// The events of a run, as far as whole lines of its log were written.
#[derive(Debug)]
pub(crate) struct MetricsFile {
    /// Of events that tell the same thing only the last.
    pub(crate) events: Vec<Event>,
    /// Where the next event will start, in bytes.
    pub(crate) offset: u64,
    /// Lines that are not events.
    pub(crate) problems: Vec<String>,
}

impl MetricsFile {
    pub(crate) fn read(path: &Path) -> anyhow::Result<MetricsFile> {
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

    /// The newest figures of self-play.
    pub(crate) fn selfplay(&self) -> Option<&SelfplayStats> {
        self.selfplay_stats().last()
    }

    /// Number of games of the run, but for those of the checkpoint that is playing.
    pub(crate) fn games(&self) -> u64 {
        self.selfplay_stats().map(|stats| stats.games).sum()
    }

    fn selfplay_stats(&self) -> impl Iterator<Item = &SelfplayStats> {
        self.events.iter().filter_map(|event| match event {
            Event::Selfplay(stats) => Some(stats),
            _ => None,
        })
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
