//! The page, and the games of a run for other programs.

use std::io::{BufWriter, Write, stdout};
use std::path::Path;

use anyhow::{Context, bail};
use garuda_model::SHIPPED;
use garuda_run::records::ScanProgress;
use garuda_run::{Log, RunDir, counted, init_logging, shown_path};
use garuda_serve::export::{Exported, TextFormat, export_text, write_whole};
use garuda_serve::{ServeOptions, ShippedNetwork};

use crate::commands::{ExportGamesArgs, GamesFormat, ServeArgs, scan_progress};

pub(crate) fn serve(args: ServeArgs) -> anyhow::Result<()> {
    init_logging(true);
    let options = ServeOptions {
        sources: args.sources,
        shipped: (SHIPPED.iter())
            .map(|&(rules, bytes)| ShippedNetwork { rules, bytes })
            .collect(),
        bind: args.bind,
        port: args.port,
        token: args.token,
        hosts: args.allow_host,
        open: args.open,
    };
    garuda_serve::serve(options, |address| {
        // A closed standard output does not keep the page from working.
        let _ = writeln!(stdout(), "{address}\nCtrl-C ends the program.");
    })
}

pub(crate) fn export_games(args: ExportGamesArgs) -> anyhow::Result<()> {
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    let log = init_logging(!to_stdout);
    let run = RunDir::open(&args.run)?;
    let progress = scan_progress(&log);
    let (format, name) = match args.format {
        GamesFormat::Parquet => return parquet(&args, &run, &log, progress),
        GamesFormat::Jsonl => (TextFormat::Jsonl, "games.jsonl"),
        GamesFormat::Pgn => (TextFormat::Pgn, "games.pgn"),
    };
    if to_stdout {
        let mut out = BufWriter::new(stdout().lock());
        return export_text(&run, format, &mut out, progress).map(|_| ());
    }
    let path = args.output.unwrap_or_else(|| run.path().join(name));
    let exported = write_whole(&path, |out| export_text(&run, format, out, progress))?;
    report(&log, &exported, &path);
    Ok(())
}

fn parquet(
    args: &ExportGamesArgs,
    run: &RunDir,
    log: &Log,
    progress: impl FnMut(ScanProgress),
) -> anyhow::Result<()> {
    let directory = args.output.as_deref().unwrap_or(run.path());
    if directory == Path::new("-") {
        bail!("Parquet is two files: --output must be a directory, not standard output");
    }
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let exported = export_parquet(run, directory, progress)?;
    report(log, &exported, directory);
    Ok(())
}

#[cfg(feature = "parquet")]
use garuda_serve::export::export_parquet;

#[cfg(not(feature = "parquet"))]
fn export_parquet(_: &RunDir, _: &Path, _: impl FnMut(ScanProgress)) -> anyhow::Result<Exported> {
    Err(crate::features::lacks(
        "export-games --format parquet",
        "parquet",
    ))
}

fn report(log: &Log, exported: &Exported, path: &Path) {
    let games = counted(exported.games, "game");
    let decisions = counted(exported.decisions, "decision");
    log.line(&format!("{games} with {decisions}: {}", shown_path(path)));
}
