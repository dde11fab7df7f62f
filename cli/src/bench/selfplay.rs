//! How busy self-play keeps the evaluator.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use garuda_mcts::{Evaluations, Evaluator, random_move};
use garuda_model::{Network, TrainParams, Trainer};
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, GameState, MoveList};
use garuda_run::config::Config;
use garuda_run::seeds;
use garuda_selfplay::generate::{Counters, Plan, generate};

/// Evaluations a second on all cores together.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Speed {
    /// The evaluator alone, with full batches of the same size.
    pub(crate) bare: f64,
    pub(crate) selfplay: f64,
}

/// Measures both in turns, so that the machine's moods strike both alike.
pub(crate) fn measure(quick: bool) -> anyhow::Result<Speed> {
    let config = Config::default();
    let cores = available_parallelism().map_or(1, usize::from);
    let architecture = config.network.architecture()?;
    let network = Trainer::<ToriPosition>::new(architecture, TrainParams::default(), 1)
        .averaged()
        .export("bench");
    let (rounds, time) = if quick {
        (2, Duration::from_secs(1))
    } else {
        (4, Duration::from_secs(4))
    };
    let mut speed = Speed::default();
    for round in 0..rounds {
        speed.bare += bare(&network, &config, cores, time)? / f64::from(rounds);
        speed.selfplay += selfplay(&network, &config, cores, time, round)? / f64::from(rounds);
    }
    Ok(speed)
}

fn bare(network: &Network, config: &Config, cores: usize, time: Duration) -> anyhow::Result<f64> {
    let batch = config.selfplay.parallel_games as usize;
    let positions: Vec<_> = (0..batch as u64)
        .map(|seed| {
            let mut rng = seeds::rng(seed);
            let mut game = GameState::<ToriPosition>::start();
            for _ in 0..seed % 16 {
                if let Some(mv) = random_move(&game, &mut rng) {
                    game.play(mv);
                }
            }
            let mut legal = MoveList::new();
            game.legal_moves(&mut legal);
            (game, legal)
        })
        .collect();
    let made = AtomicU64::new(0);
    let work = || -> anyhow::Result<f64> {
        let mut evaluator = network.evaluator(batch)?;
        let mut evaluations = Evaluations::default();
        let started = Instant::now();
        while started.elapsed() < time {
            for (game, legal) in &positions {
                evaluator.push(game, legal);
            }
            evaluator.run(&mut evaluations)?;
            made.fetch_add(batch as u64, Ordering::Relaxed);
        }
        Ok(started.elapsed().as_secs_f64())
    };
    let seconds = std::thread::scope(|scope| -> anyhow::Result<f64> {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut longest = 0.0f64;
        for worker in workers {
            let seconds = worker.join().expect("an evaluator does not panic")?;
            longest = longest.max(seconds);
        }
        Ok(longest)
    })?;
    Ok(made.into_inner() as f64 / seconds)
}

fn selfplay(
    network: &Network,
    config: &Config,
    cores: usize,
    time: Duration,
    round: u32,
) -> anyhow::Result<f64> {
    let plan = Plan::<ToriPosition>::new(config, round, &[], u64::MAX);
    let capacity = config.selfplay.parallel_games as usize;
    let numbers: Vec<_> = (0..1_000_000).collect();
    let (stop, counters) = (AtomicBool::new(false), Counters::default());
    let made = || counters.evaluations.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let rate = scope.spawn(|| {
            // Opening sessions and the first, easy moves do not count.
            std::thread::sleep(time / 4);
            let (started, before) = (Instant::now(), made());
            std::thread::sleep(time);
            let rate = (made() - before) as f64 / started.elapsed().as_secs_f64();
            stop.store(true, Ordering::Relaxed);
            rate
        });
        let open = |_| Ok(network.evaluator(capacity)?);
        generate(&plan, &numbers, cores, open, &stop, &counters, |_| Ok(()))?;
        Ok(rate.join().expect("counting does not panic"))
    })
}
