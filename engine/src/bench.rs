use std::io::Write;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use garuda_mcts::evaluators::Material;
use garuda_mcts::{
    Analysis, AnalysisSettings, Evaluations, Evaluator, SearchControl, SearchLimits,
};
use garuda_model::Network;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, GameState, Move, MoveList, Position, with_rule_set};

use crate::evaluators::Evaluators;
use crate::options::Options;
use crate::searchmoves::{BoxedEvaluator, RestrictedGame};

/// The two rates are measured alternately, so that other load on the machine does not change
/// their ratio.
const ROUNDS: u32 = 10;
/// Number of positions that the evaluator alone is measured with.
const POSITIONS: usize = 64;

/// Measures the evaluations per second of the search of one game, and those of the evaluator alone
/// in batches of the same size; with one thread and with `threads`.
pub fn bench(
    model: Option<&Path>,
    threads: usize,
    time: Duration,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let round = time / ROUNDS;
    let Some(path) = model else {
        writeln!(out, "torishogi, material evaluator")?;
        let evaluator = BoxedEvaluator::<ToriPosition>::new(Material::default());
        return measure(Evaluators::single(evaluator), 1, round, out);
    };
    let network = Network::read(path)?;
    let (rules, architecture) = (network.info().rule_set()?, network.info().architecture);
    writeln!(out, "{rules}, network {architecture}")?;
    let mut thread_counts = vec![1, threads.max(1)];
    thread_counts.dedup();
    for threads in thread_counts {
        with_rule_set!(rules, P => {
            let evaluators = Evaluators::<P>::of_network(&network, threads)?;
            measure(evaluators, threads, round, out)?;
        });
    }
    Ok(())
}

fn measure<P: Position>(
    mut evaluators: Evaluators<P>,
    threads: usize,
    round: Duration,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let positions = positions::<P>()?;
    let batch_size = evaluators.batch_size();
    let options = Options::default();
    let settings = AnalysisSettings {
        batch_size,
        tree_bytes: options.tree_bytes(),
        cache_entries: options.cache_entries(),
        ..AnalysisSettings::default()
    };
    let mut analysis = Analysis::new(RestrictedGame::unrestricted(GameState::start()), settings);
    let (mut search_evals, mut visits, mut bare_evals) = (0, 0, 0);
    let (mut search_time, mut bare_time) = (Duration::ZERO, Duration::ZERO);
    for i in 0..=ROUNDS {
        analysis.clear();
        let limits = SearchLimits::time(round);
        let control = SearchControl::new();
        let info = evaluators.search(&mut analysis, limits, &control, |_| ())?;
        let (count, time) = run_evaluators(&mut evaluators, &positions, round)?;
        // The first round is a warm-up.
        if i > 0 {
            search_evals += info.evaluations;
            visits += u64::from(info.new_visits);
            search_time += info.elapsed;
            bare_evals += count;
            bare_time += time;
        }
    }
    let rate = |count: u64, time: Duration| count as f64 / time.as_secs_f64();
    let (search, bare) = (rate(search_evals, search_time), rate(bare_evals, bare_time));
    writeln!(
        out,
        "threads {threads}, batch size {batch_size}: search {search:.0} evals/s ({:.0} visits/s), \
         evaluator alone {bare:.0} evals/s, ratio {:.1} %",
        rate(visits, search_time),
        100.0 * search / bare,
    )?;
    Ok(())
}

/// Runs the evaluators alone, each on a thread, for about `time`; returns the number of evaluations
/// and the exact time.
fn run_evaluators<P: Position>(
    evaluators: &mut Evaluators<P>,
    positions: &[(RestrictedGame<P>, Vec<Move>)],
    time: Duration,
) -> anyhow::Result<(u64, Duration)> {
    let batch_size = evaluators.batch_size();
    let started = Instant::now();
    let counts: anyhow::Result<Vec<u64>> = thread::scope(|scope| {
        let run =
            |evaluator| scope.spawn(move || run_evaluator(evaluator, positions, batch_size, time));
        let threads: Vec<_> = evaluators.threads_mut().iter_mut().map(run).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, anyhow::Result<u64>>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    Ok((counts?.iter().sum(), started.elapsed()))
}

fn run_evaluator<P: Position>(
    evaluator: &mut BoxedEvaluator<P>,
    positions: &[(RestrictedGame<P>, Vec<Move>)],
    batch_size: usize,
    time: Duration,
) -> anyhow::Result<u64> {
    let mut evaluations = Evaluations::default();
    let mut next = positions.iter().cycle();
    let mut count = 0;
    let started = Instant::now();
    while started.elapsed() < time {
        for (game, legal) in next.by_ref().take(batch_size) {
            evaluator.push(game, legal);
        }
        evaluator.run(&mut evaluations)?;
        ensure!(
            evaluations.len() == batch_size,
            "the evaluator returned too few evaluations"
        );
        count += batch_size as u64;
    }
    Ok(count)
}

/// Positions of games with arbitrary but fixed moves.
fn positions<P: Position>() -> anyhow::Result<Vec<(RestrictedGame<P>, Vec<Move>)>> {
    let mut game = GameState::<P>::start();
    let mut positions = Vec::new();
    let mut legal = MoveList::new();
    while positions.len() < POSITIONS {
        game.legal_moves(&mut legal);
        if game.outcome_given(&legal).is_some() {
            game = GameState::start();
            continue;
        }
        let mv = legal.get(positions.len() * 7 % legal.len());
        positions.push((RestrictedGame::unrestricted(game.clone()), legal.to_vec()));
        game.play(*mv.context("an unfinished game has no legal move")?);
    }
    Ok(positions)
}
