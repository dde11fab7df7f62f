use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::fleet;

const EXAMPLES: &str = "\
Examples:
  garuda fleet runs/tori list             who may send games, and who did
  garuda fleet runs/tori invite node-2    make a key, runs/tori/broker/keys/node-2.nk
  garuda fleet runs/tori revoke node-2    accept nothing from node-2 any more, and withdraw its newest games";

/// Decide which machines may play games for a run.
///
/// Changes take effect within seconds, also while the run is being trained with --listen.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct FleetArgs {
    /// The run
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    #[command(subcommand)]
    pub(crate) command: FleetCommands,
}

#[derive(Subcommand, Debug)]
pub(crate) enum FleetCommands {
    /// Show the workers that were invited, and how they are doing
    List {
        /// Print one JSON object instead of text
        #[arg(long)]
        json: bool,
    },
    /// Make a key for a worker
    Invite {
        /// Name of the worker: letters, digits, '-' and '_'
        #[arg(value_name = "NAME")]
        worker: String,
    },
    /// Accept nothing from a worker any more, and withdraw its games that were not learned from
    Revoke {
        /// Name of the worker
        #[arg(value_name = "NAME")]
        worker: String,
    },
}

impl FleetArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        fleet::manage(self)
    }
}
