//! Games that networks play: self-play, experiments with openings, and labels for the positions of
//! games. What learns from them is `garuda-training`.

pub mod experiment;
pub mod generate;
pub mod label;
