//! How fast the rules are: perft, beside another program's, and random games.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use garuda_rules::{Game, GameState, MoveList, Position, RuleSet, perft, with_rule_set};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A measurement of one rule set on one thread.
#[derive(Copy, Clone, Debug)]
pub(crate) struct RulesSpeed {
    /// Leaves of a perft from the start a second, counted in bulk.
    pub(crate) perft_nps: f64,
    /// Random games played to their end a second.
    pub(crate) playouts_per_s: f64,
    /// Moves of those games a second.
    pub(crate) playout_moves_per_s: f64,
}

/// A depth that takes long enough to measure and not longer.
fn depth(rule_set: RuleSet, quick: bool) -> u32 {
    let depth = match rule_set {
        RuleSet::Makruk | RuleSet::ToriShogi => 6,
        RuleSet::Sittuyin | RuleSet::SittuyinBooklet | RuleSet::Eternal => 4,
    };
    if quick { depth - 1 } else { depth }
}

pub(crate) fn measure(rule_set: RuleSet, quick: bool) -> RulesSpeed {
    let time = Duration::from_secs_f64(if quick { 0.1 } else { 1.0 });
    let depth = depth(rule_set, quick);
    with_rule_set!(rule_set, P => {
        let (games, moves) = playout_rates::<P>(time);
        RulesSpeed {
            perft_nps: rate(time, || perft(&P::start(), depth)),
            playouts_per_s: games,
            playout_moves_per_s: moves,
        }
    })
}

/// Repeats `work` for at least `time`; what it returns is added up, a second.
fn rate(time: Duration, mut work: impl FnMut() -> u64) -> f64 {
    let start = Instant::now();
    let mut sum = 0;
    while start.elapsed() < time {
        sum += work();
    }
    sum as f64 / start.elapsed().as_secs_f64()
}

/// Random games and their moves a second.
fn playout_rates<P: Position>(time: Duration) -> (f64, f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut moves = MoveList::new();
    let mut plies = 0;
    let start = Instant::now();
    let mut games = 0;
    while start.elapsed() < time {
        let mut game = GameState::<P>::start();
        loop {
            game.legal_moves(&mut moves);
            if game.outcome_given(&moves).is_some() {
                break;
            }
            game.play(moves[rng.random_range(..moves.len())]);
        }
        plies += game.plies();
        games += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    (f64::from(games) / seconds, f64::from(plies) / seconds)
}

/// Our perft rate and a UCI engine's, taken in turns in one run because machines are noisy.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) rule_set: RuleSet,
    pub(crate) depth: u32,
    pub(crate) ours_nps: f64,
    pub(crate) theirs_nps: f64,
}

impl Comparison {
    pub(crate) fn ratio(&self) -> f64 {
        self.ours_nps / self.theirs_nps
    }
}

/// Compares the rule sets that the engine knows. The better of three rounds counts on either
/// side, and the counts must agree.
pub(crate) fn compare(command: &str, quick: bool) -> anyhow::Result<Vec<Comparison>> {
    let mut reference = Reference::start(command)?;
    let mut comparisons = Vec::new();
    for rule_set in [RuleSet::Makruk, RuleSet::Sittuyin, RuleSet::ToriShogi] {
        if !reference.variants.iter().any(|v| v == rule_set.name()) {
            continue;
        }
        let depth = depth(rule_set, quick);
        let mut best = [f64::MAX; 2];
        for _ in 0..3 {
            let start = Instant::now();
            let ours = with_rule_set!(rule_set, P => perft(&P::start(), depth));
            best[0] = best[0].min(start.elapsed().as_secs_f64() / ours as f64);
            let start = Instant::now();
            let theirs = reference.perft(rule_set, depth)?;
            best[1] = best[1].min(start.elapsed().as_secs_f64() / theirs as f64);
            if ours != theirs {
                bail!("{rule_set} perft {depth}: {ours}, but {command:?} counts {theirs}");
            }
        }
        comparisons.push(Comparison {
            rule_set,
            depth,
            ours_nps: 1.0 / best[0],
            theirs_nps: 1.0 / best[1],
        });
    }
    Ok(comparisons)
}

/// A UCI engine that knows `go perft`, such as Fairy-Stockfish.
struct Reference {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    variants: Vec<String>,
}

impl Reference {
    fn start(command: &str) -> anyhow::Result<Reference> {
        let mut words = command.split_whitespace();
        let program = words.next().context("the reference's command is empty")?;
        let mut process = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start the reference engine {command:?}"))?;
        let input = process.stdin.take().expect("stdin is piped");
        let output = BufReader::new(process.stdout.take().expect("stdout is piped"));
        let mut reference = Reference {
            process,
            input,
            output,
            variants: Vec::new(),
        };
        reference.send("uci")?;
        loop {
            let line = reference.line()?;
            if line == "uciok" {
                return Ok(reference);
            }
            if line.starts_with("option name UCI_Variant ") {
                let words = line.split(" var ").skip(1);
                reference.variants = words.map(|word| word.trim().to_owned()).collect();
            }
        }
    }

    fn send(&mut self, line: &str) -> anyhow::Result<()> {
        writeln!(self.input, "{line}").context("the reference engine has stopped reading")
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("the reference engine has stopped");
        }
        Ok(line.trim_end().to_owned())
    }

    fn perft(&mut self, rule_set: RuleSet, depth: u32) -> anyhow::Result<u64> {
        self.send(&format!("setoption name UCI_Variant value {rule_set}"))?;
        self.send("position startpos")?;
        self.send(&format!("go perft {depth}"))?;
        loop {
            let line = self.line()?;
            if let Some(count) = line.strip_prefix("Nodes searched: ") {
                return count
                    .parse()
                    .with_context(|| format!("odd answer {line:?}"));
            }
        }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // It may have gone by itself, and nothing depends on how it went.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
