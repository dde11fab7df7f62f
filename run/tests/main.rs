//! What a run keeps on disk.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod config;
mod labels;
mod record_file;
mod run;
