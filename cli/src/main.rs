//! The `garuda` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    garuda_cli::run(None)
}
