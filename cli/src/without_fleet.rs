//! What stands in for `fleet.rs` in a build without the fleet.

use crate::commands::{FleetArgs, WorkerArgs};
use crate::features::lacks;

pub(crate) fn work(_: WorkerArgs) -> anyhow::Result<()> {
    Err(lacks("worker", "fleet"))
}

pub(crate) fn manage(_: FleetArgs) -> anyhow::Result<()> {
    Err(lacks("fleet", "fleet"))
}
