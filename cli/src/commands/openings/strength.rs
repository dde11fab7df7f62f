//! How strong the network is whose games are shown.

use std::collections::BTreeSet;
use std::fs;
use std::iter;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{anyhow, ensure};
use clap::Args;
use garuda_arena::matches::{MatchSettings, play_match};
use garuda_arena::players::{LoadedPlayer, PlayerSource, SearchBudget};
use garuda_arena::ratings::ladder_ratings;
use garuda_rules::Position;
use garuda_run::{Ladder, MatchResult, PlayerSpec, checkpoint_name, printable, write_atomically};
use garuda_selfplay::experiment::{ExperimentDir, PlayOptions};
use garuda_study::experiment::{NetworkStrength, OpponentScore};

use super::Given;
use crate::commands::player_args::player;

/// The opponent that a network must beat to be asked at all.
const YARDSTICK: PlayerSpec = PlayerSpec::AlphaBeta(None);
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
    /// Other opponents to play as many games against, such as 'uci:fairy-stockfish?nodes=10000'
    ///
    /// The report then says how strong the network is beside them.
    #[arg(long, value_name = "PLAYER", num_args = 1.., requires = "games", value_parser = player())]
    strength_against: Vec<PlayerSpec>,
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
        ensure!(
            self.strength_games > 0 || self.strength_against.is_empty(),
            "--strength-against needs --strength-games above 0"
        );
        Ok(())
    }

    /// What the run's ladder says about the network, and matches against `alphabeta`, if it has none,
    /// and the wanted opponents. `None` if that was interrupted or is not wanted.
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
        let file = dir.path().join(FILE);
        let mut played = read(&file, self.strength_games);
        for opponent in iter::once(&YARDSTICK).chain(&self.strength_against) {
            let name = opponent.to_string();
            let is_known = |found: &&OpponentScore| found.opponent == name;
            if self.strength_games == 0 || strength.opponents.iter().any(|found| is_known(&found)) {
                continue;
            }
            if let Some(found) = played.iter().find(is_known) {
                strength.opponents.push(found.clone());
                continue;
            }
            let Some(found) = play(opponent, self.strength_games, given, dir, options)? else {
                return Ok(None);
            };
            played.push(found.clone());
            write_atomically(&file, &serde_json::to_vec_pretty(&played)?)?;
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
        |m: &&MatchResult| m.second.starts_with("alphabeta") || m.second.starts_with("uci:");
    let matches = ladder.matches().iter().filter(|m| m.first == name);
    strength.opponents = (matches.filter(is_fixed))
        .map(|m| OpponentScore {
            opponent: m.second.clone(),
            games: m.tally.games(),
            score: m.tally.score(),
        })
        .collect();
}

/// Earlier matches of the same number of games.
fn read(path: &Path, games: usize) -> Vec<OpponentScore> {
    let text = fs::read(path).unwrap_or_default();
    let mut found: Vec<OpponentScore> = serde_json::from_slice(&text).unwrap_or_default();
    found.retain(|found| found.games == games as u64);
    found
}

fn play<P: Position>(
    opponent: &PlayerSpec,
    games: usize,
    given: &Given,
    dir: &ExperimentDir<P>,
    options: &PlayOptions<'_>,
) -> anyhow::Result<Option<OpponentScore>> {
    let (terms, name) = (dir.terms(), opponent.to_string());
    let budget = SearchBudget::simulations(terms.simulations);
    let first = LoadedPlayer::load(&PlayerSpec::Model(given.path.clone()), &budget)?;
    let second = LoadedPlayer::load(opponent, &budget)?;
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
                phase.set(tally.games(), || {
                    format!("{score:.1} % against {}", printable(&name))
                });
                Ok(())
            },
        )
    })?;
    let is_complete = outcome.games == games as u64;
    Ok(is_complete.then(|| OpponentScore {
        opponent: name.clone(),
        games: outcome.games,
        score: outcome.tally.score(),
    }))
}
