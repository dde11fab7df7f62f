//! Self-play: shards of concurrent games, each game a function of its plan and number.

mod evaluator;
mod game;
mod plan;
mod shards;
mod source;

pub use evaluator::SelfplayEvaluator;
pub use plan::{ArmStart, Plan, PlanSpec, is_bootstrap, recorded_share};
pub use shards::{Counters, DroppedGame, NextNumber, NumberSupply, generate, generate_from};
pub use source::{GameOrder, GameSink, GameSource, LocalSource};
