//! Self-play: shards of concurrent games, each game made by its number alone.

mod game;
mod plan;
mod starts;
mod worker;

pub use plan::Plan;
pub use starts::varied_start;
pub use worker::{Counters, Dropped, generate};
