//! Evaluators that need no network.

mod rollout;
mod table;
mod uniform;

pub use rollout::Rollout;
pub use table::Table;
pub use uniform::Uniform;
