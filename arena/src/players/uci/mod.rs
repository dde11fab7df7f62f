//! Other programs as players, through the Universal Chess Interface.

mod engine;
mod process;

pub use engine::Uci;
