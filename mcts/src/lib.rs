//! Monte Carlo tree search over any [`Game`](garuda_rules::Game) with any [`Evaluator`].
//!
//! There are two searches. [`Gumbel`] plays well with few simulations and produces a policy
//! target to train on: it is for self-play. [`Puct`] is for matches, analysis and engines. Both
//! have a solver that proves wins, draws and losses ([`Proof`]), take the game's history into
//! account (repetitions, counting), and never assume that the sides alternate.
//!
//! A search does not call the evaluator: it yields leaves and takes their evaluations
//! ([`Search`]), so a driver can fill batches. There are two drivers. A [`Shard`] advances many
//! games by one leaf each; an [`Analysis`] searches one game, with several leaves per batch or with
//! several threads.
//!
//! ```
//! use garuda_mcts::evaluators::Material;
//! use garuda_mcts::{Analysis, AnalysisSettings, SearchControl, SearchLimits};
//! use garuda_rules::{Position, ToriShogi};
//!
//! let mut analysis = Analysis::new(ToriShogi::start(), AnalysisSettings::default());
//! let mut evaluator = Material::default();
//! let limits = SearchLimits::nodes(500);
//! let info = analysis.search(&mut evaluator, limits, &SearchControl::new(), |_| {})?;
//! let best = info.best.expect("the start position has legal moves");
//! println!("{} {:?}", analysis.game().position().uci(best), info.wdl);
//! # Ok::<(), garuda_mcts::EvalError>(())
//! ```
//!
//! Values are always for the side to move at the node they belong to.

#![warn(missing_docs)]

mod analysis;
pub mod bench;
mod best_move;
mod descent;
mod eval_cache;
mod evaluator;
pub mod evaluators;
mod gumbel;
mod leaf_batch;
mod math;
mod parallel;
mod policy_improvement;
mod proof;
mod puct;
mod random;
mod search;
mod search_limits;
mod sequential_halving;
mod shard;
mod tree;
mod tree_dump;

pub use analysis::{Analysis, AnalysisSettings, SearchInfo};
pub use best_move::{MoveSelection, PvLine};
pub use eval_cache::EvalCache;
pub use evaluator::{EvalError, Evaluations, Evaluator, Wdl};
pub use gumbel::{Gumbel, GumbelSettings};
pub use math::{sample, softmax};
pub use policy_improvement::ValueScale;
pub use proof::Proof;
pub use puct::{Puct, PuctSettings};
pub use random::random_move;
pub use search::{Leaf, Search};
pub use search_limits::{SearchControl, SearchLimits};
pub use shard::Shard;
pub use tree::NodeId;
pub use tree_dump::TreeDump;
