//! What training prints, and the plots.

use std::path::{Path, PathBuf};

use garuda_arena::ratings::{SprtDecision, ladder_ratings};
use garuda_model::Architecture;
use garuda_rules::Position;
use garuda_run::{BinaryBytes, checkpoint_name, counted, program, shell_path, shown_path};
use garuda_study::charts::write_plots;
use serde::Serialize;
use tracing::info;

use super::Progress;
use super::evaluate::Evaluation;
use super::learn::Learner;
use super::session::Session;

/// What a run has when training ends.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub run: PathBuf,
    pub checkpoint: PathBuf,
    pub checkpoints: u32,
    pub games: u64,
    pub positions: u64,
    pub steps: u64,
    /// Elo of the newest checkpoint in the ladder, 0 being a random player.
    pub rating: Option<f64>,
    pub seconds: f64,
}

impl<P: Position, S> Session<P, S> {
    /// Says whether the run is new or resumed, and from where.
    pub(super) fn log_start(&self, is_new: bool, network: Architecture) {
        let run = shown_path(self.run.path());
        let (games, positions) = self.played;
        self.log.line(&if is_new {
            let rules = P::NAME;
            format!("{run}: starting {rules} with a network of {network}")
        } else {
            format!(
                "{run}: resuming from checkpoint {}: {}, {} so far",
                checkpoint_name(self.progress.checkpoint),
                counted(self.progress.games + games, "game"),
                counted(self.progress.positions + positions, "position"),
            )
        });
    }

    fn rating(&self) -> Option<(f64, f64)> {
        let name = checkpoint_name(self.progress.checkpoint);
        ladder_ratings(&self.ladder)
            .into_iter()
            .find(|rating| rating.player == name)
            .map(|rating| (rating.elo, rating.error))
    }

    /// The permanent line of a checkpoint, and the plots.
    pub(super) fn report(&self, evaluation: &Evaluation) -> anyhow::Result<()> {
        let progress = &self.progress;
        let mut line = format!("checkpoint {}", checkpoint_name(progress.checkpoint));
        if let Some(training) = &progress.training {
            line += &format!(
                " · {} · {} · policy loss {:.3} · value loss {:.3}",
                counted(progress.positions, "position"),
                counted(training.steps, "step"),
                training.losses.policy,
                training.losses.value,
            );
        }
        if let Some((estimate, decision)) = &evaluation.predecessor {
            let word = match decision {
                SprtDecision::Stronger => ", stronger",
                SprtDecision::NotStronger => ", not stronger",
                SprtDecision::Undecided => "",
            };
            line += &format!(
                " · {:+.0} Elo ({:+.0} to {:+.0}{word})",
                estimate.elo, estimate.low, estimate.high
            );
        }
        if let Some((elo, error)) = self.rating() {
            line += &format!(" · rating {elo:.0} ± {error:.0} Elo");
        }
        let minutes = self.started.elapsed().as_secs_f64() / 60.0;
        line += &format!(" · {} · {minutes:.1} min", BinaryBytes(self.run.size()));
        self.log.line(&line);
        if self.config.output.plots {
            write_plots(
                &self.run.plots(),
                &self.metrics.events(),
                &ladder_ratings(&self.ladder),
            )?;
        }
        Ok(())
    }

    pub(super) fn finish(self, learner: &Learner<P>) -> anyhow::Result<Summary> {
        let (games, positions) = self.played;
        let summary = Summary {
            run: self.run.path().to_owned(),
            checkpoint: self.run.checkpoint(self.progress.checkpoint),
            checkpoints: self.progress.checkpoint,
            games: self.progress.games + games,
            positions: self.progress.positions + positions,
            steps: learner.trainer.steps(),
            rating: self.rating().map(|(elo, _)| elo),
            seconds: self.started.elapsed().as_secs_f64(),
        };
        if games > 0 {
            let games = counted(games, "game");
            info!("{games} of the newest checkpoint will count for the next one");
        }
        self.log.line(&format!(
            "{}: {}, {}, {}, {}. Next:\n{}",
            shown_path(&summary.run),
            counted(summary.checkpoints, "checkpoint"),
            counted(summary.games, "game"),
            counted(summary.positions, "position"),
            BinaryBytes(self.run.size()),
            next_commands(&summary.run),
        ));
        Ok(summary)
    }
}

/// The games that a checkpoint counts and the store does not have.
pub(super) fn missing_games(progress: &Progress, found: u64, files: &[String]) -> String {
    let games = progress.games;
    let name = checkpoint_name(progress.checkpoint);
    let missing = games - found;
    let files = match files {
        [] => "no gap in the numbers of the record files shows which".to_owned(),
        files => format!("{} are not there", files.join(", ")),
    };
    format!(
        "{missing} of the {games} games played before checkpoint {name} are missing, and training \
         continues without them: {files}"
    )
}

/// What can be done with a run, as commands for a shell.
fn next_commands(run: &Path) -> String {
    let (garuda, run) = (program(), shell_path(run));
    let commands = [
        (format!("{garuda} train {run}"), "resume training"),
        (format!("{garuda} ladder {run}"), "show the ratings"),
        (
            format!("{garuda} match {run} alphabeta"),
            "play a match against alpha-beta search",
        ),
        (format!("{garuda} play {run}"), "play against it"),
    ];
    let width = commands.iter().map(|(c, _)| c.chars().count()).max();
    let width = width.unwrap_or(0);
    commands
        .map(|(command, purpose)| format!("  {command:<width$}   {purpose}"))
        .join("\n")
}
