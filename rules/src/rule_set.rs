use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// One of the five sets of rules, chosen by name in configs and commands.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RuleSet {
    Makruk,
    Sittuyin,
    SittuyinBooklet,
    ToriShogi,
    Eternal,
}

impl RuleSet {
    pub const ALL: [RuleSet; 5] = [
        RuleSet::Makruk,
        RuleSet::Sittuyin,
        RuleSet::SittuyinBooklet,
        RuleSet::ToriShogi,
        RuleSet::Eternal,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            RuleSet::Makruk => "makruk",
            RuleSet::Sittuyin => "sittuyin",
            RuleSet::SittuyinBooklet => "sittuyin-booklet",
            RuleSet::ToriShogi => "torishogi",
            RuleSet::Eternal => "eternal",
        }
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no rule set has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "there is no rule set {0:?}; there are makruk, sittuyin, sittuyin-booklet, torishogi (or tori) and eternal"
)]
pub struct UnknownRuleSet(String);

impl FromStr for RuleSet {
    type Err = UnknownRuleSet;

    fn from_str(name: &str) -> Result<RuleSet, UnknownRuleSet> {
        RuleSet::ALL
            .into_iter()
            .find(|rule_set| rule_set.name() == name)
            .or((name == "tori").then_some(RuleSet::ToriShogi))
            .ok_or_else(|| UnknownRuleSet(name.chars().take(50).collect()))
    }
}

/// Runs an expression with `$position` naming the [`Position`](crate::Position) type of a rule
/// set: the one place where a name known at run time becomes a type.
///
/// ```
/// use garuda_rules::{Position, RuleSet, with_rule_set};
///
/// fn squares(rule_set: RuleSet) -> usize {
///     with_rule_set!(rule_set, P => P::BOARD.squares())
/// }
/// assert_eq!(squares(RuleSet::Eternal), 72);
/// ```
#[macro_export]
macro_rules! with_rule_set {
    ($rule_set:expr, $position:ident => $body:expr) => {
        match $rule_set {
            $crate::RuleSet::Makruk => {
                type $position = $crate::makruk::MakrukPosition;
                $body
            }
            $crate::RuleSet::Sittuyin => {
                type $position = $crate::sittuyin::SittuyinPosition<false>;
                $body
            }
            $crate::RuleSet::SittuyinBooklet => {
                type $position = $crate::sittuyin::SittuyinPosition<true>;
                $body
            }
            $crate::RuleSet::ToriShogi => {
                type $position = $crate::tori::ToriPosition;
                $body
            }
            $crate::RuleSet::Eternal => {
                type $position = $crate::eternal::EternalPosition;
                $body
            }
        }
    };
}
