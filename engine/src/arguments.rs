use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// A UCI and USI engine for Makruk, Sittuyin, Tori Shogi and Eternal chess.
///
/// Without a command it reads UCI or USI commands from standard input.
#[derive(Parser, Debug)]
#[command(name = "garuda-engine", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<EngineCommand>,
}

#[derive(Subcommand, Debug)]
pub enum EngineCommand {
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
