//! What a search must do, whatever the game and the evaluator.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod bandit;
mod brute;
mod draws;
mod errors;
mod golden;
mod independence;
mod limits;
mod mates;
mod ours;
mod reuse;
mod runs;
mod sides;
mod solver;
mod toys;
mod virtual_loss;
