use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;
use garuda_selfplay::run::{Event, Ladder, Metrics, RunDir, checkpoint_name};
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
        let mut out = stdout().lock();
        let run = RunDir::open(&self.run)?;
        let events = Metrics::read(&run.metrics())?;
        let ratings = Ladder::read(&run.ladder())?.ratings();
        let checkpoint = run.checkpoint_numbers()?.last().copied();
        let selfplay = events.iter().rev().find_map(|event| match event {
            Event::Selfplay(figures) => Some(figures),
            _ => None,
        });
        let training = events.iter().rev().find_map(|event| match event {
            Event::Training(figures) => Some(figures),
            _ => None,
        });
        let alarms: Vec<_> = (events.iter())
            .filter_map(|event| match event {
                Event::Alarm { net, what } if Some(*net) == checkpoint => Some(what),
                _ => None,
            })
            .collect();
        let rating = (ratings.iter())
            .filter(|rating| rating.player.parse::<u32>().is_ok())
            .max_by(|a, b| a.player.cmp(&b.player));
        if self.json {
            let object = json!({
                "rules": run.config().rule_set().name(),
                "training": run.is_locked(),
                "checkpoint": checkpoint,
                "selfplay": selfplay,
                "learned": training,
                "rating": rating,
                "alarms": alarms,
                "bytes": run.size(),
            });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        let state = if run.is_locked() {
            "is being trained"
        } else {
            "rests"
        };
        let path = self.run.display();
        writeln!(
            out,
            "{path}: {}, {state}, {} MiB",
            run.config().rule_set(),
            run.size() >> 20
        )?;
        if let Some(checkpoint) = checkpoint {
            writeln!(out, "newest checkpoint   {}", checkpoint_name(checkpoint))?;
        }
        if let Some(figures) = selfplay {
            writeln!(
                out,
                "last games          {} of {:.0} plies: {:.0} % White, {:.0} % drawn, {:.0} % Black; {} positions in all",
                figures.games,
                figures.mean_plies,
                figures.white * 100.0,
                figures.draws * 100.0,
                figures.black * 100.0,
                figures.total_positions
            )?;
        }
        if let Some(figures) = training {
            writeln!(
                out,
                "last training       step {}, policy {:.3}, value {:.3}",
                figures.steps, figures.losses.policy, figures.losses.value
            )?;
        }
        if let Some(rating) = rating {
            writeln!(
                out,
                "rating              {:.0} ± {:.0} (checkpoint {})",
                rating.elo, rating.error, rating.player
            )?;
        }
        for alarm in alarms {
            writeln!(out, "alarm               {alarm}")?;
        }
        Ok(())
    }
}
