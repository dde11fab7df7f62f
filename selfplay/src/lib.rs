//! The loop of a run: self-play generates games, the replay window keeps the recent ones, the
//! network trains on them, and each checkpoint is evaluated against earlier ones.

pub mod experiment;
pub mod generate;
pub mod label;
#[cfg(feature = "torch")]
pub mod replay;
#[cfg(feature = "torch")]
pub mod train;
