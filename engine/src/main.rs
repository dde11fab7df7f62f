//! `garuda-engine`: speaks UCI or USI on standard input and output.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

/// A UCI and USI engine for Makruk, Sittuyin, Tori Shogi and Eternal chess.
///
/// Without a command it speaks with a graphical program: `uci` or `usi` is the first word it
/// hears.
#[derive(Parser, Debug)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Action>,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Measure how much of the network's speed is left when it is searched with.
    Bench {
        /// An exported network; without one pieces are counted
        #[arg(long)]
        model: Option<PathBuf>,
        /// Threads to measure with besides one
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// How long each rate is measured, in all
        #[arg(long, default_value_t = 5.0)]
        seconds: f64,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        None => Ok(garuda_engine::run(io::stdin().lock(), io::stdout())?),
        Some(Action::Bench {
            model,
            threads,
            seconds,
        }) => {
            let time = Duration::try_from_secs_f64(seconds)?;
            garuda_engine::bench(model.as_deref(), threads, time, &mut io::stdout())
        }
    }
}
