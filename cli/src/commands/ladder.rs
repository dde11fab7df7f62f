use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;
use garuda_arena::ratings::ladder_ratings;
use garuda_run::{Ladder as RunLadder, RunDir, init_logging};
use serde_json::json;

/// Show the ratings of a run's checkpoints, with error bars.
#[derive(Args, Debug)]
pub(crate) struct Ladder {
    /// The run's directory
    run: PathBuf,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl Ladder {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        init_logging(!self.json);
        let mut out = stdout().lock();
        let run = RunDir::open(&self.run)?;
        let ladder = RunLadder::read(&run.ladder())?;
        let ratings = ladder_ratings(&ladder);
        if self.json {
            let object = json!({ "ratings": ratings, "matches": ladder.matches() });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        if ratings.is_empty() {
            writeln!(out, "{} has played no matches yet", self.run.display())?;
        } else {
            writeln!(
                out,
                "{:<14} {:>6} {:>6} {:>7} {:>7}",
                "player", "Elo", "±", "games", "score"
            )?;
        }
        for rating in ratings {
            let score = 100.0 * rating.points / rating.games.max(1) as f64;
            writeln!(
                out,
                "{:<14} {:>6.0} {:>6.0} {:>7} {:>6.1}%",
                rating.player, rating.elo, rating.error, rating.games, score
            )?;
        }
        Ok(())
    }
}
