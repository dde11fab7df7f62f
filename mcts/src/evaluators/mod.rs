//! Evaluators that need no network.

mod material;
mod rollout;
mod table;
mod uniform;

pub use material::Material;
pub use rollout::Rollout;
pub use table::Table;
pub use uniform::Uniform;
