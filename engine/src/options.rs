use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use garuda_mcts::PuctSettings;
use garuda_rules::{RuleSet, UnknownRuleSet};
use thiserror::Error;

use crate::memory::max_hash_mib;
use crate::protocol::Protocol;

/// The values of all options.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Options {
    /// `None` until the user sets it.
    pub(crate) variant: Option<RuleSet>,
    /// Path of an exported network.
    pub(crate) eval_file: Option<PathBuf>,
    /// Path of an opening book.
    pub(crate) book: Option<PathBuf>,
    pub(crate) threads: usize,
    /// Memory for the tree and the cache in MiB.
    pub(crate) hash_mib: usize,
    pub(crate) multi_pv: usize,
    pub(crate) show_wdl: bool,
    pub(crate) move_overhead: Duration,
    pub(crate) puct: PuctSettings,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            variant: None,
            eval_file: None,
            book: None,
            threads: 1,
            hash_mib: 256,
            multi_pv: 1,
            show_wdl: false,
            move_overhead: Duration::from_millis(50),
            puct: PuctSettings::default(),
        }
    }
}

/// The options.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum OptionName {
    Variant,
    EvalFile,
    Book,
    Threads,
    Hash,
    MultiPv,
    ShowWdl,
    MoveOverhead,
    Ponder,
    Cpuct,
    FpuReduction,
    PolicyTemperature,
}

/// Why an option was not set.
#[derive(Clone, PartialEq, Debug, Error)]
pub(crate) enum OptionError {
    #[error("there is no option {0:?}")]
    Unknown(String),
    #[error("{name} must be a number from {min} to {max}, not {text:?}")]
    Number {
        name: &'static str,
        min: String,
        max: String,
        text: String,
    },
    #[error("{name} must be true or false, not {text:?}")]
    Check { name: &'static str, text: String },
    #[error(transparent)]
    Variant(#[from] UnknownRuleSet),
}

/// The type of an option in UCI.
enum OptionType {
    Spin {
        default: usize,
        min: usize,
        max: usize,
    },
    /// A number that need not be whole. UCI has no type for it: it is announced as a string.
    Decimal {
        default: f32,
        min: f32,
        max: f32,
    },
    Check,
    Text,
    Variant,
}

impl OptionName {
    const ALL: [OptionName; 12] = [
        OptionName::Variant,
        OptionName::EvalFile,
        OptionName::Book,
        OptionName::Threads,
        OptionName::Hash,
        OptionName::MultiPv,
        OptionName::ShowWdl,
        OptionName::MoveOverhead,
        OptionName::Ponder,
        OptionName::Cpuct,
        OptionName::FpuReduction,
        OptionName::PolicyTemperature,
    ];

    const fn uci(self) -> &'static str {
        match self {
            OptionName::Variant => "UCI_Variant",
            OptionName::EvalFile => "EvalFile",
            OptionName::Book => "Book",
            OptionName::Threads => "Threads",
            OptionName::Hash => "Hash",
            OptionName::MultiPv => "MultiPV",
            OptionName::ShowWdl => "UCI_ShowWDL",
            OptionName::MoveOverhead => "Move Overhead",
            OptionName::Ponder => "Ponder",
            OptionName::Cpuct => "CPuct",
            OptionName::FpuReduction => "FpuReduction",
            OptionName::PolicyTemperature => "PolicyTemperature",
        }
    }

    /// USI has its own names for some options, and no spaces in names.
    fn usi(self) -> String {
        match self {
            OptionName::Hash => "USI_Hash".to_owned(),
            OptionName::Ponder => "USI_Ponder".to_owned(),
            _ => self.uci().replace("UCI_", "USI_").replace(' ', "_"),
        }
    }

    fn option_type(self) -> OptionType {
        let puct = PuctSettings::default();
        let decimal = |default, min, max| OptionType::Decimal { default, min, max };
        let (default, min, max) = match self {
            OptionName::Variant => return OptionType::Variant,
            OptionName::EvalFile | OptionName::Book => return OptionType::Text,
            OptionName::ShowWdl | OptionName::Ponder => return OptionType::Check,
            OptionName::Cpuct => return decimal(puct.cpuct, 0.1, 10.0),
            OptionName::FpuReduction => return decimal(puct.fpu_reduction, 0.0, 2.0),
            OptionName::PolicyTemperature => return decimal(puct.policy_temperature, 0.1, 10.0),
            OptionName::Threads => (1, 1, 256),
            OptionName::Hash => (256, 1, max_hash_mib()),
            OptionName::MultiPv => (1, 1, 500),
            OptionName::MoveOverhead => (50, 0, 5000),
        };
        OptionType::Spin { default, min, max }
    }

    /// Finds an option by its UCI or USI name, ignoring case.
    fn find(text: &str) -> Option<OptionName> {
        let normalise = |text: &str| {
            let text = text.to_ascii_lowercase().replace('_', " ");
            let short = text.strip_prefix("uci ").or(text.strip_prefix("usi "));
            short.unwrap_or(&text).to_owned()
        };
        OptionName::ALL
            .into_iter()
            .find(|name| normalise(name.uci()) == normalise(text))
    }
}

impl Options {
    /// Sets an option and returns which.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<OptionName, OptionError> {
        let unknown = || OptionError::Unknown(name.chars().take(60).collect());
        let option = OptionName::find(name).ok_or_else(unknown)?;
        match option {
            OptionName::Variant => self.variant = Some(value.parse()?),
            OptionName::EvalFile => self.eval_file = path(value),
            OptionName::Book => self.book = path(value),
            OptionName::Threads => self.threads = option.number(value)?,
            OptionName::Hash => self.hash_mib = option.number(value)?,
            OptionName::MultiPv => self.multi_pv = option.number(value)?,
            OptionName::MoveOverhead => {
                self.move_overhead = Duration::from_millis(option.number(value)? as u64);
            }
            OptionName::ShowWdl => self.show_wdl = option.check(value)?,
            OptionName::Cpuct => self.puct.cpuct = option.decimal(value)?,
            OptionName::FpuReduction => self.puct.fpu_reduction = option.decimal(value)?,
            OptionName::PolicyTemperature => {
                self.puct.policy_temperature = option.decimal(value)?;
            }
            // It only announces that `go ponder` may follow.
            OptionName::Ponder => {
                option.check(value)?;
            }
        }
        Ok(option)
    }

    /// Memory limit of the search tree in bytes.
    pub(crate) fn tree_bytes(&self) -> usize {
        (self.hash_mib << 20) / 4 * 3
    }

    /// Number of cached evaluations, of about 200 bytes each.
    pub(crate) fn cache_entries(&self) -> usize {
        let entries = (self.hash_mib << 20) / 4 / 200;
        // The cache rounds up to a power of two.
        entries.next_power_of_two() / 2
    }
}

/// The path that a value names, if any.
fn path(value: &str) -> Option<PathBuf> {
    let path = Some(value).filter(|path| !path.is_empty() && *path != "<empty>");
    path.map(PathBuf::from)
}

impl OptionName {
    fn number(self, text: &str) -> Result<usize, OptionError> {
        let OptionType::Spin { min, max, .. } = self.option_type() else {
            unreachable!("only spin options are parsed as whole numbers");
        };
        self.in_range(text, &(min..=max))
    }

    fn decimal(self, text: &str) -> Result<f32, OptionError> {
        let OptionType::Decimal { min, max, .. } = self.option_type() else {
            unreachable!("only decimal options are parsed as such");
        };
        self.in_range(text, &(min..=max))
    }

    fn in_range<T: FromStr + PartialOrd + fmt::Display>(
        self,
        text: &str,
        range: &RangeInclusive<T>,
    ) -> Result<T, OptionError> {
        let number = text.parse().ok().filter(|n| range.contains(n));
        number.ok_or_else(|| OptionError::Number {
            name: self.uci(),
            min: range.start().to_string(),
            max: range.end().to_string(),
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

/// The `option` lines of a protocol.
pub(crate) struct OptionList(pub(crate) Protocol);

impl fmt::Display for OptionList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in OptionName::ALL {
            match self.0 {
                Protocol::Uci => write!(f, "option name {} type ", name.uci())?,
                Protocol::Usi => write!(f, "option name {} type ", name.usi())?,
            }
            match name.option_type() {
                OptionType::Spin { default, min, max } => {
                    writeln!(f, "spin default {default} min {min} max {max}")?;
                }
                OptionType::Decimal { default, .. } => writeln!(f, "string default {default}")?,
                OptionType::Check => writeln!(f, "check default false")?,
                OptionType::Text => writeln!(f, "string default <empty>")?,
                OptionType::Variant => {
                    let variants = self.0.rule_sets();
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

    /// The table of the README has every option, with its USI name and default.
    #[test]
    fn the_readme_lists_all_options() {
        let readme = include_str!("../README.md");
        for name in OptionName::ALL {
            let default = match name.option_type() {
                OptionType::Spin { default, .. } => format!("{default} |"),
                OptionType::Decimal { default, .. } => format!("{default} |"),
                OptionType::Check => "false |".to_owned(),
                OptionType::Text => "`<empty>` |".to_owned(),
                OptionType::Variant => format!("{} (USI: torishogi) |", RuleSet::ALL[0]),
            };
            let row = format!("| `{}` | `{}` | {default}", name.uci(), name.usi());
            assert!(readme.contains(&row), "{row}");
        }
    }

    #[test]
    fn announced_defaults_are_the_defaults() {
        let mut options = Options::default();
        for name in OptionName::ALL {
            let default = match name.option_type() {
                OptionType::Spin { default, .. } => default.to_string(),
                OptionType::Decimal { default, .. } => default.to_string(),
                _ => continue,
            };
            assert_eq!(options.set(name.uci(), &default), Ok(name));
        }
        assert_eq!(options, Options::default());
    }

    #[test]
    fn names_of_both_protocols_are_found() {
        for name in OptionName::ALL {
            for text in [name.uci(), &name.usi(), &name.uci().to_uppercase()] {
                assert_eq!(OptionName::find(text), Some(name), "{text}");
            }
        }
        assert_eq!(OptionName::find(""), None);
        assert_eq!(OptionName::find("uci_"), None);
    }

    #[test]
    fn wrong_values_change_nothing() {
        let mut options = Options::default();
        for (name, value, message) in [
            ("Hash", "0", "from 1 to"),
            ("Hash", "-3", "not \"-3\""),
            ("Hash", "99999999", "from 1 to"),
            ("Threads", "99999999999999999999", "from 1 to 256"),
            ("MultiPV", "", "not \"\""),
            (
                "CPuct",
                "0",
                "CPuct must be a number from 0.1 to 10, not \"0\"",
            ),
            ("PolicyTemperature", "nan", "from 0.1 to 10"),
            ("UCI_ShowWDL", "yes", "true or false"),
            ("UCI_Variant", "chess", "no rule set \"chess\""),
            ("Contempt", "3", "no option \"Contempt\""),
        ] {
            let error = options.set(name, value).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        assert_eq!(options, Options::default());
    }
}
