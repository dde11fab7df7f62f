use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;
use garuda_arena::ratings::ladder_ratings;
use garuda_run::{Event, Ladder, Metrics, RunDir, checkpoint_name, init_logging};
use serde_json::json;

/// Show how far a run has come, whether or not it is being trained.
#[derive(Args, Debug)]
pub(crate) struct Status {
    /// The run's directory
    run: PathBuf,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        init_logging(!self.json);
        let mut out = stdout().lock();
        let run = RunDir::open(&self.run)?;
        let events = Metrics::read(&run.metrics())?;
        let ratings = ladder_ratings(&Ladder::read(&run.ladder())?);
        let newest = run.checkpoint_numbers()?.last().copied();
        let selfplay = events.iter().rev().find_map(|event| match event {
            Event::Selfplay(stats) => Some(stats),
            _ => None,
        });
        let training = events.iter().rev().find_map(|event| match event {
            Event::Training(stats) => Some(stats),
            _ => None,
        });
        let warnings: Vec<_> = (events.iter())
            .filter_map(|event| match event {
                Event::Warning { checkpoint, what } if Some(*checkpoint) == newest => Some(what),
                _ => None,
            })
            .collect();
        let rating = (ratings.iter())
            .filter(|rating| rating.player.parse::<u32>().is_ok())
            .max_by(|a, b| a.player.cmp(&b.player));
        if self.json {
            let object = json!({
                "rules": run.config().game.rules.name(),
                "training": run.is_locked(),
                "checkpoint": newest,
                "selfplay": selfplay,
                "learned": training,
                "rating": rating,
                "warnings": warnings,
                "bytes": run.size(),
            });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        let state = if run.is_locked() {
            "is being trained"
        } else {
            "idle"
        };
        let path = self.run.display();
        writeln!(
            out,
            "{path}: {}, {state}, {} MiB",
            run.config().game.rules,
            run.size() >> 20
        )?;
        if let Some(checkpoint) = newest {
            writeln!(out, "newest checkpoint   {}", checkpoint_name(checkpoint))?;
        }
        if let Some(stats) = selfplay {
            writeln!(
                out,
                "last games          {} of {:.0} plies: {:.0} % White, {:.0} % drawn, {:.0} % Black; {} positions in all",
                stats.games,
                stats.mean_plies,
                stats.white * 100.0,
                stats.draws * 100.0,
                stats.black * 100.0,
                stats.total_positions
            )?;
        }
        if let Some(stats) = training {
            writeln!(
                out,
                "last training       step {}, policy {:.3}, value {:.3}",
                stats.steps, stats.losses.policy, stats.losses.value
            )?;
        }
        if let Some(rating) = rating {
            writeln!(
                out,
                "rating              {:.0} ± {:.0} (checkpoint {})",
                rating.elo, rating.error, rating.player
            )?;
        }
        for warning in warnings {
            writeln!(out, "warning             {warning}")?;
        }
        Ok(())
    }
}
