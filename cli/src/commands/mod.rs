//! The command line: one file for each command.

mod bench;
mod export;
mod ladder;
mod match_;
mod openings;
mod perft;
mod play;
mod report_output;
mod rules;
mod status;
mod train;
mod values;

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
    Train(train::Train),
    Match(Box<match_::Match>),
    Ladder(ladder::Ladder),
    Openings(openings::Openings),
    Values(values::Values),
    Status(status::Status),
    Export(export::Export),
    Play(play::Play),
    Bench(bench::Bench),
    Perft(perft::Perft),
    Rules(rules::Rules),
}

/// The error of a command that this build cannot run.
#[cfg(not(feature = "torch"))]
fn needs_torch(what: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "{what} needs libtorch, which this build does not have: use scripts/garuda, or build with --features torch"
    )
}

impl Cli {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Train(command) => command.run(),
            Command::Match(command) => command.run(),
            Command::Ladder(command) => command.run(),
            Command::Openings(command) => command.run(),
            Command::Values(command) => command.run(),
            Command::Status(command) => command.run(),
            Command::Export(command) => command.run(),
            Command::Play(command) => command.run(),
            Command::Bench(command) => command.run(),
            Command::Perft(command) => command.run(),
            Command::Rules(command) => command.run(),
        }
    }
}
