use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::tensorboard::TensorBoard;

/// Something that happened in a run: one line of `metrics.jsonl`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    Selfplay(SelfplayStats),
    Training(TrainingStats),
    Match(MatchStats),
    Warning { checkpoint: u32, what: String },
}

/// The games of one checkpoint.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SelfplayStats {
    /// The checkpoint that played.
    pub checkpoint: u32,
    pub games: u64,
    pub positions: u64,
    /// Of the whole run so far.
    pub total_positions: u64,
    pub mean_plies: f64,
    pub white: f64,
    pub draws: f64,
    pub black: f64,
    /// Share of games by reason of their end.
    pub ends: BTreeMap<String, f64>,
    /// Mean entropy of the policy targets, in nats.
    pub entropy: f64,
    pub simulations: u32,
    /// Of the part that was played since the process was started.
    pub evaluations: u64,
    pub seconds: f64,
}

/// One training phase, which made a checkpoint.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TrainingStats {
    /// The checkpoint that was made.
    pub checkpoint: u32,
    /// Training steps of the whole run so far.
    pub steps: u64,
    pub window: u64,
    pub rate: f64,
    pub losses: LossStats,
    /// On games that were held out; absent where there are none.
    pub validation: Option<LossStats>,
    pub gradient: f64,
    /// Steps without a finite loss.
    pub skipped: u64,
    pub samples: u64,
    pub seconds: f64,
}

/// Means over a phase.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LossStats {
    pub total: f64,
    pub policy: f64,
    pub value: f64,
}

/// A match of a checkpoint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchStats {
    pub checkpoint: u32,
    pub opponent: String,
    pub score: f64,
    pub elo: f64,
    pub elo_low: f64,
    pub elo_high: f64,
    /// Its rating in the ladder after the match.
    pub rating: f64,
    pub rating_error: f64,
}

impl Event {
    /// Two events of one key tell the same thing, the later one more recently.
    fn key(&self) -> (u8, u32, &str) {
        match self {
            Event::Selfplay(stats) => (0, stats.checkpoint, ""),
            Event::Training(stats) => (1, stats.checkpoint, ""),
            Event::Match(stats) => (2, stats.checkpoint, &stats.opponent),
            Event::Warning { checkpoint, what } => (3, *checkpoint, what),
        }
    }
}

/// The event log of a run.
#[derive(Debug)]
pub struct Metrics {
    file: File,
    events: Vec<Event>,
    board: Option<TensorBoard>,
}

impl Metrics {
    /// Opens the log, or begins it. A last line that was torn by a crash is taken off.
    pub fn open(path: &Path) -> anyhow::Result<Metrics> {
        let open = || -> io::Result<(File, Vec<u8>)> {
            let file = OpenOptions::new().append(true).create(true).open(path)?;
            let mut bytes = fs::read(path)?;
            let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
            if whole < bytes.len() {
                warn!("{}: the torn last line is removed", path.display());
                file.set_len(whole as u64)?;
                bytes.truncate(whole);
            }
            Ok((file, bytes))
        };
        let (file, bytes) = open().with_context(|| format!("cannot open {}", path.display()))?;
        Ok(Metrics {
            file,
            events: parse(path, &bytes),
            board: None,
        })
    }

    /// Tells TensorBoard, too, of every event to come.
    pub fn show_on(&mut self, board: TensorBoard) {
        self.board = Some(board);
    }

    /// The events of a log that someone else may be writing.
    pub fn read(path: &Path) -> anyhow::Result<Vec<Event>> {
        match fs::read(path) {
            Ok(mut bytes) => {
                let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
                bytes.truncate(whole);
                Ok(latest(&parse(path, &bytes)))
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(e).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Appends an event, unless the very same is there already.
    pub fn add(&mut self, event: Event) -> anyhow::Result<()> {
        if self.events.contains(&event) {
            return Ok(());
        }
        let mut line = serde_json::to_string(&event)?;
        line.push('\n');
        self.file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.sync_data())
            .context("cannot append to the metrics")?;
        if let Some(board) = &mut self.board {
            board.add(&event)?;
        }
        self.events.push(event);
        Ok(())
    }

    /// Whether the games of a checkpoint are in the log.
    pub fn has_selfplay(&self, checkpoint: u32) -> bool {
        (self.events.iter())
            .any(|event| matches!(event, Event::Selfplay(stats) if stats.checkpoint == checkpoint))
    }

    /// All events, each thing told once.
    pub fn events(&self) -> Vec<Event> {
        latest(&self.events)
    }
}

fn parse(path: &Path, bytes: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    for (i, line) in bytes.split(|&b| b == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(event) => events.push(event),
            Err(e) => warn!("{}, line {}, is passed over: {e}", path.display(), i + 1),
        }
    }
    events
}

/// Of events that tell the same thing only the last, in the order of the first.
fn latest(events: &[Event]) -> Vec<Event> {
    let mut places = BTreeMap::new();
    let mut out: Vec<Event> = Vec::new();
    for event in events {
        match places.get(&event.key()) {
            Some(&place) => out[place] = event.clone(),
            None => {
                places.insert(event.key(), out.len());
                out.push(event.clone());
            }
        }
    }
    out
}
