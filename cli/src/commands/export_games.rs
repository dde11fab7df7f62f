use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::serve;

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
    pub(crate) run: PathBuf,
    #[arg(long, value_enum)]
    pub(crate) format: GamesFormat,
    /// File to write, - for standard output; for parquet a directory [default: in the run]
    #[arg(long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum GamesFormat {
    Parquet,
    Jsonl,
    Pgn,
}

impl ExportGamesArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        serve::export_games(self)
    }
}
