//! Tree search over any [`Game`](garuda_rules::Game) with any [`Evaluator`].

mod analysis;
mod batch;
pub mod bench;
mod cache;
mod choice;
mod evaluator;
pub mod evaluators;
mod gumbel;
mod halving;
mod improve;
mod limits;
mod numbers;
mod outline;
mod proof;
mod puct;
mod random;
mod search;
mod shard;
mod tree;
mod walk;

pub use analysis::{Analysis, AnalysisSettings, Report};
pub use cache::Cache;
pub use choice::{Choice, Line};
pub use evaluator::{Answers, EvalError, Evaluator, Wdl};
pub use gumbel::{Gumbel, GumbelSettings};
pub use improve::ValueScale;
pub use limits::{Limits, Signal};
pub use numbers::sample;
pub use outline::Outline;
pub use proof::Proof;
pub use puct::{Puct, PuctSettings};
pub use random::random_move;
pub use search::{Leaf, Search};
pub use shard::Shard;
pub use tree::NodeId;
