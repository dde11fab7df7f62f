//! `garuda-engine`: UCI and USI on standard input and output.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

/// A UCI and USI engine for Makruk, Sittuyin, Tori Shogi and Eternal chess.
///
/// Without a command it reads UCI or USI commands from standard input.
#[derive(Parser, Debug)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<EngineCommand>,
}

#[derive(Subcommand, Debug)]
enum EngineCommand {
    /// Measure the evaluations per second of the search and of the network alone.
    Bench {
        /// Exported network; without one the material evaluator is measured
        #[arg(long)]
        model: Option<PathBuf>,
        /// Number of threads to measure in addition to one
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// Duration of each measurement in seconds
        #[arg(long, default_value_t = 5.0)]
        seconds: f64,
    },
}

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
