//! Other programs as players, through the Universal Chess Interface.

mod engine;
mod process;
mod spec;

pub use engine::Uci;
pub use spec::UciSpec;
