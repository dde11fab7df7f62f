//! The table of games. A game is a folder beside this file and one row here.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::Position;

/// Makes everything that depends on the list of games: [`RuleSet`], the aliases for games in
/// progress and [`with_rule_set!`](crate::with_rule_set).
///
/// `$d` is a dollar sign, for the macro that this macro defines.
macro_rules! rule_sets {
    ($d:tt $(
        $(#[$doc:meta])*
        $variant:ident = $folder:ident :: $position:ident $(<$parameter:literal>)?;
    )+) => {
        /// A set of rules chosen at run time, by its name in configurations and commands.
        ///
        /// ```
        /// use garuda_rules::RuleSet;
        ///
        /// let tori: RuleSet = "tori".parse()?;
        /// assert_eq!(tori, RuleSet::ToriShogi);
        /// assert_eq!((tori.name(), tori.title()), ("torishogi", "Tori Shogi"));
        /// # Ok::<(), garuda_rules::UnknownRuleSet>(())
        /// ```
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum RuleSet {
            $($(#[$doc])* $variant,)+
        }

        impl RuleSet {
            /// All rows of the table, examples included.
            pub const WITH_EXAMPLES: [RuleSet; [$(RuleSet::$variant),+].len()] =
                [$(RuleSet::$variant),+];
        }

        /// A game in progress of each rule set.
        pub(crate) mod games {
            $(
                $(#[$doc])*
                pub type $variant =
                    crate::GameState<crate::$folder::$position $(<$parameter>)?>;
            )+
        }

        /// Runs an expression with `$position` naming the [`Position`](crate::Position) type of a
        /// rule set: the one place where a name known at run time becomes a type.
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
            ($d rule_set:expr, $d position:ident => $d body:expr) => {
                match $d rule_set {
                    $(
                        $crate::RuleSet::$variant => {
                            type $d position = $crate::$folder::$position $(<$parameter>)?;
                            $d body
                        }
                    )+
                }
            };
        }
    };
}

rule_sets! { $
    /// Makruk, the chess of Thailand.
    Makruk = makruk::MakrukPosition;
    /// Sittuyin, the chess of Burma, as it is played online.
    Sittuyin = sittuyin::SittuyinPosition<false>;
    /// Sittuyin by the rules of the AncientChess booklet.
    SittuyinBooklet = sittuyin::SittuyinPosition<true>;
    /// Tori Shogi, the game of birds.
    ToriShogi = tori::ToriPosition;
    /// Eternal chess, where captured pieces are put back and four points win.
    Eternal = eternal::EternalPosition;
    /// Mini-Makruk, the example of how to add a game.
    MiniMakruk = mini_makruk::MiniMakrukPosition;
}

impl RuleSet {
    /// All rule sets but the examples, in the order of the table.
    pub const ALL: [RuleSet; RuleSet::count()] = {
        let mut all = [RuleSet::WITH_EXAMPLES[0]; RuleSet::count()];
        let (mut row, mut count) = (0, 0);
        while row < RuleSet::WITH_EXAMPLES.len() {
            if !RuleSet::WITH_EXAMPLES[row].is_example() {
                all[count] = RuleSet::WITH_EXAMPLES[row];
                count += 1;
            }
            row += 1;
        }
        all
    };

    const fn count() -> usize {
        let (mut row, mut count) = (0, 0);
        while row < RuleSet::WITH_EXAMPLES.len() {
            count += !RuleSet::WITH_EXAMPLES[row].is_example() as usize;
            row += 1;
        }
        count
    }

    /// The name in configurations, commands and files.
    pub const fn name(self) -> &'static str {
        with_rule_set!(self, P => <P as Position>::NAME)
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        with_rule_set!(self, P => <P as Position>::TITLE)
    }

    /// Other names that [`str::parse`] understands.
    pub const fn aliases(self) -> &'static [&'static str] {
        with_rule_set!(self, P => <P as Position>::ALIASES)
    }

    /// Whether it is an example of how to add a game rather than a game that people play.
    pub const fn is_example(self) -> bool {
        with_rule_set!(self, P => <P as Position>::IS_EXAMPLE)
    }

    /// Whether engines of this game speak USI besides UCI.
    pub const fn has_usi(self) -> bool {
        with_rule_set!(self, P => <P as Position>::HAS_USI)
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no rule set has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("there is no rule set {0:?}; there are {names}", names = names())]
pub struct UnknownRuleSet(String);

/// The names of all rule sets, `a, b (or c) and d`.
fn names() -> String {
    let mut text = String::new();
    for (i, rule_set) in RuleSet::ALL.iter().enumerate() {
        text += match RuleSet::ALL.len() - i {
            _ if i == 0 => "",
            1 => " and ",
            _ => ", ",
        };
        text += rule_set.name();
        if !rule_set.aliases().is_empty() {
            text += &format!(" (or {})", rule_set.aliases().join(", "));
        }
    }
    text
}

impl FromStr for RuleSet {
    type Err = UnknownRuleSet;

    fn from_str(name: &str) -> Result<RuleSet, UnknownRuleSet> {
        (RuleSet::WITH_EXAMPLES.into_iter())
            .find(|rule_set| rule_set.name() == name || rule_set.aliases().contains(&name))
            .ok_or_else(|| UnknownRuleSet(name.chars().take(50).collect()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_distinct_and_understood() {
        let mut names = HashSet::new();
        for rule_set in RuleSet::WITH_EXAMPLES {
            for name in rule_set.aliases().iter().chain([&rule_set.name()]) {
                assert!(names.insert(*name), "{name} stands for two rule sets");
                assert_eq!(name.parse(), Ok(rule_set));
            }
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        assert_eq!(
            "chess".parse::<RuleSet>().unwrap_err().to_string(),
            "there is no rule set \"chess\"; there are makruk, sittuyin, sittuyin-booklet, \
             torishogi (or tori) and eternal"
        );
    }
}
