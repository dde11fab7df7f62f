//! How fast the rules are: perft, also compared with an engine's, and random games.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use garuda_arena::uci::UciClient;
use garuda_rules::{Game, GameState, MoveList, Position, RuleSet, perft, with_rule_set};
use garuda_run::EngineCommand;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How long an engine may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How long an engine's perft may take.
const PERFT_TIMEOUT: Duration = Duration::from_secs(600);

/// A measurement of one rule set on one thread.
#[derive(Copy, Clone, Debug)]
pub(crate) struct RulesSpeed {
    /// Leaves per second of a perft from the start, the last ply counted in bulk.
    pub(crate) perft_nps: f64,
    /// Random games per second, played to their end.
    pub(crate) playouts_per_s: f64,
    /// Moves per second of those games.
    pub(crate) playout_moves_per_s: f64,
}

/// A depth that takes about a second.
fn depth<P: Position>(quick: bool) -> u32 {
    P::PERFT_DEPTH - u32::from(quick)
}

pub(crate) fn measure(rule_set: RuleSet, quick: bool) -> RulesSpeed {
    let time = Duration::from_secs_f64(if quick { 0.1 } else { 1.0 });
    with_rule_set!(rule_set, P => {
        let depth = depth::<P>(quick);
        let (games, moves) = playout_rates::<P>(time);
        RulesSpeed {
            perft_nps: rate(time, || perft(&P::start(), depth)),
            playouts_per_s: games,
            playout_moves_per_s: moves,
        }
    })
}

/// Repeats `work` for at least `time`; the sum of what it returns, per second.
fn rate(time: Duration, mut work: impl FnMut() -> u64) -> f64 {
    let start = Instant::now();
    let mut sum = 0;
    while start.elapsed() < time {
        sum += work();
    }
    sum as f64 / start.elapsed().as_secs_f64()
}

/// Random games and their moves per second.
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

/// Our perft rate and a UCI engine's, measured alternately because machines are noisy.
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

/// Compares the rule sets that the engine knows; it must answer `go perft`, as Fairy-Stockfish does.
/// The better of three rounds counts on either side, and the node counts must agree.
pub(crate) fn compare(command: &EngineCommand, quick: bool) -> anyhow::Result<Vec<Comparison>> {
    let mut engine = UciClient::start(command, Instant::now() + START_TIMEOUT)?;
    let mut comparisons = Vec::new();
    for rule_set in RuleSet::ALL {
        if !engine.plays(rule_set.name()) {
            continue;
        }
        let depth = with_rule_set!(rule_set, P => depth::<P>(quick));
        let mut best = [f64::MAX; 2];
        for _ in 0..3 {
            let start = Instant::now();
            let ours = with_rule_set!(rule_set, P => perft(&P::start(), depth));
            best[0] = best[0].min(start.elapsed().as_secs_f64() / ours as f64);
            let start = Instant::now();
            let theirs = perft_of(&mut engine, rule_set, depth)?;
            best[1] = best[1].min(start.elapsed().as_secs_f64() / theirs as f64);
            if ours != theirs {
                bail!("{rule_set} perft {depth}: {ours}, but {command} counts {theirs}");
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

/// The engine's perft from the game's start.
fn perft_of(engine: &mut UciClient, rule_set: RuleSet, depth: u32) -> anyhow::Result<u64> {
    engine.set_variant(rule_set.name())?;
    engine.send("position startpos")?;
    engine.send(&format!("go perft {depth}"))?;
    let (_, line) = engine.wait_for("Nodes", Instant::now() + PERFT_TIMEOUT)?;
    line.strip_prefix("Nodes searched: ")
        .and_then(|count| count.parse().ok())
        .with_context(|| format!("no perft count in {line:?}"))
}
