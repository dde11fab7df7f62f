//! The program as its users start it.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[cfg(feature = "torch")]
mod adding_a_game;
mod commands;
mod docs;
#[cfg(feature = "torch")]
mod names;
mod openings;
mod reports;
mod train;
mod uci;
