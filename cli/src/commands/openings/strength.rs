//! How strong the network is whose games are shown.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{anyhow, ensure};
use clap::Args;
use garuda_arena::matches::{MatchSettings, play_match};
use garuda_arena::players::{LoadedPlayer, PlayerSource, SearchBudget};
use garuda_arena::ratings::ladder_ratings;
use garuda_rules::Position;
use garuda_run::{Ladder, MatchResult, PlayerSpec, checkpoint_name, write_atomically};
use garuda_selfplay::experiment::{ExperimentDir, PlayOptions};
use garuda_study::experiment::{NetworkStrength, OpponentScore};

use super::Given;

const OPPONENT: &str = "alphabeta";
const FILE: &str = "strength.json";
const OPENING_PLIES: u32 = 4;

#[derive(Args, Debug)]
pub(super) struct StrengthArgs {
    /// Score against `alphabeta` below which the network is too weak to say what is good
    #[arg(long, value_name = "SCORE", default_value_t = 0.75, requires = "games")]
    required_score: f64,
    /// Games against `alphabeta` that are played where the run's ladder has none, even; 0 for none
    #[arg(long, value_name = "N", default_value_t = 40, requires = "games")]
    strength_games: usize,
}

impl StrengthArgs {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            (0.0..=1.0).contains(&self.required_score),
            "--required-score must be from 0 to 1, not {}",
            self.required_score
        );
        ensure!(
            self.strength_games.is_multiple_of(2),
            "--strength-games must be even, as games are played in pairs, not {}",
            self.strength_games
        );
        Ok(())
    }

    /// What the run's ladder says about the network, and a match against `alphabeta` if it has none.
    /// `None` if that was interrupted or is not wanted.
    pub(super) fn measure<P: Position>(
        &self,
        given: &Given,
        dir: &ExperimentDir<P>,
        options: &PlayOptions<'_>,
    ) -> anyhow::Result<Option<NetworkStrength>> {
        let mut strength = NetworkStrength {
            required_score: self.required_score,
            ..NetworkStrength::default()
        };
        if let (Some(run), Some(number)) = (&given.run, given.source.checkpoint) {
            let ladder = Ladder::read(&run.ladder())?;
            add_ladder(&mut strength, &ladder, &checkpoint_name(number));
        }
        if strength.alphabeta().is_none() && self.strength_games > 0 {
            let file = dir.path().join(FILE);
            let found = match read(&file, self.strength_games) {
                Some(found) => Some(found),
                None => play(self.strength_games, given, dir, options)?,
            };
            let Some(found) = found else {
                return Ok(None);
            };
            write_atomically(&file, &serde_json::to_vec_pretty(&found)?)?;
            strength.opponents.push(found);
        }
        let is_known = strength.rating.is_some() || !strength.opponents.is_empty();
        Ok(is_known.then_some(strength))
    }
}

/// The rating of a checkpoint, and its matches against `alphabeta` and engines.
fn add_ladder(strength: &mut NetworkStrength, ladder: &Ladder, name: &str) {
    let ratings = ladder_ratings(ladder);
    let rating = ratings.iter().find(|rating| rating.player == name);
    strength.rating = rating.map(|rating| [rating.elo, rating.error]);
    let is_fixed =
        |m: &&MatchResult| m.second.starts_with(OPPONENT) || m.second.starts_with("uci:");
    let matches = ladder.matches().iter().filter(|m| m.first == name);
    strength.opponents = (matches.filter(is_fixed))
        .map(|m| OpponentScore {
            opponent: m.second.clone(),
            games: m.tally.games(),
            score: m.tally.score(),
        })
        .collect();
}

/// An earlier match of the same number of games.
fn read(path: &Path, games: usize) -> Option<OpponentScore> {
    let found: OpponentScore = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (found.games == games as u64).then_some(found)
}

fn play<P: Position>(
    games: usize,
    given: &Given,
    dir: &ExperimentDir<P>,
    options: &PlayOptions<'_>,
) -> anyhow::Result<Option<OpponentScore>> {
    let terms = dir.terms();
    let budget = SearchBudget::simulations(terms.simulations);
    let first = LoadedPlayer::load(&PlayerSpec::Model(given.path.clone()), &budget)?;
    let second = LoadedPlayer::load(&PlayerSpec::AlphaBeta(None), &budget)?;
    let first = PlayerSource::<P>::start(&first)?;
    let second = PlayerSource::<P>::start(&second)?;
    let settings = MatchSettings {
        games,
        opening_plies: OPENING_PLIES,
        start: P::start(),
        varied_start_prob: 0.0,
        seed: terms.seed,
        threads: options.shards,
        finished: BTreeSet::new(),
    };
    let phase = Mutex::new(options.log.phase("strength", games as u64));
    let outcome = options.stop.watch(|due| {
        play_match(
            &|| first.player(),
            &|| second.player(),
            &settings,
            due,
            &|tally, _| {
                let mut phase = phase.lock().map_err(|_| anyhow!("a thread panicked"))?;
                let score = 100.0 * tally.score();
                phase.set(tally.games(), || format!("{score:.1} % against {OPPONENT}"));
                Ok(())
            },
        )
    })?;
    let is_complete = outcome.games == games as u64;
    Ok(is_complete.then(|| OpponentScore {
        opponent: OPPONENT.to_owned(),
        games: outcome.games,
        score: outcome.tally.score(),
    }))
}
