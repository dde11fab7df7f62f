use std::collections::BTreeSet;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{anyhow, ensure};
use clap::Args;
use garuda_arena::matches::{MatchOutcome, MatchSettings, Pgn, PgnFile, play_match};
use garuda_arena::players::{LoadedPlayer, PlayerSource, SearchBudget};
use garuda_arena::ratings::{EloEstimate, Sprt, SprtDecision};
use garuda_rules::{Position, RuleSet, with_rule_set};
use garuda_run::{GameClock, Limit, PlayerSpec, Stop, counted, init_logging, one_line};
use serde_json::json;
use tracing::warn;

use super::player_args::{check_match_args, game_of, player};

const EXAMPLES: &str = "\
Examples:
  garuda match runs/tori alphabeta:10000
  garuda match runs/tori/checkpoints/000040 runs/tori/checkpoints/000020 --games 400
  garuda match random alphabeta --game makruk --games 20
  garuda match runs/tori runs/tori-conv --movetime 100
  garuda match runs/makruk 'uci:fairy-stockfish?nodes=1000&Threads=1' --pgn games.pgn";

/// Play a match between two players.
///
/// A player is a run (its newest checkpoint plays), a checkpoint, a network file, `random`,
/// `alphabeta` (one ply deep), `alphabeta:<nodes>`, or `uci:<command>` for any UCI engine that knows
/// the variant. Games come in pairs from the same random opening with sides exchanged. Our rules
/// decide which moves are legal and when a game is over; nothing is adjudicated.
///
/// The command after `uci:` is a program and its arguments, quoted as in a shell but executed
/// without one. Options and a limit may follow, as in
/// `uci:fairy-stockfish?nodes=1000&Threads=1&Skill Level=3`; UCI_Variant is set automatically. The
/// limits are `nodes`, `depth` (plies) and `movetime` (milliseconds) per move, and `clock`, the seconds of a game with
/// an increment per move, as in `clock=10+0.1`. --nodes, --movetime and --clock apply to engines
/// without a limit of their own; --movetime also to networks and `alphabeta:<nodes>`, in place of
/// simulations and nodes. No network, `alphabeta` or `random` has a clock.
///
/// An engine that makes an illegal move, says it has no move where there are some, crashes, hangs or
/// exceeds its time forfeits the game and is restarted.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct MatchArgs {
    /// The player from whose side the score is given
    #[arg(value_name = "A", value_parser = player())]
    first: PlayerSpec,
    /// Its opponent
    #[arg(value_name = "B", value_parser = player())]
    second: PlayerSpec,
    /// Number of games, even
    #[arg(long, default_value_t = 100, value_name = "N")]
    games: usize,
    /// Simulations per move of networks
    #[arg(long, default_value_t = 64, value_name = "N")]
    simulations: u32,
    /// Simulations per move of A, if different
    #[arg(long, value_name = "N")]
    simulations_a: Option<u32>,
    /// Simulations per move of B, if different
    #[arg(long, value_name = "N")]
    simulations_b: Option<u32>,
    /// Value of a draw to either side for networks, from -1, a loss, to 1, a win. A little below 0
    /// they avoid draws in equal positions
    #[arg(
        long,
        default_value_t = 0.0,
        allow_negative_numbers = true,
        value_name = "VALUE"
    )]
    draw_value: f32,
    /// Nodes per move of engines
    #[arg(long, group = "limit", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Milliseconds per move of every player: networks, `alphabeta:<nodes>` and engines. The fair
    /// way to compare players of different kinds
    #[arg(long, group = "limit", value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Seconds per game of engines and increment per move, as in 10+0.1
    #[arg(long, group = "limit", value_name = "SECONDS")]
    clock: Option<GameClock>,
    /// Seconds after which a silent engine without a clock counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = SearchBudget::TIMEOUT.as_secs(), value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Random plies of an opening
    #[arg(long, default_value_t = 4, value_name = "N")]
    opening_plies: u32,
    /// Probability that a pair starts from a varied start: a handicap, missing pieces, a random
    /// array
    #[arg(long, default_value_t = 0.0, value_name = "PROBABILITY")]
    varied_start_prob: f64,
    /// makruk, sittuyin, sittuyin-booklet, torishogi or eternal; networks know their game
    #[arg(long)]
    game: Option<RuleSet>,
    /// FEN of the position the openings start from
    #[arg(long, value_name = "FEN")]
    start: Option<String>,
    /// Seed of openings and of players that draw random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of games played at the same time [default: number of cores]
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// Append the games to this file as they end, in the format of PGN with moves in UCI notation
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl MatchArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        check_match_args(self.games, self.draw_value)?;
        ensure!(
            (0.0..=1.0).contains(&self.varied_start_prob),
            "--varied-start-prob must be from 0 to 1, not {}",
            self.varied_start_prob
        );
        let first = LoadedPlayer::load(&self.first, &self.budget(self.simulations_a))?;
        let second = LoadedPlayer::load(&self.second, &self.budget(self.simulations_b))?;
        let players = [(&self.first, &first), (&self.second, &second)];
        let rule_set = game_of(&players, self.game)?;
        let outcome = with_rule_set!(rule_set, P => self.play::<P>(&first, &second))?;
        self.print(&outcome)
    }

    fn budget(&self, simulations: Option<u32>) -> SearchBudget {
        let time = self.movetime.map(Duration::from_millis);
        SearchBudget {
            simulations: simulations.unwrap_or(self.simulations),
            movetime: time,
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
            finished: BTreeSet::new(),
        };
        let names = self.names();
        // Before any engine is started: Ctrl-C must not leave one behind.
        let stop = Stop::on_signals(None)?;
        let first = PlayerSource::<P>::start(first)?;
        let second = PlayerSource::<P>::start(second)?;
        let pgn = self.pgn.as_deref().map(PgnFile::append).transpose()?;
        let log = init_logging(!self.json);
        let output = Mutex::new((log.phase("match", self.games as u64), pgn));
        stop.watch(|stop: &AtomicBool| {
            play_match(
                &|| first.player(),
                &|| second.player(),
                &settings,
                stop,
                &|tally, pair| {
                    let mut output = output.lock().map_err(|_| anyhow!("a thread panicked"))?;
                    let (phase, pgn) = &mut *output;
                    for game in pair {
                        if let Some((loser, forfeit)) = game.forfeit() {
                            let loser = &names[loser];
                            warn!("game {}: {loser} forfeits by {forfeit}", game.number);
                        }
                        if let Some(file) = pgn {
                            file.write(&Pgn {
                                game,
                                players: &names,
                            })?;
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
            "{} – {}: {}, {} distinct: {} won, {} drawn, {} lost, score {:.1} %",
            self.first,
            self.second,
            counted(outcome.games, "game"),
            outcome.distinct_games,
            tally.wins,
            tally.draws,
            tally.losses,
            tally.score() * 100.0
        )?;
        let sprt = Sprt::default();
        let decision = match sprt.decide(tally) {
            SprtDecision::Stronger => "A is stronger",
            SprtDecision::NotStronger => "A is not stronger",
            SprtDecision::Undecided => "undecided",
        };
        writeln!(
            out,
            "{:+.0} Elo, 95 % interval {:+.0} to {:+.0}; {decision} (SPRT of {} against {} Elo)",
            estimate.elo, estimate.low, estimate.high, sprt.elo1, sprt.elo0
        )?;
        writeln!(
            out,
            "pairs of games with 0, ½, 1, 1½, 2 points: {:?}",
            tally.pentanomial
        )?;
        for (termination, games) in &outcome.ends {
            writeln!(out, "  {games:>6} by {termination}")?;
        }
        for (player, name) in names.iter().enumerate() {
            let mut lost = (outcome.forfeits.iter()).filter(|game| game.loser == player);
            if let Some(first) = lost.next() {
                let forfeits = counted(1 + lost.count() as u64, "forfeit");
                let (game, forfeit) = (
                    first.game,
                    one_line(&first.forfeit.to_string()).into_owned(),
                );
                writeln!(
                    out,
                    "WARNING: {forfeits} by {name}, first in game {game}: {forfeit}"
                )?;
            }
        }
        Ok(())
    }
}
