//! From records to what a network is trained on.

mod sample;
mod window;

pub use sample::{Sample, SampleSettings};
pub use window::{Replay, first_remembered, window_size};
