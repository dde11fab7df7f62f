//! The broker: a nats-server that the trainer starts, or one that others run, and its configuration.

mod config;
mod process;
mod run_broker;

pub use run_broker::BrokerAddress;
pub(crate) use run_broker::RunBroker;
