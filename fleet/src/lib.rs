//! Self-play on other machines: workers fetch plans and networks from the trainer and send finished
//! games to it, through NATS JetStream.
//!
//! The broker is not trusted with data. A game is a function of its plan and number, so that whatever
//! is lost on the way is a number that is played again.

mod accept;
mod broker;
mod envelope;
mod keys;
mod leases;
mod names;
mod plan;
mod protocol;
mod registry;
#[cfg(feature = "testing")]
pub mod testing;
mod tls;
mod trainer;
mod versions;
mod worker;

#[cfg(test)]
mod tests;

pub use accept::{KnownPlans, Refusal, check_games, check_sender};
pub use broker::BrokerAddress;
pub use envelope::{Envelope, EnvelopeError, seal};
pub use keys::WorkerKey;
pub use names::{Name, NameError};
pub use plan::PlanHash;
pub use registry::{RegisteredWorker, Registry, invite, list, revoke};
pub use trainer::{FleetOptions, FleetSource};
pub use worker::{WorkerOptions, WorkerSummary, work};
