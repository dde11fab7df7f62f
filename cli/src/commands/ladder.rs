use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;
use garuda_arena::ratings::ladder_ratings;
use garuda_run::{Ladder, RunDir, init_logging, one_line, shown_path};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  garuda ladder runs/tori
  garuda ladder runs/tori --json | jq '.ratings[0]'";

/// Show the ratings of a run's checkpoints and of the players they were compared with.
///
/// Ratings are in Elo, with `random` at 0, computed from all matches of the run by the Bradley–Terry
/// model. ± is half the width of the 95 % interval.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct LadderArgs {
    /// The directory of a run
    run: PathBuf,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl LadderArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        init_logging(!self.json);
        let mut out = stdout().lock();
        let run = RunDir::open(&self.run)?;
        let ladder = Ladder::read(&run.ladder())?;
        let ratings = ladder_ratings(&ladder);
        if self.json {
            let object = json!({ "ratings": ratings, "matches": ladder.matches() });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        if ratings.is_empty() {
            writeln!(out, "{}: no matches yet", shown_path(&self.run))?;
        } else {
            writeln!(
                out,
                "{:<14} {:>6} {:>6} {:>7} {:>7}",
                "player", "Elo", "±", "games", "score"
            )?;
        }
        for rating in ratings {
            let player = one_line(&rating.player);
            let score = 100.0 * rating.points / rating.games.max(1) as f64;
            writeln!(
                out,
                "{:<14} {:>6.0} {:>6.0} {:>7} {:>6.1}%",
                player, rating.elo, rating.error, rating.games, score
            )?;
        }
        Ok(())
    }
}
