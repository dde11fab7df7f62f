//! `garuda train`: self-play, training and evaluation in turn, for as long as one likes.

mod alarms;
mod checkpoints;
mod evaluate;
mod figures;
mod learn;
mod machine;
mod play;
mod progress;
mod session;
mod stop;
mod ui;

#[cfg(test)]
mod tests;

pub use progress::Progress;
pub use session::{Summary, TrainOptions, train};
pub use stop::Stop;
pub(crate) use ui::thousands;
pub use ui::{Log, Phase, init_logging};
