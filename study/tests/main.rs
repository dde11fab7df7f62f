//! Reports on runs.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod balance;
mod charts;
mod experiment;
mod openings;
mod values;
