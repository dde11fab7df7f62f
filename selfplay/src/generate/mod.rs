//! Self-play: shards of concurrent games, each game made by its number alone.

mod game;
mod judge;
mod plan;
mod starts;
mod worker;

pub use judge::Judge;
pub use plan::{Plan, is_bootstrap, kept_share};
pub use starts::varied_start;
pub use worker::{Counters, Dropped, generate};
