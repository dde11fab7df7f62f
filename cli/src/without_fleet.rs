//! What stands in for `fleet.rs` in a build without the fleet.

#[cfg(feature = "torch")]
use garuda_selfplay::train::{Summary, TrainOptions};

#[cfg(feature = "torch")]
use crate::commands::TrainArgs;
use crate::commands::{FleetArgs, WorkerArgs};
use crate::features::lacks;

#[cfg(feature = "torch")]
pub(crate) fn train_with_workers(_: TrainOptions, _: &TrainArgs) -> anyhow::Result<Summary> {
    Err(lacks("train --listen", "fleet"))
}

pub(crate) fn work(_: WorkerArgs) -> anyhow::Result<()> {
    Err(lacks("worker", "fleet"))
}

pub(crate) fn manage(_: FleetArgs) -> anyhow::Result<()> {
    Err(lacks("fleet", "fleet"))
}
