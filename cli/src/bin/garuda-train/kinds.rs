//! Both kinds of network side by side, in turns: evaluations, self-play and PUCT.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use garuda_mcts::bench::replayed_speed;
use garuda_mcts::{Analysis, AnalysisSettings, SearchControl, SearchLimits};
use garuda_model::{Network, NetworkKind};
use garuda_rules::{GameState, Position};
use garuda_run::config::Config;
use garuda_selfplay::generate::{Counters, Plan, PlanSpec, generate};
use serde_json::json;

use garuda_cli::{BenchReport, evaluation_rate};

/// Simulations per move of self-play.
const SIMULATIONS: u32 = 64;
/// Nodes of the PUCT tree, unless the time is over before.
const PUCT_NODES: u32 = 1_000_000;
const PUCT_TREE_BYTES: usize = 2 << 30;

/// What is measured of one kind of network in one game.
#[derive(Copy, Clone, Default, Debug)]
struct KindSpeed {
    /// Of the evaluator alone.
    evals_per_core: f64,
    /// Of the search alone, in the trees that the network leads to.
    search_sims_per_core: f64,
    selfplay_sims_per_core: f64,
    /// Evaluations per simulation of self-play: the rest is found in the cache or proven.
    evals_per_sim: f64,
    puct_sims_per_core: f64,
    puct_nodes: f64,
    puct_bytes_per_node: f64,
}

/// Measures networks of both kinds for one game, and adds the figures to the report.
pub(crate) fn measure<P: Position>(
    report: &mut BenchReport,
    networks: &[(NetworkKind, Network)],
    quick: bool,
) -> anyhow::Result<()> {
    let cores = available_parallelism().map_or(1, usize::from);
    let (rounds, time) = if quick {
        (1, Duration::from_millis(500))
    } else {
        (4, Duration::from_secs(3))
    };
    let mut speeds = vec![KindSpeed::default(); networks.len()];
    for round in 0..rounds {
        for ((kind, network), speed) in networks.iter().zip(&mut speeds) {
            let share = 1.0 / f64::from(rounds);
            let batch = parallel_games(*kind);
            speed.evals_per_core += share * evaluation_rate::<P>(network, batch, 1, time)?;
            let mut evaluator = network.evaluator::<P>(batch)?;
            let search = replayed_speed::<P, _>(&mut evaluator, batch, SIMULATIONS, time)?;
            speed.search_sims_per_core += share * search;
            let (sims, evals) = selfplay::<P>(*kind, network, cores, time, round)?;
            speed.selfplay_sims_per_core += share * sims / cores as f64;
            speed.evals_per_sim += share * evals / sims;
            let puct = puct::<P>(network, time)?;
            speed.puct_sims_per_core += share * puct.sims_per_s;
            speed.puct_nodes = puct.nodes;
            speed.puct_bytes_per_node = puct.bytes_per_node;
        }
    }
    report.line(&format!(
        "{}: networks of both kinds in turns, {SIMULATIONS} simulations per move of self-play, {cores} cores",
        P::TITLE
    ))?;
    for ((kind, network), speed) in networks.iter().zip(&speeds) {
        let together =
            1.0 / (1.0 / speed.search_sims_per_core + speed.evals_per_sim / speed.evals_per_core);
        report.line(&format!(
            "  {:12} {:7.0} evaluations/s and {:7.0} simulations/s of self-play on a core, {:.0} % of search and evaluator alone; {:.0} positions/s on all",
            network.info().architecture.to_string(),
            speed.evals_per_core,
            speed.selfplay_sims_per_core,
            100.0 * speed.selfplay_sims_per_core / together,
            speed.positions_per_s(cores),
        ))?;
        report.line(&format!(
            "  {:12} {:7.0} simulations/s of PUCT on a core, in a tree of {:.0} nodes of {:.0} bytes",
            "", speed.puct_sims_per_core, speed.puct_nodes, speed.puct_bytes_per_node,
        ))?;
        let kind = name(*kind);
        report.set_in(
            "selfplay_share_of_parts",
            P::NAME,
            kind,
            json!(speed.selfplay_sims_per_core / together),
        );
        report.set_in(
            "selfplay_positions_per_s",
            P::NAME,
            kind,
            json!(speed.positions_per_s(cores)),
        );
        report.set_in(
            "selfplay_sims_per_s_per_core",
            P::NAME,
            kind,
            json!(speed.selfplay_sims_per_core),
        );
        report.set_in(
            "puct_sims_per_s_per_core",
            P::NAME,
            kind,
            json!(speed.puct_sims_per_core),
        );
        if kind == "sparse" {
            report.set_in(
                "sparse_evals_per_s_per_core",
                P::NAME,
                "",
                json!(speed.evals_per_core),
            );
            report.set_in(
                "puct_bytes_per_node",
                P::NAME,
                "",
                json!(speed.puct_bytes_per_node),
            );
        }
    }
    Ok(())
}

impl KindSpeed {
    /// Positions that self-play searches on all cores.
    fn positions_per_s(&self, cores: usize) -> f64 {
        self.selfplay_sims_per_core * cores as f64 / f64::from(SIMULATIONS)
    }
}

fn name(kind: NetworkKind) -> &'static str {
    match kind {
        NetworkKind::Conv => "conv",
        NetworkKind::Sparse => "sparse",
    }
}

/// Concurrent games of a shard: batches pay for convolutions only.
fn parallel_games(kind: NetworkKind) -> usize {
    match kind {
        NetworkKind::Conv => 32,
        NetworkKind::Sparse => 4,
    }
}

/// Simulations and evaluations per second of self-play on all cores.
fn selfplay<P: Position>(
    kind: NetworkKind,
    network: &Network,
    cores: usize,
    time: Duration,
    round: u32,
) -> anyhow::Result<(f64, f64)> {
    let games = parallel_games(kind);
    let settings = [
        format!("game.rules={}", P::NAME),
        format!("selfplay.parallel_games={games}"),
        format!("search.simulations=[{SIMULATIONS}]"),
        "search.simulations_from=[0]".to_owned(),
        "bootstrap.positions=0".to_owned(),
    ];
    let config = Config::parse("garuda bench", "", &settings)?;
    let plan = Plan::<P>::new(PlanSpec::new(config, round, &[], u64::MAX));
    let numbers: Vec<_> = (0..1_000_000).collect();
    let (stop, counters) = (AtomicBool::new(false), Counters::default());
    let counts = || {
        [&counters.simulations, &counters.evaluations].map(|count| count.load(Ordering::Relaxed))
    };
    std::thread::scope(|scope| {
        let rates = scope.spawn(|| {
            // Opening sessions and the first, easy moves do not count.
            std::thread::sleep(time / 4);
            let (started, before) = (Instant::now(), counts());
            std::thread::sleep(time);
            let (seconds, after) = (started.elapsed().as_secs_f64(), counts());
            stop.store(true, Ordering::Relaxed);
            [0, 1].map(|i| (after[i] - before[i]) as f64 / seconds)
        });
        let open = |_| Ok(network.evaluator::<P>(games)?);
        generate(&plan, &numbers, cores, open, &stop, &counters, |_| Ok(()))?;
        let [sims, evals] = rates.join().expect("counting does not panic");
        Ok((sims, evals))
    })
}

struct PuctSpeed {
    sims_per_s: f64,
    nodes: f64,
    bytes_per_node: f64,
}

/// PUCT from the start position on one thread, as the engine plays.
fn puct<P: Position>(network: &Network, time: Duration) -> anyhow::Result<PuctSpeed> {
    let settings = AnalysisSettings {
        tree_bytes: PUCT_TREE_BYTES,
        batch_size: match network.info().architecture.kind() {
            NetworkKind::Conv => 8,
            NetworkKind::Sparse => 1,
        },
        ..AnalysisSettings::default()
    };
    let mut evaluator = network.evaluator::<P>(settings.batch_size)?;
    let mut analysis = Analysis::new(GameState::<P>::start(), settings);
    let limits = SearchLimits {
        nodes: Some(PUCT_NODES),
        time: Some(2 * time),
        ..SearchLimits::default()
    };
    let info = analysis.search(&mut evaluator, limits, &SearchControl::new(), |_| ())?;
    let nodes = f64::from(info.visits);
    Ok(PuctSpeed {
        sims_per_s: nodes / info.elapsed.as_secs_f64(),
        nodes,
        bytes_per_node: info.hashfull * PUCT_TREE_BYTES as f64 / nodes,
    })
}
