//! What others say that pieces are value.

use std::fmt;

use garuda_mcts::evaluators::PieceValues;
use garuda_rules::RuleSet;
use serde::Serialize;

use super::{Feature, FeaturePlace};

/// A value as a guide gives it, in swallows or pawns.
#[derive(Copy, Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuideValue {
    About(f64),
    Between(f64, f64),
    /// A little less than this.
    Under(f64),
}

impl fmt::Display for GuideValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GuideValue::About(value) => write!(f, "{value}"),
            GuideValue::Between(low, high) => write!(f, "{low}–{high}"),
            GuideValue::Under(value) => write!(f, "<{value}"),
        }
    }
}

/// Where a guide's values come from.
pub(super) fn source(rule_set: RuleSet) -> Option<&'static str> {
    match rule_set {
        RuleSet::ToriShogi => Some(
            "the guide's values are those of a Tori Shogi program that the pychess.org guide cites; \
             in hand pieces are value a little less, but for the swallow. The guide's author thinks \
             the crane value somewhat more than the quail",
        ),
        RuleSet::Makruk | RuleSet::Sittuyin | RuleSet::SittuyinBooklet => {
            Some("the pychess.org guides value only the general (Met, Sit-ke), at 1.5 to 2 pawns")
        }
        RuleSet::Eternal => None,
    }
}

/// What the guide of a game says of an feature.
pub(super) fn guide(rule_set: RuleSet, feature: &Feature) -> Option<GuideValue> {
    match rule_set {
        RuleSet::ToriShogi => {
            let value = match feature.letter {
                "S" => return Some(GuideValue::About(1.0)),
                "+S" => 2.0,
                "P" => 3.0,
                "C" => 6.0,
                "L" | "F" => 7.0,
                "+F" => 16.0,
                _ => return None,
            };
            Some(match feature.place {
                FeaturePlace::Hand => GuideValue::Under(value),
                _ => GuideValue::About(value),
            })
        }
        RuleSet::Makruk | RuleSet::Sittuyin | RuleSet::SittuyinBooklet => {
            matches!(feature.letter, "M" | "F").then_some(GuideValue::Between(1.5, 2.0))
        }
        RuleSet::Eternal => None,
    }
}

/// What the `material` evaluator takes a piece to be value, where that is not what the guide says.
pub(super) fn assumed<P: PieceValues>(rule_set: RuleSet, feature: &Feature) -> Option<f64> {
    let is_guides = rule_set == RuleSet::ToriShogi;
    let value = f64::from(P::piece_value(feature.letter));
    // To two places: the evaluator's numbers are single precision.
    (!is_guides && feature.place == FeaturePlace::Board).then_some((100.0 * value).round() / 100.0)
}
