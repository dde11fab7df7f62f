use std::fs::File;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use clap::Args;
use garuda_arena::matches::{MatchOutcome, MatchSettings, Pgn, play_match};
use garuda_arena::players::{LoadedPlayer, SearchBudget};
use garuda_arena::ratings::{EloEstimate, Sprt, SprtDecision};
use garuda_rules::{Position, RuleSet, with_rule_set};
use garuda_run::{Clock, Limit, PlayerSpec, Stop, init_logging};
use serde_json::json;
use tracing::warn;

/// Let two players play each other.
///
/// A player is a run (its newest checkpoint plays), a checkpoint, a .onnx file, `random`,
/// `alphabeta` (one ply deep), `alphabeta:<nodes>`, or `uci:<command>` for any UCI engine
/// that knows the variant. Games come in pairs from the same random opening with sides exchanged.
/// Our rules decide when a game is over and how; nothing is adjudicated.
///
/// An engine's options and limit may follow its command, as in
/// `uci:fairy-stockfish?nodes=1000&Threads=1&Skill Level=3`; UCI_Variant is set by itself. The
/// limits are `nodes` and `movetime` (milliseconds) for each move, and `clock`, seconds for the
/// game with an increment, as in `clock=10+0.1`. --nodes, --movetime and --clock are for all
/// engines that do not say. Networks, `alphabeta` and `random` have no clock.
///
/// An engine that makes an illegal move, says it has no move where there are some, crashes,
/// hangs or oversteps its time loses the game for that reason and is started anew.
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
    /// What networks take a draw to be worth to either side, from -1, a loss, to 1. A little below
    /// 0 they play on where they stand about equal
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    draw_value: f32,
    /// Nodes a move of engines
    #[arg(long, group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Milliseconds a move of engines
    #[arg(long, group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Seconds for a game and for each move of engines, as in 10+0.1
    #[arg(long, group = "limit")]
    clock: Option<Clock>,
    /// Seconds after which a silent engine that has no clock counts as hung
    #[arg(long, default_value_t = SearchBudget::TIMEOUT.as_secs(), value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Random plies of an opening
    #[arg(long, default_value_t = 4)]
    opening_plies: u32,
    /// Share of pairs from a varied start: a handicap, armies that lack pieces, a random array
    #[arg(long, default_value_t = 0.0)]
    varied_start_prob: f64,
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
    concurrency: Option<usize>,
    /// Write the games to this file as they end, in the manner of PGN with moves in UCI notation
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
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
        ensure!(
            (-1.0..=1.0).contains(&self.draw_value),
            "--draw-value must be from -1 to 1, not {}",
            self.draw_value
        );
        ensure!(
            (0.0..=1.0).contains(&self.varied_start_prob),
            "--varied-share must be from 0 to 1, not {}",
            self.varied_start_prob
        );
        let first = LoadedPlayer::load(&self.first, &self.budget(self.simulations_a))?;
        let second = LoadedPlayer::load(&self.second, &self.budget(self.simulations_b))?;
        let rule_set = match (first.rule_set()?, second.rule_set()?, self.game) {
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
                "--game must send what {} and {} are to play",
                self.first,
                self.second
            );
        };
        let outcome = with_rule_set!(rule_set, P => self.play::<P>(&first, &second))?;
        self.print(&outcome)
    }

    fn budget(&self, simulations: Option<u32>) -> SearchBudget {
        let time = self.movetime.map(Duration::from_millis);
        SearchBudget {
            simulations: simulations.unwrap_or(self.simulations),
            draw_value: self.draw_value,
            limit: (self.nodes.map(Limit::Nodes))
                .or(time.map(Limit::MoveTime))
                .or(self.clock.map(Limit::Clock)),
            timeout: Duration::from_secs(self.timeout),
        }
    }

    fn play<P: Position>(
        &self,
        first: &LoadedPlayer,
        second: &LoadedPlayer,
    ) -> anyhow::Result<MatchOutcome> {
        let settings = MatchSettings {
            games: self.games,
            opening_plies: self.opening_plies,
            start: match &self.start {
                Some(text) => text.parse::<P>()?,
                None => P::start(),
            },
            varied_start_prob: self.varied_start_prob,
            seed: self.seed,
            threads: self
                .concurrency
                .unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
        };
        let players = self.names();
        let mut records = match &self.pgn {
            None => None,
            Some(path) => {
                let cannot = || format!("cannot write {}", path.display());
                Some(File::create(path).with_context(cannot)?)
            }
        };
        let log = init_logging(!self.json);
        let watched = Mutex::new((log.phase("match", self.games as u64), &mut records));
        Stop::on_signals(None)?.watch(|stop: &AtomicBool| {
            play_match(
                &|| first.player::<P>(),
                &|| second.player::<P>(),
                &settings,
                stop,
                &|tally, pair| {
                    let mut watched = watched.lock().map_err(|_| anyhow!("a thread panicked"))?;
                    let (phase, records) = &mut *watched;
                    for game in pair {
                        if let Some((loser, forfeit)) = game.forfeit() {
                            let loser = &players[loser];
                            warn!("game {}: {loser} loses by {forfeit}", game.number);
                        }
                        if let Some(file) = records {
                            let pgn = Pgn {
                                game,
                                players: &players,
                            };
                            // In one piece, so that no reader finds half a game.
                            file.write_all(pgn.to_string().as_bytes())
                                .context("cannot write the games")?;
                        }
                    }
                    phase.set(tally.games(), || {
                        format!("{:.1} % for A", tally.score() * 100.0)
                    });
                    Ok(())
                },
            )
        })
    }

    fn names(&self) -> [String; 2] {
        [self.first.to_string(), self.second.to_string()]
    }

    fn print(&self, outcome: &MatchOutcome) -> anyhow::Result<()> {
        let mut out = stdout().lock();
        let tally = &outcome.tally;
        let estimate = EloEstimate::from(tally);
        let names = self.names();
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
                "forfeits": (outcome.forfeits.iter())
                    .map(|lost| json!({
                        "game": lost.game,
                        "loser": names[lost.loser],
                        "reason": lost.forfeit.fault.name(),
                        "message": lost.forfeit.message,
                    }))
                    .collect::<Vec<_>>(),
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
        let verdict = match Sprt::default().decide(tally) {
            SprtDecision::Stronger => "A is stronger",
            SprtDecision::NotStronger => "A is not stronger",
            SprtDecision::Undecided => "too close to tell",
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
        for (termination, games) in &outcome.ends {
            writeln!(out, "  {games:>6} by {termination}")?;
        }
        for (player, name) in names.iter().enumerate() {
            let mut lost = (outcome.forfeits.iter()).filter(|game| game.loser == player);
            if let Some(first) = lost.next() {
                writeln!(
                    out,
                    "BEWARE: {name} lost {} games by its own fault, the first of them game {} by {}",
                    1 + lost.count(),
                    first.game,
                    first.forfeit
                )?;
            }
        }
        Ok(())
    }
}
