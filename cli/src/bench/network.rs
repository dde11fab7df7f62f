//! How fast a network evaluates positions.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use garuda_mcts::{Evaluations, Evaluator, random_move};
use garuda_model::Network;
use garuda_rules::{Game, GameState, MoveList, Position, with_rule_set};
use garuda_run::seeds;
use serde_json::{Map, json};

use super::BenchReport;

const BATCHES: [usize; 3] = [1, 16, 64];
/// Positions that an evaluator meets in turn: many, as in games, so that it does not find all it
/// needs in the processor's cache.
const POSITIONS: u64 = 256;

/// Measures a network of any game, for `time` per batch size and number of cores.
pub(crate) fn measure(
    report: &mut BenchReport,
    network: &Network,
    time: Duration,
) -> anyhow::Result<()> {
    let rules = network.info().rule_set()?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    report.line(&format!("network for {rules}, {cores} cores"))?;
    let mut evals = Map::new();
    for batch in BATCHES {
        let [one, all] = [1, cores]
            .map(|threads| with_rule_set!(rules, P => rate::<P>(network, batch, threads, time)));
        let (one, all) = (one?, all?);
        report.line(&format!(
            "  batch {batch:3}         {one:6.0} evaluations/s on one core, {all:6.0} on all"
        ))?;
        evals.insert(batch.to_string(), json!(all));
    }
    report.set("onnx_evals_per_s", evals.into());
    Ok(())
}

/// Evaluations per second of all threads together, each with an evaluator of its own and full
/// batches.
pub fn rate<P: Position>(
    network: &Network,
    batch: usize,
    threads: usize,
    time: Duration,
) -> anyhow::Result<f64> {
    let positions: Vec<_> = (0..POSITIONS).map(random_position::<P>).collect();
    let evaluated = AtomicU64::new(0);
    let work = || -> anyhow::Result<f64> {
        let mut evaluator = network.evaluator(batch)?;
        let mut evaluations = Evaluations::default();
        let mut next = positions.iter().cycle();
        let started = Instant::now();
        while started.elapsed() < time {
            for (game, legal) in next.by_ref().take(batch) {
                evaluator.push(game, legal);
            }
            evaluator.run(&mut evaluations)?;
            evaluated.fetch_add(batch as u64, Ordering::Relaxed);
        }
        Ok(started.elapsed().as_secs_f64())
    };
    let seconds = thread::scope(|scope| -> anyhow::Result<f64> {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut longest = 0.0f64;
        for worker in workers {
            let seconds = worker.join().expect("an evaluator does not panic")?;
            longest = longest.max(seconds);
        }
        Ok(longest)
    })?;
    Ok(evaluated.into_inner() as f64 / seconds)
}

/// A position after up to 63 random moves.
fn random_position<P: Position>(seed: u64) -> (GameState<P>, MoveList) {
    let mut rng = seeds::rng(seed);
    let mut game = GameState::<P>::start();
    for _ in 0..seed % 64 {
        let mut next = game.clone();
        match random_move(&game, &mut rng) {
            Some(mv) => next.play(mv),
            None => break,
        }
        if next.outcome().is_some() {
            break;
        }
        game = next;
    }
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    (game, legal)
}
