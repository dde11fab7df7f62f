//! The directory of a run, which is the whole truth about it.

mod dir;
mod ladder;
mod metrics;
mod plots;
pub(crate) mod svg;
mod tensorboard;

pub use dir::{RunDir, checkpoint_name};
pub use ladder::{Ladder, MatchResult};
pub use metrics::{Event, LossFigures, MatchFigures, Metrics, SelfplayFigures, TrainingFigures};
pub use plots::write_plots;
pub use tensorboard::TensorBoard;
