use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;
use garuda_arena::ratings::ladder_ratings;
use garuda_run::{
    Event, Ladder, Metrics, RunDir, checkpoint_name, counted, init_logging, shown_path,
};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  garuda status runs/tori
  garuda status runs/tori --json";

/// Show how far a run is, also while it is being trained.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct StatusArgs {
    /// The directory of a run
    run: PathBuf,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl StatusArgs {
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
                "last_training": training,
                "rating": rating,
                "warnings": warnings,
                "bytes": run.size(),
            });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        let state = if run.is_locked() { "training" } else { "idle" };
        let path = shown_path(&self.run);
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
                "last self-play      {} of {:.0} plies on average: {:.0} % won by White, {:.0} % drawn, {:.0} % won by Black; {} in all",
                counted(stats.games, "game"),
                stats.mean_plies,
                stats.white * 100.0,
                stats.draws * 100.0,
                stats.black * 100.0,
                counted(stats.total_positions, "position")
            )?;
        }
        if let Some(stats) = training {
            writeln!(
                out,
                "last training       step {}, policy loss {:.3}, value loss {:.3}",
                stats.steps, stats.losses.policy, stats.losses.value
            )?;
        }
        if let Some(rating) = rating {
            writeln!(
                out,
                "rating              {:.0} ± {:.0} Elo (checkpoint {})",
                rating.elo, rating.error, rating.player
            )?;
        }
        for warning in warnings {
            writeln!(out, "warning             {warning}")?;
        }
        Ok(())
    }
}
