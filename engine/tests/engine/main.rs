//! The built program, spoken to as graphical programs do.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod games;
mod mates;
mod network;
mod process;
mod races;
mod uci;
mod usi;
