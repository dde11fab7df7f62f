//! The broker: a nats-server that the trainer starts, and its configuration.

mod config;
mod process;

pub(crate) use config::broker_config;
pub(crate) use process::{Broker, reachable};
