//! Whether games that were sent are taken: checks in the order of their cost, each with a name.

use std::collections::BTreeSet;

use garuda_rules::Position;
use garuda_run::records::{
    GameRecord, RecordError, RecordFileError, decode_bounded_record_file, verify,
};
use garuda_selfplay::generate::Plan;
use nkeys::KeyPair;
use thiserror::Error;

use crate::envelope::{Envelope, EnvelopeError};
use crate::names::{MAX_GAMES, MESSAGE_LIMITS, Name};
use crate::plan::PlanHash;
use crate::registry::Registry;

/// Why a message with games is refused as a whole.
#[derive(Debug, Error)]
pub enum Refusal {
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    #[error("no worker of this name was invited")]
    UnknownWorker,
    #[error("the worker's key is revoked")]
    Revoked,
    #[error("the signature is not the worker's")]
    Signature,
    #[error("its games are of the plan before, which is complete")]
    Late,
    #[error("its games are of another plan")]
    OtherPlan,
    #[error("it comes faster than {MAX_RATE} messages per second")]
    TooFast,
    #[error("its games cannot be read: {0}")]
    Records(#[from] RecordFileError),
    #[error("it has {0} games, and a message has 1 to {MAX_GAMES}")]
    Count(usize),
    #[error("it has game {0} twice")]
    Twice(u64),
    #[error("game {0} does not start as the plan says")]
    Head(u64),
    #[error("game {number} cannot have been played: {error}")]
    Impossible { number: u64, error: RecordError },
    #[error("game {0} cannot be checked: the trainer fails to play it")]
    Uncheckable(u64),
}

/// Messages of one worker in a second, on average.
pub(crate) const MAX_RATE: u32 = 200;

impl Refusal {
    /// A short name, for counting.
    pub fn name(&self) -> &'static str {
        match self {
            Refusal::Envelope(EnvelopeError::TooLarge(_)) => "too large",
            Refusal::Envelope(EnvelopeError::Format) => "not a message with games",
            Refusal::UnknownWorker => "unknown worker",
            Refusal::Revoked => "revoked",
            Refusal::Signature => "wrong signature",
            Refusal::Late => "late",
            Refusal::OtherPlan => "other plan",
            Refusal::TooFast => "too fast",
            Refusal::Records(_) => "unreadable",
            Refusal::Count(_) => "number of games",
            Refusal::Twice(_) => "game twice",
            Refusal::Head(_) => "wrong start",
            Refusal::Impossible { .. } => "impossible game",
            Refusal::Uncheckable(_) => "game that cannot be checked",
        }
    }
}

/// The plans whose games arrive.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct KnownPlans {
    pub current: Option<PlanHash>,
    pub previous: Option<PlanHash>,
}

/// The checks that need no knowledge of the game.
pub fn check_sender<'a>(
    bytes: &'a [u8],
    worker: &Name,
    registry: &Registry,
    plans: KnownPlans,
) -> Result<Envelope<'a>, Refusal> {
    let envelope = Envelope::decode(bytes)?;
    let registered = registry.find(worker).ok_or(Refusal::UnknownWorker)?;
    if registered.revoked {
        return Err(Refusal::Revoked);
    }
    let key = KeyPair::from_public_key(&registered.key).map_err(|_| Refusal::Signature)?;
    if !envelope.is_signed_by(&key, &registry.run, worker) {
        return Err(Refusal::Signature);
    }
    if plans.current == Some(envelope.plan) {
        Ok(envelope)
    } else if plans.previous == Some(envelope.plan) {
        Err(Refusal::Late)
    } else {
        Err(Refusal::OtherPlan)
    }
}

/// Games that are what the plan makes of their numbers, as far as the rules can say.
pub fn check_games<P: Position>(bytes: &[u8], plan: &Plan<P>) -> Result<Vec<GameRecord>, Refusal> {
    let records = decode_bounded_record_file(bytes, MESSAGE_LIMITS)?;
    if !(1..=MAX_GAMES).contains(&records.len()) {
        return Err(Refusal::Count(records.len()));
    }
    let mut numbers = BTreeSet::new();
    for record in &records {
        let number = record.number();
        if !numbers.insert(number) {
            return Err(Refusal::Twice(number));
        }
        if record.head() != plan.head(number) {
            return Err(Refusal::Head(number));
        }
    }
    for record in &records {
        verify::<P>(record).map_err(|error| Refusal::Impossible {
            number: record.number(),
            error,
        })?;
    }
    Ok(records)
}
