//! The trainer's side: leases, and the intake of games.

mod checks;
mod hub;
mod intake;
mod intake_log;
mod keeper;
mod link;
mod readers;
mod source;

#[cfg(test)]
pub(crate) use checks::{NEW_SHARE, PROVEN_AFTER, PROVEN_SHARE};
#[cfg(any(test, feature = "testing"))]
pub(crate) use hub::Hub;
#[cfg(feature = "testing")]
pub(crate) use hub::Offer;
pub use source::{FleetOptions, FleetSource};
