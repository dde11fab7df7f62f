use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use garuda_rules::{RuleSet, UnknownRuleSet};
use thiserror::Error;

use crate::protocol::Protocol;

/// What `setoption` can set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    /// As the user chose it, if so.
    pub(crate) variant: Option<RuleSet>,
    /// An exported network.
    pub(crate) eval_file: Option<PathBuf>,
    pub(crate) threads: usize,
    /// For the tree and the evaluations kept, in MiB.
    pub(crate) hash: usize,
    pub(crate) multi_pv: usize,
    pub(crate) show_wdl: bool,
    pub(crate) overhead: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            variant: None,
            eval_file: None,
            threads: 1,
            hash: 256,
            multi_pv: 1,
            show_wdl: false,
            overhead: Duration::from_millis(50),
        }
    }
}

/// An option, with the name it has in UCI.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Name {
    Variant,
    EvalFile,
    Threads,
    Hash,
    MultiPv,
    ShowWdl,
    Overhead,
    Ponder,
}

/// Why an option was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum OptionError {
    #[error("there is no option {0:?}")]
    Unknown(String),
    #[error("{name} must be a number from {min} to {max}, not {text:?}")]
    Number {
        name: &'static str,
        min: usize,
        max: usize,
        text: String,
    },
    #[error("{name} must be true or false, not {text:?}")]
    Check { name: &'static str, text: String },
    #[error(transparent)]
    Variant(#[from] UnknownRuleSet),
}

/// What a value of an option can be.
enum PieceType {
    Spin {
        default: usize,
        min: usize,
        max: usize,
    },
    Check,
    Text,
    Variant,
}

impl Name {
    const ALL: [Name; 8] = [
        Name::Variant,
        Name::EvalFile,
        Name::Threads,
        Name::Hash,
        Name::MultiPv,
        Name::ShowWdl,
        Name::Overhead,
        Name::Ponder,
    ];

    const fn uci(self) -> &'static str {
        match self {
            Name::Variant => "UCI_Variant",
            Name::EvalFile => "EvalFile",
            Name::Threads => "Threads",
            Name::Hash => "Hash",
            Name::MultiPv => "MultiPV",
            Name::ShowWdl => "UCI_ShowWDL",
            Name::Overhead => "Move Overhead",
            Name::Ponder => "Ponder",
        }
    }

    /// Shogi programs know the hash and pondering by other names, and take no spaces.
    fn usi(self) -> String {
        match self {
            Name::Hash => "USI_Hash".to_owned(),
            Name::Ponder => "USI_Ponder".to_owned(),
            _ => self.uci().replace("UCI_", "USI_").replace(' ', "_"),
        }
    }

    const fn kind(self) -> PieceType {
        let (default, min, max) = match self {
            Name::Variant => return PieceType::Variant,
            Name::EvalFile => return PieceType::Text,
            Name::ShowWdl | Name::Ponder => return PieceType::Check,
            Name::Threads => (1, 1, 256),
            Name::Hash => (256, 1, 1 << 20),
            Name::MultiPv => (1, 1, 500),
            Name::Overhead => (50, 0, 5000),
        };
        PieceType::Spin { default, min, max }
    }

    /// The option of a name in either protocol, however it is capitalised.
    fn find(text: &str) -> Option<Name> {
        let plain = |text: &str| {
            let text = text.to_ascii_lowercase().replace('_', " ");
            let short = text.strip_prefix("uci ").or(text.strip_prefix("usi "));
            short.unwrap_or(&text).to_owned()
        };
        Name::ALL
            .into_iter()
            .find(|name| plain(name.uci()) == plain(text))
    }
}

impl Options {
    /// Sets an option and tells which.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<Name, OptionError> {
        let unknown = || OptionError::Unknown(name.chars().take(60).collect());
        let option = Name::find(name).ok_or_else(unknown)?;
        match option {
            Name::Variant => self.variant = Some(value.parse()?),
            Name::EvalFile => {
                let path = Some(value).filter(|path| !path.is_empty() && *path != "<empty>");
                self.eval_file = path.map(PathBuf::from);
            }
            Name::Threads => self.threads = option.number(value)?,
            Name::Hash => self.hash = option.number(value)?,
            Name::MultiPv => self.multi_pv = option.number(value)?,
            Name::Overhead => self.overhead = Duration::from_millis(option.number(value)? as u64),
            Name::ShowWdl => self.show_wdl = option.check(value)?,
            // It only tells whether `go ponder` will come.
            Name::Ponder => {
                option.check(value)?;
            }
        }
        Ok(option)
    }

    /// The bytes of a search tree.
    pub(crate) fn tree_bytes(&self) -> usize {
        (self.hash << 20) / 4 * 3
    }

    /// The evaluations kept besides it, at about 200 bytes each.
    pub(crate) fn cached_evaluations(&self) -> usize {
        let evaluations = (self.hash << 20) / 4 / 200;
        // A cache takes the next power of two.
        evaluations.next_power_of_two() / 2
    }
}

impl Name {
    fn number(self, text: &str) -> Result<usize, OptionError> {
        let PieceType::Spin { min, max, .. } = self.kind() else {
            unreachable!("only numbers are read as numbers");
        };
        let number = text.parse().ok().filter(|n| (min..=max).contains(n));
        number.ok_or_else(|| OptionError::Number {
            name: self.uci(),
            min,
            max,
            text: text.chars().take(60).collect(),
        })
    }

    fn check(self, text: &str) -> Result<bool, OptionError> {
        let truth = text.to_ascii_lowercase().parse();
        truth.map_err(|_| OptionError::Check {
            name: self.uci(),
            text: text.chars().take(60).collect(),
        })
    }
}

/// The list of options as a protocol announces them.
pub(crate) struct Announced(pub(crate) Protocol);

impl fmt::Display for Announced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in Name::ALL {
            match self.0 {
                Protocol::Uci => write!(f, "option name {} type ", name.uci())?,
                Protocol::Usi => write!(f, "option name {} type ", name.usi())?,
            }
            match name.kind() {
                PieceType::Spin { default, min, max } => {
                    writeln!(f, "spin default {default} min {min} max {max}")?;
                }
                PieceType::Check => writeln!(f, "check default false")?,
                PieceType::Text => writeln!(f, "string default <empty>")?,
                PieceType::Variant => {
                    let variants: &[_] = match self.0 {
                        Protocol::Uci => &RuleSet::ALL,
                        Protocol::Usi => &[RuleSet::ToriShogi],
                    };
                    write!(f, "combo default {}", variants[0])?;
                    for variant in variants {
                        write!(f, " var {variant}")?;
                    }
                    writeln!(f)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_announced() {
        let mut options = Options::default();
        for name in Name::ALL {
            if let PieceType::Spin { default, .. } = name.kind() {
                assert_eq!(options.set(name.uci(), &default.to_string()), Ok(name));
            }
        }
        assert_eq!(options, Options::default());
    }

    #[test]
    fn names_of_both_protocols_are_known() {
        for name in Name::ALL {
            for text in [name.uci(), &name.usi(), &name.uci().to_uppercase()] {
                assert_eq!(Name::find(text), Some(name), "{text}");
            }
        }
        assert_eq!(Name::find(""), None);
        assert_eq!(Name::find("uci_"), None);
    }

    #[test]
    fn wrong_values_change_nothing() {
        let mut options = Options::default();
        for (name, value, words) in [
            ("Hash", "0", "from 1 to"),
            ("Hash", "-3", "not \"-3\""),
            ("Threads", "99999999999999999999", "from 1 to 256"),
            ("MultiPV", "", "not \"\""),
            ("UCI_ShowWDL", "yes", "true or false"),
            ("UCI_Variant", "chess", "no rule set \"chess\""),
            ("Contempt", "3", "no option \"Contempt\""),
        ] {
            let error = options.set(name, value).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(options, Options::default());
    }
}
