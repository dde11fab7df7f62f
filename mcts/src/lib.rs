//! Tree search over any [`Game`](garuda_rules::Game) with any [`Evaluator`].
//!
//! There are two searches. [`Gumbel`] decides well with few simulations and gives a target to
//! learn from: it is for self-play. [`Puct`] is for matches, analysis and engines. Both prove
//! wins, draws and losses exactly ([`Proof`]), know the past of the game, and never assume that
//! the sides alternate.
//!
//! A search does not call the evaluator: it asks for leaves and is given answers ([`Search`]), so
//! a driver can fill batches. There are two drivers. A [`Shard`] advances many games by one leaf
//! each; an [`Analysis`] follows one game with several leaves of one tree.
//!
//! ```
//! use garuda_mcts::evaluators::Material;
//! use garuda_mcts::{Analysis, AnalysisSettings, Limits, Signal};
//! use garuda_rules::{Position, ToriShogi};
//!
//! let mut analysis = Analysis::new(ToriShogi::start(), AnalysisSettings::default());
//! let mut evaluator = Material::default();
//! let report = analysis.think(&mut evaluator, Limits::nodes(500), &Signal::new(), |_| {})?;
//! let best = report.best.expect("the game has just begun");
//! println!("{} {:?}", analysis.game().position().uci(best), report.wdl);
//! # Ok::<(), garuda_mcts::EvalError>(())
//! ```
//!
//! Values are always for the side to move at the node they belong to.

mod analysis;
mod batch;
pub mod bench;
mod cache;
mod choice;
mod descent;
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

pub use analysis::{Analysis, AnalysisSettings, Report};
pub use cache::Cache;
pub use choice::{Choice, Line};
pub use evaluator::{EvalError, Evaluations, Evaluator, Wdl};
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
