use std::io::{BufWriter, stdout};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use garuda_run::records::ScanProgress;
use garuda_run::{Log, RunDir, counted, init_logging, shown_path};
use garuda_serve::export::{Exported, TextFormat, export_text, write_whole};

use super::scan_progress::scan_progress;

const EXAMPLES: &str = "\
Examples:
  garuda export-games runs/tori --format parquet      games.parquet and decisions.parquet in the run
  garuda export-games runs/tori --format pgn --output tori.pgn
  garuda export-games runs/tori --format jsonl --output - | head -n 1";

/// Write the games of a run for other programs.
///
/// jsonl has everything that is recorded, one game per line; pgn has tags and moves; parquet is two
/// tables, games and decisions, for pandas, polars and DuckDB.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ExportGamesArgs {
    /// The directory of a run
    run: PathBuf,
    #[arg(long, value_enum)]
    format: GamesFormat,
    /// File to write, - for standard output; for parquet a directory [default: in the run]
    #[arg(long, value_name = "PATH")]
    output: Option<PathBuf>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum GamesFormat {
    Parquet,
    Jsonl,
    Pgn,
}

impl ExportGamesArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let to_stdout = self.output.as_deref() == Some(Path::new("-"));
        let log = init_logging(!to_stdout);
        let run = RunDir::open(&self.run)?;
        let progress = scan_progress(&log);
        let (format, name) = match self.format {
            GamesFormat::Parquet => return self.parquet(&run, &log, progress),
            GamesFormat::Jsonl => (TextFormat::Jsonl, "games.jsonl"),
            GamesFormat::Pgn => (TextFormat::Pgn, "games.pgn"),
        };
        if to_stdout {
            let mut out = BufWriter::new(stdout().lock());
            return export_text(&run, format, &mut out, progress).map(|_| ());
        }
        let path = self.output.unwrap_or_else(|| run.path().join(name));
        let exported = write_whole(&path, |out| export_text(&run, format, out, progress))?;
        report(&log, &exported, &path);
        Ok(())
    }

    fn parquet(
        &self,
        run: &RunDir,
        log: &Log,
        progress: impl FnMut(ScanProgress),
    ) -> anyhow::Result<()> {
        let directory = self.output.as_deref().unwrap_or(run.path());
        if directory == Path::new("-") {
            bail!("Parquet is two files: --output must be a directory, not standard output");
        }
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
        let exported = export_parquet(run, directory, progress)?;
        report(log, &exported, directory);
        Ok(())
    }
}

#[cfg(feature = "parquet")]
use garuda_serve::export::export_parquet;

#[cfg(not(feature = "parquet"))]
fn export_parquet(_: &RunDir, _: &Path, _: impl FnMut(ScanProgress)) -> anyhow::Result<Exported> {
    bail!("this program was built without Parquet; build it with --features parquet")
}

fn report(log: &Log, exported: &Exported, path: &Path) {
    let games = counted(exported.games, "game");
    let decisions = counted(exported.decisions, "decision");
    log.line(&format!("{games} with {decisions}: {}", shown_path(path)));
}
