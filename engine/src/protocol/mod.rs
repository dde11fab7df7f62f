//! The commands of UCI and USI.

mod command;
mod parse;
pub(crate) mod usi;

pub use command::{Clocks, Command, Go, StartPosition};
pub use parse::ParseError;

/// The protocol, selected by `uci` or `usi`.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) enum Protocol {
    #[default]
    Uci,
    Usi,
}
