use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Duration;
use std::{fs, io};

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use garuda_arena::matches::{MatchSettings, play_match};
use garuda_arena::players::{LoadedPlayer, PlayerSource, SearchBudget};
use garuda_arena::ratings::EloEstimate;
use garuda_rules::{Position, with_rule_set};
use garuda_run::{
    Limit, Log, PlayerSpec, Stop, Tally, counted, init_logging, printable, write_atomically,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tracing::{info, warn};

use super::player_args::{check_match_args, game_of, player};

const EXAMPLES: &str = "\
Examples:
  garuda gauntlet runs/tori --against alphabeta:10000 random
  garuda gauntlet runs/makruk --against 'uci:fairy-stockfish?Threads=1&Hash=64' \\
      'uci:fairy-stockfish?nodes=10000&Threads=1' --movetime 100 --games 200 --results makruk.json";

/// Play a network against several opponents at equal time, and print one table.
///
/// Players are named as in `garuda match`. Every player has --movetime per move, except for engines
/// with a limit of their own. Games come in pairs from the same random opening with sides exchanged;
/// all opponents get the same openings. The intervals are computed from pairs.
///
/// With --results finished pairs are kept in a file, and the same command resumes where it was
/// stopped.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct GauntletArgs {
    /// The player from whose side scores are given: a run, a checkpoint or a network file
    #[arg(value_name = "NET", value_parser = player())]
    first: PlayerSpec,
    /// Its opponents
    #[arg(long, value_name = "PLAYER", num_args = 1.., required = true, value_parser = player())]
    against: Vec<PlayerSpec>,
    /// Milliseconds per move
    #[arg(long, default_value_t = 100, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// Number of games against each opponent, even
    #[arg(long, default_value_t = 100, value_name = "N")]
    games: usize,
    /// Random plies of an opening
    #[arg(long, default_value_t = 6, value_name = "N")]
    opening_plies: u32,
    /// Value of a draw to either side for networks, from -1 to 1
    #[arg(
        long,
        default_value_t = 0.0,
        allow_negative_numbers = true,
        value_name = "VALUE"
    )]
    draw_value: f32,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of games played at the same time [default: number of cores]
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// File that keeps the finished pairs, to resume from
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

/// What is played; a file of other terms is refused.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct GauntletTerms {
    player: String,
    /// Hash of its network: the newest checkpoint of a run changes.
    network: Option<String>,
    movetime: u64,
    opening_plies: u32,
    draw_value: f32,
    seed: u64,
}

/// The finished pairs of each opponent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct GauntletResults {
    format: u32,
    terms: GauntletTerms,
    opponents: BTreeMap<String, BTreeMap<usize, PairResult>>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct PairResult {
    /// 1, 0 or −1 for the player, who is White in the first game.
    results: [i8; 2],
    ends: [String; 2],
    /// The players, 0 or 1, who forfeited a game.
    forfeits: Vec<usize>,
}

impl GauntletResults {
    const FORMAT: u32 = 1;

    fn open(path: Option<&Path>, terms: GauntletTerms) -> anyhow::Result<GauntletResults> {
        let new = GauntletResults {
            format: Self::FORMAT,
            terms,
            opponents: BTreeMap::new(),
        };
        let Some(path) = path else {
            return Ok(new);
        };
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(new),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let found: GauntletResults = serde_json::from_slice(&text)
            .with_context(|| format!("{} holds no results of a gauntlet", path.display()))?;
        ensure!(
            found.format == new.format && found.terms == new.terms,
            "{} holds results of other terms: {:?} instead of {:?}. Name another file",
            path.display(),
            found.terms,
            new.terms
        );
        let is_sound = |pair: &PairResult| {
            let is_result = |result: &i8| (-1..=1).contains(result);
            pair.results.iter().all(is_result) && pair.forfeits.iter().all(|&player| player < 2)
        };
        ensure!(
            found
                .opponents
                .values()
                .flat_map(BTreeMap::values)
                .all(is_sound),
            "{} is damaged: it has results other than 1, 0 and −1. Name another file",
            path.display()
        );
        Ok(found)
    }

    /// The pairs against an opponent that count: a file may have more than are asked for.
    fn pairs(&self, opponent: &str, count: usize) -> impl Iterator<Item = &PairResult> {
        let pairs = self.opponents.get(opponent).into_iter();
        pairs.flat_map(move |pairs| pairs.range(..count).map(|(_, pair)| pair))
    }

    fn tally(&self, opponent: &str, count: usize) -> Tally {
        let mut tally = Tally::default();
        for pair in self.pairs(opponent, count) {
            tally.add_pair(pair.results);
        }
        tally
    }
}

impl GauntletArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        check_match_args(self.games, self.draw_value)?;
        let time = Duration::from_millis(self.movetime);
        let budget = SearchBudget {
            movetime: Some(time),
            draw_value: self.draw_value,
            limit: Some(Limit::MoveTime(time)),
            ..SearchBudget::simulations(1)
        };
        let first = LoadedPlayer::load(&self.first, &budget)?;
        let mut opponents = Vec::new();
        for spec in &self.against {
            opponents.push((spec, LoadedPlayer::load(spec, &budget)?));
        }
        let mut players = vec![(&self.first, &first)];
        players.extend(opponents.iter().map(|(spec, player)| (*spec, player)));
        let rule_set = game_of(&players, None)?;
        let log = init_logging(!self.json);
        let terms = GauntletTerms {
            player: self.first.to_string(),
            network: match &first {
                LoadedPlayer::Network { network, .. } => Some(network.info().hash.clone()),
                _ => None,
            },
            movetime: self.movetime,
            opening_plies: self.opening_plies,
            draw_value: self.draw_value,
            seed: self.seed,
        };
        let mut results = GauntletResults::open(self.results.as_deref(), terms)?;
        let stop = Stop::on_signals(None)?;
        for (spec, opponent) in &opponents {
            if stop.is_due() {
                break;
            }
            with_rule_set!(rule_set, P => {
                self.play::<P>(&first, spec, opponent, &mut results, &stop, &log)
            })?;
        }
        self.print(&results)
    }

    fn play<P: Position>(
        &self,
        first: &LoadedPlayer,
        spec: &PlayerSpec,
        opponent: &LoadedPlayer,
        results: &mut GauntletResults,
        stop: &Stop,
        log: &Log,
    ) -> anyhow::Result<()> {
        let name = spec.to_string();
        let known = results.opponents.entry(name.clone()).or_default();
        let finished: BTreeSet<usize> = (known.range(..self.games / 2))
            .map(|(&number, _)| number)
            .collect();
        if finished.len() * 2 == self.games {
            return Ok(());
        }
        if !finished.is_empty() {
            let pairs = counted(finished.len() as u64, "finished pair");
            info!("resuming after {pairs} against {}", printable(&name));
        }
        let phase = log.phase("gauntlet", self.games as u64);
        let phase = phase.resumed_at(2 * finished.len() as u64);
        let settings = MatchSettings {
            games: self.games,
            opening_plies: self.opening_plies,
            start: P::start(),
            varied_start_prob: 0.0,
            seed: self.seed,
            threads: self
                .concurrency
                .unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
            finished,
        };
        let first = PlayerSource::<P>::start(first)?;
        let second = PlayerSource::<P>::start(opponent)?;
        let shared = Mutex::new((phase, results));
        stop.watch(|due: &AtomicBool| {
            play_match(
                &|| first.player(),
                &|| second.player(),
                &settings,
                due,
                &|_, pair| {
                    let mut shared = shared.lock().map_err(|_| anyhow!("a thread panicked"))?;
                    let (phase, results) = &mut *shared;
                    let forfeits = pair.iter().filter_map(|game| game.forfeit());
                    for (loser, forfeit) in forfeits.clone() {
                        warn!(
                            "game {}: player {loser} forfeits by {forfeit}",
                            pair[0].number
                        );
                    }
                    let entry = PairResult {
                        results: [pair[0].result(), pair[1].result()],
                        ends: [0, 1].map(|i| pair[i].end.termination().to_owned()),
                        forfeits: forfeits.map(|(loser, _)| loser).collect(),
                    };
                    let pairs = results.opponents.entry(name.clone()).or_default();
                    pairs.insert((pair[0].number - 1) / 2, entry);
                    if let Some(path) = &self.results {
                        write_atomically(path, &serde_json::to_vec_pretty(&**results)?)?;
                    }
                    let tally = results.tally(&name, self.games / 2);
                    phase.set(tally.games(), || {
                        format!(
                            "{:.1} % against {}",
                            tally.score() * 100.0,
                            printable(&name)
                        )
                    });
                    Ok(())
                },
            )
        })?;
        Ok(())
    }

    fn print(&self, results: &GauntletResults) -> anyhow::Result<()> {
        let mut out = stdout().lock();
        let rows: Vec<_> = (self.against.iter())
            .map(|spec| {
                let name = spec.to_string();
                let tally = results.tally(&name, self.games / 2);
                let forfeits = (results.pairs(&name, self.games / 2))
                    .map(|pair| pair.forfeits.len())
                    .sum::<usize>();
                (name, tally, forfeits)
            })
            .collect();
        if self.json {
            let rows: Vec<_> = (rows.iter())
                .map(|(name, tally, forfeits)| {
                    let estimate = EloEstimate::from(tally);
                    json!({
                        "opponent": name,
                        "games": tally.games(),
                        "wins": tally.wins,
                        "draws": tally.draws,
                        "losses": tally.losses,
                        "score": tally.score(),
                        "elo": estimate.elo,
                        "elo_low": estimate.low,
                        "elo_high": estimate.high,
                        "pentanomial": tally.pentanomial,
                        "forfeits": forfeits,
                    })
                })
                .collect();
            let object = json!({
                "player": self.first.to_string(),
                "movetime": self.movetime,
                "opponents": rows,
            });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{}, {} ms a move\n",
            printable(&self.first.to_string()),
            self.movetime
        )?;
        writeln!(
            out,
            "| opponent | games | won | drawn | lost | score | Elo (95 % interval) |"
        )?;
        writeln!(out, "|---|---|---|---|---|---|---|")?;
        for (name, tally, _) in &rows {
            let estimate = EloEstimate::from(tally);
            writeln!(
                out,
                "| {} | {} | {} | {} | {} | {:.1} % | {:+.0} ({:+.0} to {:+.0}) |",
                printable(name).replace('|', "\\|"),
                tally.games(),
                tally.wins,
                tally.draws,
                tally.losses,
                tally.score() * 100.0,
                estimate.elo,
                estimate.low,
                estimate.high
            )?;
        }
        for (name, _, forfeits) in rows.iter().filter(|(_, _, forfeits)| *forfeits > 0) {
            let forfeits = counted(*forfeits as u64, "forfeit");
            writeln!(out, "WARNING: {forfeits} against {}", printable(name))?;
        }
        Ok(())
    }
}
