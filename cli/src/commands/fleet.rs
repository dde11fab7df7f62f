use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use garuda_fleet::{Name, invite, list, revoke};
use garuda_run::shown_path;

const EXAMPLES: &str = "\
Examples:
  garuda fleet runs/tori list             who may send games
  garuda fleet runs/tori invite node-2    make a key, runs/tori/broker/keys/node-2.nk
  garuda fleet runs/tori revoke node-2    accept nothing from node-2 any more";

/// Decide which machines may play games for a run.
///
/// Changes take effect within seconds, also while the run is being trained with --listen.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct FleetArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: PathBuf,
    #[command(subcommand)]
    command: FleetCommands,
}

#[derive(Subcommand, Debug)]
enum FleetCommands {
    /// Show the workers that were invited
    List {
        /// Print one JSON object instead of text
        #[arg(long)]
        json: bool,
    },
    /// Make a key for a worker
    Invite {
        /// Name of the worker: letters, digits, '-' and '_'
        #[arg(value_name = "NAME")]
        worker: Name,
    },
    /// Accept nothing from a worker any more
    Revoke {
        /// Name of the worker
        #[arg(value_name = "NAME")]
        worker: Name,
    },
}

impl FleetArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut out = stdout();
        match self.command {
            FleetCommands::List { json } => {
                let registry = list(&self.run)?;
                if json {
                    writeln!(out, "{}", serde_json::to_string(&registry)?)?;
                    return Ok(());
                }
                for worker in &registry.workers {
                    let state = if worker.revoked { "revoked" } else { "invited" };
                    writeln!(out, "{:<40} {state}  {}", worker.name, worker.key)?;
                }
            }
            FleetCommands::Invite { worker } => {
                let key = shown_path(&invite(&self.run, &worker)?);
                writeln!(
                    out,
                    "{key}\nCopy it to the worker's machine and keep it secret."
                )?;
            }
            FleetCommands::Revoke { worker } => {
                revoke(&self.run, &worker)?;
                writeln!(out, "{worker} is revoked.")?;
            }
        }
        Ok(())
    }
}
