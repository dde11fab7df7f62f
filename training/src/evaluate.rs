use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use garuda_arena::matches::{MatchSettings, play_match};
use garuda_arena::players::{LoadedPlayer, PlayerSource, SearchBudget};
use garuda_arena::ratings::{EloEstimate, Sprt, SprtDecision, ladder_ratings};
use garuda_rules::Position;
use garuda_run::{
    Event, MatchResult, MatchStats, PlayerSpec, ProgressPhase, checkpoint_name, seeds,
};
use tracing::{info, warn};

use super::PhaseEnd;
use super::session::Session;

/// Above this score an anchor is beaten, and a match against it would show nothing.
const BEATEN: f64 = 0.97;

/// The result of a checkpoint's matches.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluation {
    /// Against the predecessor, with the decision of the test.
    pub(super) predecessor: Option<(EloEstimate, SprtDecision)>,
}

/// How the matches of a checkpoint ended.
pub(super) enum EvaluationEnd {
    Complete(Evaluation),
    /// The end of the run came first.
    Interrupted,
}

impl<P: Position, S> Session<P, S> {
    /// Plays the matches of the newest checkpoint that have not been played.
    pub(super) fn evaluate(&mut self) -> anyhow::Result<EvaluationEnd> {
        let checkpoint = self.progress.checkpoint;
        let settings = self.config.evaluation.clone();
        // The untrained network gets its rating from later checkpoints, which play against it.
        let untrained = self.progress.training.is_none() && self.progress.returned_to.is_none();
        if settings.games == 0 || untrained || !checkpoint.is_multiple_of(settings.every) {
            return Ok(EvaluationEnd::Complete(Evaluation::default()));
        }
        let mut evaluation = Evaluation::default();
        let own = checkpoint_name(checkpoint);
        let predecessors = predecessors(checkpoint, settings.every, settings.predecessors);
        for (i, &opponent) in predecessors.iter().enumerate() {
            let name = checkpoint_name(opponent);
            let spec = PlayerSpec::Model(self.run.checkpoint(opponent));
            if self.play_opponent(&name, &spec)? == PhaseEnd::Interrupted {
                return Ok(EvaluationEnd::Interrupted);
            }
            if i == 0 {
                evaluation.predecessor = (self.ladder.matches().iter())
                    .find(|m| m.first == own && m.second == name)
                    .map(|m| {
                        (
                            EloEstimate::from(&m.tally),
                            Sprt::default().decide(&m.tally),
                        )
                    });
            }
        }
        for anchor in &settings.anchors {
            let name = anchor.to_string();
            let beaten = (self.ladder.matches().iter())
                .any(|m| m.second == name && m.first != own && m.tally.score() >= BEATEN);
            if !beaten && self.play_opponent(&name, anchor)? == PhaseEnd::Interrupted {
                return Ok(EvaluationEnd::Interrupted);
            }
        }
        Ok(EvaluationEnd::Complete(evaluation))
    }

    /// Plays a match of the newest checkpoint against `opponent`, unless it has been played or the
    /// opponent does not start.
    fn play_opponent(&mut self, opponent: &str, spec: &PlayerSpec) -> anyhow::Result<PhaseEnd> {
        let settings = &self.config.evaluation;
        let checkpoint = self.progress.checkpoint;
        let own = checkpoint_name(checkpoint);
        let movetime = settings.movetime;
        let simulations = if movetime == 0 {
            settings.simulations
        } else {
            0
        };
        if self.ladder.has(&own, opponent, simulations, movetime) {
            return Ok(PhaseEnd::Complete);
        }
        if self.stop.is_due() {
            return Ok(PhaseEnd::Interrupted);
        }
        let budget = SearchBudget {
            movetime: (movetime > 0).then(|| Duration::from_millis(movetime.into())),
            draw_value: self.config.search.draw_value as f32,
            ..SearchBudget::simulations(settings.simulations)
        };
        let first =
            LoadedPlayer::load(&PlayerSpec::Model(self.run.checkpoint(checkpoint)), &budget)?;
        let second = LoadedPlayer::load(spec, &budget)?;
        let first = PlayerSource::<P>::start(&first)?;
        let second = match (PlayerSource::<P>::start(&second), spec) {
            (Ok(source), _) => source,
            (Err(error), PlayerSpec::Uci(_)) => {
                // An engine may have been removed since the run was started.
                warn!("no match against {opponent}: {error:#}");
                return Ok(PhaseEnd::Complete);
            }
            (Err(error), _) => return Err(error),
        };
        let match_settings = MatchSettings {
            games: settings.games as usize,
            opening_plies: settings.opening_plies,
            start: self.config.start(),
            varied_start_prob: settings.varied_start_prob,
            seed: seeds::derive(self.config.run.seed, "evaluation", &[checkpoint.into()]),
            threads: self.machine.cores,
            finished: BTreeSet::new(),
        };
        let phase = self.log.phase("evaluation", u64::from(settings.games));
        let phase: Mutex<ProgressPhase> = Mutex::new(phase);
        let outcome = self.stop.watch(|due| {
            play_match(
                &|| first.player(),
                &|| second.player(),
                &match_settings,
                due,
                &|tally, _| {
                    if let Ok(mut phase) = phase.lock() {
                        let score = tally.score() * 100.0;
                        phase.set(tally.games(), || {
                            format!("{own} – {opponent}: {score:.0} %")
                        });
                    }
                    Ok(())
                },
            )
        })?;
        drop(phase);
        if outcome.games < u64::from(settings.games) {
            return Ok(PhaseEnd::Interrupted);
        }
        for lost in &outcome.forfeits {
            let loser = [own.as_str(), opponent][lost.loser];
            warn!("game {}: {loser} forfeits by {}", lost.game, lost.forfeit);
        }
        let result = MatchResult {
            first: own.clone(),
            second: opponent.to_owned(),
            simulations,
            movetime,
            tally: outcome.tally,
            distinct_games: outcome.distinct_games,
            ends: outcome.ends,
        };
        let (score, estimate) = (result.tally.score(), EloEstimate::from(&result.tally));
        self.ladder.add(result);
        let ratings = ladder_ratings(&self.ladder);
        self.ladder.write(&self.run.ladder(), &ratings)?;
        let rating = ratings
            .into_iter()
            .find(|rating| rating.player == own)
            .map_or((0.0, 0.0), |rating| (rating.elo, rating.error));
        info!(
            "{own} – {opponent}: {:.1} %, Elo {:+.0} ({:+.0} to {:+.0})",
            score * 100.0,
            estimate.elo,
            estimate.low,
            estimate.high
        );
        self.metrics.add(Event::Match(MatchStats {
            checkpoint,
            opponent: opponent.to_owned(),
            score,
            elo: estimate.elo,
            elo_low: estimate.low,
            elo_high: estimate.high,
            rating: rating.0,
            rating_error: rating.1,
        }))?;
        Ok(PhaseEnd::Complete)
    }
}

/// Evaluated checkpoints before this one: the last, and others further and further back.
fn predecessors(checkpoint: u32, every: u32, count: u32) -> Vec<u32> {
    let steps = checkpoint / every;
    let mut out: Vec<u32> = (0..count)
        .map(|i| 4u32.saturating_pow(i))
        .map_while(|back| (steps > 0).then(|| steps.saturating_sub(back) * every))
        .collect();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predecessors_are_near_and_far() {
        assert!(predecessors(0, 1, 3).is_empty());
        assert_eq!(predecessors(1, 1, 3), [0]);
        assert_eq!(predecessors(3, 1, 3), [2, 0]);
        assert_eq!(predecessors(40, 1, 3), [39, 36, 24]);
        assert_eq!(predecessors(40, 4, 2), [36, 24]);
    }
}
