//! The command line, of `garuda` and of `garuda-train`, its part with libtorch.

mod bench;
mod commands;
mod features;
mod rules_json;
mod torch;
// What only some builds have, and what stands in for it in the others.
#[cfg(feature = "fleet")]
mod fleet;
#[cfg(not(feature = "fleet"))]
#[path = "without_fleet.rs"]
mod fleet;
#[cfg(feature = "serve")]
mod serve;
#[cfg(not(feature = "serve"))]
#[path = "without_serve.rs"]
mod serve;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use garuda_run::config::ConfigError;
use garuda_run::{one_line, printable};

pub use bench::{BenchReport, evaluation_rate};
pub use commands::{KingBucketsArg, NnueArgs, TrainArgs};
pub use features::lacks;
pub use torch::Torch;

/// The whole command line, which the documentation is checked with.
#[must_use]
pub fn command() -> clap::Command {
    commands::Cli::command()
}

/// Runs the command that the program was started with.
#[must_use]
pub fn run(torch: Option<&dyn Torch>) -> ExitCode {
    match commands::Cli::parse().run(torch) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output has seen enough, as in `garuda perft … | head`.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let text = format!("garuda: {error:#}");
            match error.downcast_ref::<ConfigError>() {
                // A line for each problem.
                Some(_) => {
                    print_note(text);
                    ExitCode::from(2)
                }
                // Line breaks could only come from names.
                None => {
                    print_note(one_line(&text));
                    ExitCode::FAILURE
                }
            }
        }
    }
}

/// A line on standard error, which may be closed or a file on a full disk: nothing depends on it.
fn print_note(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", printable(&text.to_string()));
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
