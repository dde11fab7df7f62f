//! Tests of the program through its standard input and output, as GUIs use it.

#![allow(clippy::unwrap_used, reason = "test helpers may unwrap as tests do")]

mod book;
mod games;
#[cfg(target_os = "linux")]
mod hash;
mod mates;
mod network;
mod process;
mod races;
mod uci;
mod usi;
