//! Self-play, experiments, records and labels.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;
mod experiment;
mod generate;
mod label;
mod records;
