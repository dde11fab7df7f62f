//! The `garuda` command.

mod bench;
mod commands;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use garuda_run::config::ConfigError;

fn main() -> ExitCode {
    match commands::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough, as in `garuda perft … | head`.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed, or a file on a full disk.
            let _ = writeln!(io::stderr(), "garuda: {error:#}");
            match error.downcast_ref::<ConfigError>() {
                Some(_) => ExitCode::from(2),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
