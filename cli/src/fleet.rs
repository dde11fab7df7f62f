//! Workers, which play for a run on another machine, and their list.

use std::io::{Write, stdout};
use std::thread::available_parallelism;

use garuda_fleet::{WorkerKey, WorkerOptions, invite, list, revoke};
use garuda_run::{FleetStatus, FleetTrust, RunDir, Stop, counted, init_logging, shown_path};

use crate::commands::{FleetArgs, FleetCommands, WorkerArgs};

pub(crate) fn work(args: WorkerArgs) -> anyhow::Result<()> {
    let log = init_logging(!args.json);
    let cores = match args.cores {
        Some(cores) => cores.into(),
        None => available_parallelism().map_or(1, usize::from),
    };
    let summary = garuda_fleet::work(WorkerOptions {
        url: args.address,
        key: WorkerKey::read(&args.key)?,
        cores,
        spool: args.spool,
        stop: Stop::on_signals(None)?,
        log: log.clone(),
    })?;
    if args.json {
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

pub(crate) fn manage(args: FleetArgs) -> anyhow::Result<()> {
    let mut out = stdout();
    match args.command {
        FleetCommands::List { json } => {
            let registry = list(&args.run)?;
            if json {
                writeln!(out, "{}", serde_json::to_string(&registry)?)?;
                return Ok(());
            }
            let run = RunDir::open(&args.run)?;
            let status = FleetStatus::read(&run.fleet()).ok().flatten();
            let status = status.unwrap_or_default();
            for worker in &registry.workers {
                let name = worker.name.as_str();
                let seen = status.workers.iter().find(|seen| seen.name == name);
                let seen = seen.cloned().unwrap_or_default();
                let trust = match (worker.revoked, seen.trust) {
                    (true, _) => "revoked",
                    (false, FleetTrust::Proven) => "proven",
                    (false, _) => "new",
                };
                let is_here = seen.here && run.is_locked();
                writeln!(
                    out,
                    "{name:<40} {trust:<7}  {:<4}  {} accepted, {} withdrawn, {} passed, {} failed, \
                     {} refused",
                    if is_here { "here" } else { "away" },
                    counted(seen.accepted, "game"),
                    seen.withdrawn,
                    counted(seen.checks_passed, "check"),
                    seen.checks_failed,
                    seen.refused.values().sum::<u64>()
                )?;
            }
        }
        FleetCommands::Invite { worker } => {
            let key = shown_path(&invite(&args.run, &worker.parse()?)?);
            writeln!(
                out,
                "{key}\nCopy it to the worker's machine and keep it secret."
            )?;
        }
        FleetCommands::Revoke { worker } => {
            revoke(&args.run, &worker.parse()?)?;
            writeln!(out, "{worker} is revoked.")?;
        }
    }
    Ok(())
}
