//! What stands in for `fleet.rs` in a build without the fleet.

use garuda_cli::{TrainArgs, lacks};
use garuda_training::{Summary, TrainOptions};

pub(crate) fn train_with_workers(_: TrainOptions, _: &TrainArgs) -> anyhow::Result<Summary> {
    Err(lacks("train --listen or --nats", "fleet"))
}
