//! `garuda-engine`: UCI and USI on standard input and output.

use std::io;
use std::time::Duration;

use clap::Parser;
use garuda_engine::{Arguments, EngineCommand};

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        None => Ok(garuda_engine::run(io::stdin().lock(), io::stdout())?),
        Some(EngineCommand::Bench {
            model,
            threads,
            seconds,
        }) => {
            let time = Duration::try_from_secs_f64(seconds)?;
            garuda_engine::bench(model.as_deref(), threads, time, &mut io::stdout())
        }
    }
}
