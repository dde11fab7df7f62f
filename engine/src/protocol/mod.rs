//! What is said in UCI and USI.

mod command;
mod parse;
pub(crate) mod usi;

pub use command::{Clocks, Command, Go, Start};
pub use parse::ParseError;

/// The language spoken, which the first `uci` or `usi` chooses.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) enum Protocol {
    #[default]
    Uci,
    Usi,
}
