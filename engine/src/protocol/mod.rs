//! The commands of UCI and USI.

mod command;
mod parse;
pub(crate) mod usi;

use garuda_rules::RuleSet;

pub use command::{Clocks, Command, Go, StartPosition};
pub use parse::ParseError;

/// The protocol, selected by `uci` or `usi`.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) enum Protocol {
    #[default]
    Uci,
    Usi,
}

impl Protocol {
    /// The games that it can be spoken in; the first is the default.
    pub(crate) fn rule_sets(self) -> Vec<RuleSet> {
        let all = RuleSet::ALL.into_iter();
        match self {
            Protocol::Uci => all.collect(),
            Protocol::Usi => all.filter(|rules| rules.has_usi()).collect(),
        }
    }
}
