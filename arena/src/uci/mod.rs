//! The client's side of the Universal Chess Interface: other programs as players and as
//! references.

mod client;
mod process;

pub use client::{Score, UciClient};
pub use process::EngineGone;
