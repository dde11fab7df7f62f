//! Training on the games of other machines.

use anyhow::Context;
use garuda_cli::TrainArgs;
use garuda_fleet::{BrokerAddress, FleetOptions, FleetSource};
use garuda_training::{Summary, TrainOptions, shards, train_with};

pub(crate) fn train_with_workers(
    options: TrainOptions,
    args: &TrainArgs,
) -> anyhow::Result<Summary> {
    let broker = match &args.nats {
        Some(url) => BrokerAddress::Outside {
            url: url.clone(),
            authority: args.ca.clone(),
        },
        None => BrokerAddress::Listen(args.listen.context("there is no address to listen on")?),
    };
    let shards = match args.workers_only {
        true => 0,
        false => shards(&options.config),
    };
    let fleet = FleetOptions {
        broker,
        shards,
        log: options.log.clone(),
    };
    train_with(options, FleetSource::new(fleet))
}
