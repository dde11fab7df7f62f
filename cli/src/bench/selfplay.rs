//! How busy self-play keeps the evaluator.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use garuda_model::Network;
use garuda_rules::{Position, with_rule_set};
use garuda_run::config::Config;
use garuda_selfplay::generate::{Counters, Plan, PlanSpec, generate};

use super::network;

/// Evaluations per second on all cores together.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct SelfplaySpeed {
    /// The evaluator alone, with full batches of the same size.
    pub(crate) evaluator: f64,
    pub(crate) selfplay: f64,
}

/// Measures both alternately, so that other load of the machine affects both alike.
pub(crate) fn measure(network: &Network, quick: bool) -> anyhow::Result<SelfplaySpeed> {
    let rules = network.info().rule_set()?;
    let config = Config::parse("garuda bench", "", &[format!("game.rules={rules}")])?;
    with_rule_set!(rules, P => measure_game::<P>(network, &config, quick))
}

fn measure_game<P: Position>(
    network: &Network,
    config: &Config,
    quick: bool,
) -> anyhow::Result<SelfplaySpeed> {
    let cores = available_parallelism().map_or(1, usize::from);
    let batch = config.selfplay.parallel_games as usize;
    let (rounds, time) = if quick {
        (2, Duration::from_secs(1))
    } else {
        (4, Duration::from_secs(4))
    };
    let mut speed = SelfplaySpeed::default();
    for round in 0..rounds {
        let evaluator = network::rate::<P>(network, batch, cores, time)?;
        speed.evaluator += evaluator / f64::from(rounds);
        speed.selfplay += rate::<P>(network, config, cores, time, round)? / f64::from(rounds);
    }
    Ok(speed)
}

/// Evaluations per second of self-play.
fn rate<P: Position>(
    network: &Network,
    config: &Config,
    cores: usize,
    time: Duration,
    round: u32,
) -> anyhow::Result<f64> {
    let plan = Plan::<P>::new(PlanSpec::new(config.clone(), round, &[], u64::MAX));
    let capacity = config.selfplay.parallel_games as usize;
    let numbers: Vec<_> = (0..1_000_000).collect();
    let (stop, counters) = (AtomicBool::new(false), Counters::default());
    let evaluated = || counters.evaluations.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let rate = scope.spawn(|| {
            // Opening sessions and the first, easy moves do not count.
            std::thread::sleep(time / 4);
            let (started, before) = (Instant::now(), evaluated());
            std::thread::sleep(time);
            let rate = (evaluated() - before) as f64 / started.elapsed().as_secs_f64();
            stop.store(true, Ordering::Relaxed);
            rate
        });
        let open = |_| Ok(network.evaluator::<P>(capacity)?);
        generate(&plan, &numbers, cores, open, &stop, &counters, |_| Ok(()))?;
        Ok(rate.join().expect("counting does not panic"))
    })
}
