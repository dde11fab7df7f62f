use std::io::{Write, stdout};
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;

use anyhow::{bail, ensure};
use clap::Args;
use garuda_model::Encode;
use garuda_rules::{RuleSet, with_rule_set};
use garuda_selfplay::matches::{MatchOutcome, MatchSettings, play_match};
use garuda_selfplay::players::{PlayerSpec, Seat};
use garuda_selfplay::ratings::{Sprt, Verdict};
use garuda_selfplay::train::Stop;
use serde_json::json;

/// Let two players play each other.
///
/// A player is a run (its newest checkpoint plays), a checkpoint, a .onnx file, `random`,
/// `material` (looks one move ahead) or `material:<nodes>`. Games come in pairs from the same
/// random opening with sides exchanged.
#[derive(Args, Debug)]
pub(crate) struct Match {
    /// The player whose score is told
    #[arg(value_name = "A")]
    first: PlayerSpec,
    #[arg(value_name = "B")]
    second: PlayerSpec,
    /// Games, an even number
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Simulations a move of networks
    #[arg(long, default_value_t = 64)]
    simulations: u32,
    /// Simulations a move of A, if not the same
    #[arg(long)]
    simulations_a: Option<u32>,
    /// Simulations a move of B, if not the same
    #[arg(long)]
    simulations_b: Option<u32>,
    /// Random plies of an opening
    #[arg(long, default_value_t = 4)]
    opening_plies: u32,
    /// The game, where neither player tells
    #[arg(long)]
    game: Option<RuleSet>,
    /// Text form of the position the openings start from
    #[arg(long)]
    start: Option<String>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time [default: as many as cores]
    #[arg(long)]
    threads: Option<usize>,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl Match {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        ensure!(
            self.games > 0 && self.games.is_multiple_of(2),
            "--games must be even, for games are played in pairs, not {}",
            self.games
        );
        let first = self
            .first
            .seat(self.simulations_a.unwrap_or(self.simulations))?;
        let second = self
            .second
            .seat(self.simulations_b.unwrap_or(self.simulations))?;
        let rule_set = match (first.rule_set(), second.rule_set(), self.game) {
            (Some(a), Some(b), _) if a != b => {
                bail!("{} plays {a}, {} {b}", self.first, self.second)
            }
            (a, b, wanted) => match (a.or(b), wanted) {
                (Some(found), Some(wanted)) if found != wanted => {
                    bail!("the players play {found}, not {wanted}")
                }
                (found, wanted) => found.or(wanted),
            },
        };
        let Some(rule_set) = rule_set else {
            bail!(
                "--game must say what {} and {} are to play",
                self.first,
                self.second
            );
        };
        let outcome = with_rule_set!(rule_set, P => self.play::<P>(&first, &second))?;
        self.print(&outcome)
    }

    fn play<P: Encode>(&self, first: &Seat, second: &Seat) -> anyhow::Result<MatchOutcome> {
        let settings = MatchSettings {
            games: self.games,
            opening_plies: self.opening_plies,
            start: match &self.start {
                Some(text) => text.parse::<P>()?,
                None => P::start(),
            },
            seed: self.seed,
            threads: self
                .threads
                .unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
        };
        Stop::on_signals(None)?.watch(|stop: &AtomicBool| {
            play_match(
                &|| first.player::<P>(),
                &|| second.player::<P>(),
                &settings,
                stop,
                &|_| (),
            )
        })
    }

    fn print(&self, outcome: &MatchOutcome) -> anyhow::Result<()> {
        let mut out = stdout().lock();
        let tally = &outcome.tally;
        let estimate = tally.estimate();
        if self.json {
            let object = json!({
                "games": outcome.games,
                "wins": tally.wins,
                "draws": tally.draws,
                "losses": tally.losses,
                "score": tally.score(),
                "elo": estimate.elo,
                "elo_low": estimate.low,
                "elo_high": estimate.high,
                "pentanomial": tally.pentanomial,
                "distinct_games": outcome.distinct_games,
                "ends": outcome.ends,
            });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{} – {}: {} games, {} distinct: {} won, {} drawn, {} lost, {:.1} %",
            self.first,
            self.second,
            outcome.games,
            outcome.distinct_games,
            tally.wins,
            tally.draws,
            tally.losses,
            tally.score() * 100.0
        )?;
        let test = Sprt {
            elo0: 0.0,
            elo1: 30.0,
            error: 0.05,
        };
        let verdict = match test.verdict(tally) {
            Verdict::Stronger => "A is stronger",
            Verdict::NotStronger => "A is not stronger",
            Verdict::Open => "too close to tell",
        };
        writeln!(
            out,
            "Elo {:+.0}, with 95 % between {:+.0} and {:+.0}; {verdict}",
            estimate.elo, estimate.low, estimate.high
        )?;
        writeln!(
            out,
            "pairs with 0, ½, 1, 1½, 2 points: {:?}",
            tally.pentanomial
        )?;
        for (reason, games) in &outcome.ends {
            writeln!(out, "  {games:>6} by {reason}")?;
        }
        Ok(())
    }
}
