use std::io::{Write, stdout};
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Args;
use garuda_fleet::{WorkerKey, WorkerOptions, work};
use garuda_run::{Stop, counted, init_logging};

const EXAMPLES: &str = "\
Examples:
  garuda worker nats://trainer:4222 --key worker-1.nk             play on all cores
  garuda worker nats://trainer:4222 --key node.nk --cores 4 --spool /scratch/spool

`garuda train CONFIG --listen` on the trainer's machine prints the address and makes the first key;
`garuda fleet RUN invite NAME` makes others. Copy the key to the worker's machine.";

/// Play games of self-play for a run on another machine.
///
/// Fetches the network of the moment from the trainer, plays, and sends the games. Needs no libtorch.
/// Ctrl-C sends what is finished and ends; what cannot be sent waits in the spool for the next start.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct WorkerArgs {
    /// Address of the trainer's broker, as in nats://trainer:4222
    #[arg(value_name = "ADDRESS")]
    address: String,
    /// The worker's key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Number of cores to play on [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    cores: Option<u16>,
    /// Directory where games lie until they are sent [default: one among the temporary files]
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
    /// Print one JSON object at the end instead of lines
    #[arg(long)]
    json: bool,
}

impl WorkerArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let log = init_logging(!self.json);
        let cores = match self.cores {
            Some(cores) => cores.into(),
            None => available_parallelism().map_or(1, usize::from),
        };
        let summary = work(WorkerOptions {
            url: self.address,
            key: WorkerKey::read(&self.key)?,
            cores,
            spool: self.spool,
            stop: Stop::on_signals(None)?,
            log: log.clone(),
        })?;
        if self.json {
            writeln!(stdout(), "{}", serde_json::to_string(&summary)?)?;
            return Ok(());
        }
        log.line(&format!(
            "{} played, {} sent, {} kept for the next start",
            counted(summary.games, "game"),
            summary.sent,
            summary.spooled
        ));
        Ok(())
    }
}
