//! Tests of the searches with toy games, our games and evaluators without a network.

#![allow(clippy::unwrap_used, reason = "test helpers may unwrap as tests do")]

mod bandit;
mod brute_force;
mod draws;
mod errors;
mod games;
mod golden;
mod helpers;
mod independence;
mod limits;
mod mates;
mod parallel;
mod reuse;
mod solver;
mod toy_games;
mod turn_order;
mod virtual_loss;
