//! The API and the position index.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod api;
mod common;
mod index;
