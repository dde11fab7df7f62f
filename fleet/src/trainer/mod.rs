//! The trainer's side: leases, and the intake of games.

mod hub;
mod link;
mod source;

#[cfg(test)]
pub(crate) use hub::Hub;
pub use source::{FleetOptions, FleetSource};
