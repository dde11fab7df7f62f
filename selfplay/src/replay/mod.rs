//! The replay window: from records to training samples.

mod sample;
mod window;

pub use sample::{SampleSettings, TrainingSample};
pub use window::{Replay, first_in_window, window_size};
