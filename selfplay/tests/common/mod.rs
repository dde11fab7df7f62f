//! Games for tests: real ones, made by self-play without a network.

use std::sync::atomic::AtomicBool;

use garuda_mcts::evaluators::Rollout;
use garuda_rules::tori::ToriPosition;
use garuda_run::config::Config;
use garuda_run::records::GameRecord;
use garuda_selfplay::generate::{Counters, Plan, PlanSpec, generate};

pub(crate) fn config(settings: &[&str]) -> Config {
    let mut all = vec![
        "game.rules=torishogi".to_owned(),
        "search.simulations=[4]".to_owned(),
        "search.simulations_from=[0]".to_owned(),
        "selfplay.reduce_visits_simulations=2".to_owned(),
        "selfplay.parallel_games=4".to_owned(),
    ];
    all.extend(settings.iter().map(|&s| s.to_owned()));
    Config::parse("test", "", &all).expect("the settings are sound")
}

/// An evaluator that needs no network, and whose evaluations depend on the position alone.
pub(crate) fn evaluator(_checkpoint: u32) -> anyhow::Result<Rollout> {
    Ok(Rollout::new(7, 1, 20))
}

/// Games with these numbers, ordered by number.
pub(crate) fn games(
    config: &Config,
    checkpoint: u32,
    numbers: &[u64],
    shards: usize,
) -> Vec<GameRecord> {
    let plan = Plan::<ToriPosition>::new(PlanSpec::new(config.clone(), checkpoint, &[], 0));
    let mut records = Vec::new();
    let dropped = generate(
        &plan,
        numbers,
        shards,
        evaluator,
        &AtomicBool::new(false),
        &Counters::default(),
        |record| {
            records.push(record);
            Ok(())
        },
    )
    .expect("games are played");
    assert!(dropped.is_empty());
    records.sort_by_key(GameRecord::number);
    records
}
