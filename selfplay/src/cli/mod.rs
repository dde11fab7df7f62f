//! The command line: one file for each command.

mod bench;
mod perft;
mod rules;

use clap::{Parser, Subcommand};

/// Teaches itself chess variants: Makruk, Sittuyin, Tori Shogi and Eternal chess.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Bench(bench::Bench),
    Perft(perft::Perft),
    Rules(rules::Rules),
}

impl Cli {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Bench(command) => command.run(),
            Command::Perft(command) => command.run(),
            Command::Rules(command) => command.run(),
        }
    }
}
