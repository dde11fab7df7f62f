use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use garuda_mcts::evaluators::{Material, PieceValues};
use garuda_mcts::{Analysis, AnalysisSettings, Evaluations, Evaluator, Limits, Signal};
use garuda_model::{Encode, Network};
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, GameState, Move, MoveList, with_rule_set};

use crate::options::Options;
use crate::parallel_evaluator::ParallelEvaluator;
use crate::rooted::{Judge, Rooted};

/// The rates are taken in turns, so that a busy machine does no harm to their ratio.
const TURNS: u32 = 10;
/// Positions that the bare evaluator is asked about.
const POSITIONS: usize = 64;

/// Measures how many evaluations a second the search of one game makes, and how many the
/// evaluator could make in batches of the same size; with one thread and with `threads`.
pub fn bench(
    model: Option<&Path>,
    threads: usize,
    time: Duration,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let turn = time / TURNS;
    let Some(path) = model else {
        writeln!(out, "torishogi, pieces are counted")?;
        let judge = || Judge::<ToriPosition>::new(Material::default());
        return measure(judge(), 1, 1, turn, out);
    };
    let network = Network::read(path)?;
    let (rules, architecture) = (network.info().rules, network.info().architecture);
    writeln!(out, "{rules}, a network of {architecture}")?;
    let mut counts = vec![1, threads.max(1)];
    counts.dedup();
    for threads in counts {
        with_rule_set!(rules, P => {
            let pool = ParallelEvaluator::<P>::new(&network, threads)?;
            let leaves = pool.capacity();
            measure(Judge::new(pool), leaves, threads, turn, out)?;
        });
    }
    Ok(())
}

fn measure<P: Encode + PieceValues>(
    mut judge: Judge<P>,
    leaves: usize,
    threads: usize,
    turn: Duration,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let positions = positions::<P>()?;
    let options = Options::default();
    let settings = AnalysisSettings {
        leaves,
        memory: options.tree_bytes(),
        cache: options.cached_evaluations(),
        ..AnalysisSettings::default()
    };
    let mut analysis = Analysis::new(Rooted::new(GameState::start()), settings);
    let (mut searched, mut visits, mut judged) = (0, 0, 0);
    let (mut searching, mut judging) = (Duration::ZERO, Duration::ZERO);
    for turns in 0..=TURNS {
        analysis.forget();
        let limits = Limits::time(turn);
        let report = analysis.think(&mut judge, limits, &Signal::new(), |_| ())?;
        let (count, time) = bare(&mut judge, &positions, leaves, turn)?;
        // The first turn only warms up.
        if turns > 0 {
            searched += report.evaluations;
            visits += u64::from(report.new_visits);
            searching += report.elapsed;
            judged += count;
            judging += time;
        }
    }
    let rate = |count: u64, time: Duration| count as f64 / time.as_secs_f64();
    let (search, evaluator) = (rate(searched, searching), rate(judged, judging));
    writeln!(
        out,
        "threads {threads}, {leaves} leaves a batch: search {search:.0} evals/s ({:.0} visits/s), \
         evaluator alone {evaluator:.0} evals/s, share {:.1} %",
        rate(visits, searching),
        100.0 * search / evaluator,
    )?;
    Ok(())
}

/// How many positions the evaluator alone judges in a time, and that time.
fn bare<P: Encode>(
    judge: &mut Judge<P>,
    positions: &[(Rooted<P>, Vec<Move>)],
    batch: usize,
    time: Duration,
) -> anyhow::Result<(u64, Duration)> {
    let mut evaluations = Evaluations::default();
    let mut next = positions.iter().cycle();
    let mut count = 0;
    let started = Instant::now();
    while started.elapsed() < time {
        for (game, legal) in next.by_ref().take(batch) {
            judge.push(game, legal);
        }
        judge.run(&mut evaluations)?;
        ensure!(
            evaluations.len() == batch,
            "the evaluator left out some evaluations"
        );
        count += batch as u64;
    }
    Ok((count, started.elapsed()))
}

/// Positions of a game in which any move is played, whichever comes next in the list.
fn positions<P: Encode>() -> anyhow::Result<Vec<(Rooted<P>, Vec<Move>)>> {
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
        positions.push((Rooted::new(game.clone()), legal.to_vec()));
        game.play(*mv.context("a game that goes on has a move")?);
    }
    Ok(positions)
}
