//! Names on the broker, and the limits of what travels through it.

use std::fmt;

use garuda_run::records::RecordLimits;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Raised when messages change.
pub(crate) const PROTOCOL: u32 = 1;

/// Games that a worker puts into one message, and those that the trainer takes at most.
pub(crate) const GAMES_PER_MESSAGE: usize = 32;
pub(crate) const MAX_GAMES: usize = 64;
/// Bytes of a message with games.
pub(crate) const MAX_MESSAGE: usize = 1 << 20;
/// What a message with games is decoded with.
pub(crate) const MESSAGE_LIMITS: RecordLimits = RecordLimits {
    file: MAX_MESSAGE,
    content: 16 << 20,
};
/// Bytes of a plan, a request or a heartbeat.
pub(crate) const MAX_PLAN: usize = 256 << 10;
pub(crate) const MAX_REQUEST: usize = 64 << 10;
/// Networks travel in pieces of this size.
pub(crate) const CHUNK: usize = 512 << 10;

pub(crate) const GAMES: &str = "GAMES";
pub(crate) const NETS: &str = "NETS";
pub(crate) const PLAN: &str = "PLAN";

/// A part of a subject: a run or a worker.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// A text that is no [`Name`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0:?} is no name: one to {MAX_NAME} letters, digits, '-' and '_'")]
pub struct NameError(String);

const MAX_NAME: usize = 40;

impl Name {
    /// The nearest name to a text.
    pub(crate) fn like(text: &str) -> Name {
        let kept: String = (text.chars())
            .map(|c| if is_allowed(c) { c } else { '-' })
            .take(MAX_NAME - 9)
            .collect();
        match kept.is_empty() {
            true => Name("run".to_owned()),
            false => Name(kept),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Name, NameError> {
        match (1..=MAX_NAME).contains(&text.len()) && text.chars().all(is_allowed) {
            true => Ok(Name(text)),
            false => Err(NameError(text.chars().take(2 * MAX_NAME).collect())),
        }
    }
}

impl std::str::FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Name, NameError> {
        Name::try_from(text.to_owned())
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a worker publishes: the broker lets it use its own name only, so that the last part of a
/// subject says who sent a message.
pub(crate) fn games_subject(run: &Name, worker: &str) -> String {
    format!("games.{run}.{worker}")
}

pub(crate) fn lease_subject(run: &Name, worker: &str) -> String {
    format!("lease.{run}.{worker}")
}

pub(crate) fn status_subject(run: &Name, worker: &str) -> String {
    format!("status.{run}.{worker}")
}

pub(crate) fn plan_subject(run: &Name) -> String {
    format!("plan.{run}")
}

pub(crate) fn chunk_subject(network: &str, chunk: &str) -> String {
    format!("nets.{network}.{chunk}")
}

/// Subject of a request for the last message that a stream has on a subject.
pub(crate) fn direct_get(stream: &str, subject: &str) -> String {
    format!("$JS.API.DIRECT.GET.{stream}.{subject}")
}

/// Where answers to a worker's requests arrive: no other worker may listen there.
pub(crate) fn inbox(worker: &Name) -> String {
    format!("_INBOX_{worker}")
}

/// The worker that published on a subject.
pub(crate) fn sender(subject: &str) -> Option<Name> {
    subject.rsplit('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_change_a_subject() {
        for bad in ["", "a.b", "*", ">", "a b", "ä", "a\n", &"x".repeat(41)] {
            assert!(bad.parse::<Name>().is_err(), "{bad:?}");
        }
        let name: Name = "node-07_b".parse().unwrap();
        let run = Name::like("tori.big run");
        assert_eq!(run.as_str(), "tori-big-run");
        assert_eq!(sender(&games_subject(&run, name.as_str())), Some(name));
    }
}
