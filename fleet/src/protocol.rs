//! What workers and the trainer say to each other, as JSON.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::names::MAX_REQUEST;
use crate::plan::PlanHash;

/// A worker wants games to play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct LeaseRequest {
    /// The plan that it has.
    pub(crate) plan: PlanHash,
    /// How many games it could start.
    pub(crate) want: u32,
}

/// Games to play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct LeaseAnswer {
    /// The plan of the moment; none while no games are wanted.
    pub(crate) plan: Option<PlanHash>,
    pub(crate) lease: u64,
    pub(crate) numbers: Vec<u64>,
    /// Whether there are more games that nobody plays yet. If not, the trainer waits for the games
    /// that are out.
    pub(crate) more: bool,
    /// When to ask again, if there are no numbers.
    pub(crate) wait_ms: u64,
}

/// A worker is alive.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Status {
    pub(crate) plan: Option<PlanHash>,
    /// Numbers that it plays, or whose games it has not sent.
    pub(crate) in_hand: Vec<u64>,
    /// Numbers whose games it could not play.
    pub(crate) given_up: Vec<u64>,
    pub(crate) cores: u32,
    pub(crate) games_per_second: f64,
    /// Bytes that wait to be sent.
    pub(crate) spooled: u64,
    /// Whether it ends now and plays nothing any more.
    pub(crate) leaving: bool,
}

/// What became of a worker's games.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StatusAnswer {
    pub(crate) plan: Option<PlanHash>,
    pub(crate) accepted: u64,
    /// Messages and games that were refused, by reason.
    pub(crate) refused: BTreeMap<String, u64>,
    pub(crate) last_refusal: Option<String>,
}

/// Reads a message that is not longer than it may be.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    if bytes.len() > MAX_REQUEST {
        return None;
    }
    serde_json::from_slice(bytes).ok()
}

pub(crate) fn write(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("plain fields can always be written")
}
