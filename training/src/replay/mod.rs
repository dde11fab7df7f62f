//! The replay window: from records to training samples.

mod game;
mod sample;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use game::ChosenSample;
pub use game::{ReplayGame, ply_of};
pub use sample::{SampleSettings, TrainingSample, game_samples};
pub use window::{Replay, first_in_window, window_size};
