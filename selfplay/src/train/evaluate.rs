use std::sync::Mutex;

use garuda_arena::matches::{MatchSettings, play_match};
use garuda_arena::players::{LoadedPlayer, PlayerSource, SearchBudget};
use garuda_arena::ratings::{EloEstimate, Sprt, SprtDecision, ladder_ratings};
use garuda_rules::Position;
use garuda_run::{Event, MatchResult, MatchStats, Phase, PlayerSpec, checkpoint_name, seeds};
use tracing::{info, warn};

use super::session::Session;

/// Above this score an anchor has nothing more to tell.
const BEATEN: f64 = 0.97;

/// What a checkpoint's matches said.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluation {
    /// Against the predecessor, with the test's verdict.
    pub(super) predecessor: Option<(EloEstimate, SprtDecision)>,
}

impl<P: Position> Session<P> {
    /// Plays the matches of the newest checkpoint that have not been played. `None` if the end
    /// of the run came first.
    pub(super) fn evaluate(&mut self) -> anyhow::Result<Option<Evaluation>> {
        let checkpoint = self.progress.checkpoint;
        let settings = self.config.evaluation.clone();
        // The untrained network gets its rating from those that meet it later.
        let untrained = self.progress.training.is_none() && self.progress.returned_to.is_none();
        if settings.games == 0 || untrained || !checkpoint.is_multiple_of(settings.every) {
            return Ok(Some(Evaluation::default()));
        }
        let mut evaluation = Evaluation::default();
        let own = checkpoint_name(checkpoint);
        let predecessors = predecessors(checkpoint, settings.every, settings.predecessors);
        for (i, &opponent) in predecessors.iter().enumerate() {
            let name = checkpoint_name(opponent);
            let spec = PlayerSpec::Model(self.run.checkpoint(opponent));
            if !self.play_opponent(&name, &spec)? {
                return Ok(None);
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
            if !beaten && !self.play_opponent(&name, anchor)? {
                return Ok(None);
            }
        }
        Ok(Some(evaluation))
    }

    /// Plays a match of the newest checkpoint against `opponent`, unless it has been played.
    /// False if the end of the run came first.
    fn play_opponent(&mut self, opponent: &str, spec: &PlayerSpec) -> anyhow::Result<bool> {
        let settings = &self.config.evaluation;
        let checkpoint = self.progress.checkpoint;
        let own = checkpoint_name(checkpoint);
        if self.ladder.has(&own, opponent, settings.simulations) {
            return Ok(true);
        }
        if self.stop.is_due() {
            return Ok(false);
        }
        let budget = SearchBudget {
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
                // A run outlives the programs it was once compared with.
                warn!("no match against {opponent}: {error:#}");
                return Ok(true);
            }
            (Err(error), _) => return Err(error),
        };
        let terms = MatchSettings {
            games: settings.games as usize,
            opening_plies: settings.opening_plies,
            start: self.config.start(),
            varied_start_prob: settings.varied_start_prob,
            seed: seeds::derive(self.config.run.seed, "evaluation", &[checkpoint.into()]),
            threads: self.machine.cores,
        };
        let phase = self.log.phase("evaluation", u64::from(settings.games));
        let phase: Mutex<Phase> = Mutex::new(phase);
        let outcome = self.stop.watch(|due| {
            play_match(
                &|| first.player(),
                &|| second.player(),
                &terms,
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
            return Ok(false);
        }
        for lost in &outcome.forfeits {
            let loser = [own.as_str(), opponent][lost.loser];
            warn!("game {}: {loser} forfeits by {}", lost.game, lost.forfeit);
        }
        let result = MatchResult {
            first: own.clone(),
            second: opponent.to_owned(),
            simulations: settings.simulations,
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
        Ok(true)
    }
}

/// Evaluated checkpoints before `net`: the last one, and ever further back.
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
