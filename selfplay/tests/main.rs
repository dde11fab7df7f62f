//! Self-play, records, labels and the replay window.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;
mod experiment;
mod generate;
#[cfg(feature = "torch")]
mod label;
mod records;
#[cfg(feature = "torch")]
mod replay;
