use std::path::PathBuf;

use clap::Args;

use crate::fleet;

const EXAMPLES: &str = "\
Examples:
  garuda worker tls://trainer:4222 --key worker-1.nk             play on all cores
  garuda worker tls://trainer:4222 --key node.nk --cores 4 --spool /scratch/spool

`garuda train CONFIG --listen` on the trainer's machine prints the address and makes the first key;
`garuda fleet RUN invite NAME` makes others. Copy the key to the worker's machine.";

/// Play games of self-play for a run on another machine.
///
/// Fetches the network of the moment from the trainer, plays, and sends the games. Needs no libtorch.
/// Ctrl-C sends what is finished and ends; what cannot be sent waits in the spool for the next start.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct WorkerArgs {
    /// Address of the trainer's broker, as in tls://trainer:4222
    #[arg(value_name = "ADDRESS")]
    pub(crate) address: String,
    /// The worker's key
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// Number of cores to play on [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) cores: Option<u16>,
    /// Directory where games lie until they are sent [default: one among the temporary files]
    #[arg(long, value_name = "DIR")]
    pub(crate) spool: Option<PathBuf>,
    /// Print one JSON object at the end instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

impl WorkerArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        fleet::work(self)
    }
}
