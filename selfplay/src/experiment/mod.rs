//! Experiments on openings: games from given starts, the *arms*, kept as records, until they show
//! which arms are good.
//!
//! A game follows from the terms of its directory, its arm and its number; which games are played
//! follows from the results alone. So an experiment that was interrupted, however often, ends as one
//! that was not.

mod arms;
mod dir;
mod play;
mod study;

pub use arms::Arm;
pub use dir::{ExperimentDir, ExperimentTerms, StoredResult};
pub use play::{PlayOptions, PlayedArms, play_arms};
pub use study::{ExperimentSettings, run_experiment};
