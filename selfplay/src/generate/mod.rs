//! Self-play: shards of concurrent games, each game made by its number alone.

mod evaluator;
mod game;
mod plan;
mod worker;

pub use evaluator::SelfplayEvaluator;
pub use plan::{Plan, is_bootstrap, position_sample_rate};
pub use worker::{Counters, Dropped, generate};
