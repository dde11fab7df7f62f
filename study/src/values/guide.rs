//! Piece values from guides.

use std::fmt;

use garuda_rules::{FeaturePlace, MaterialFeature, PieceType, Position};
use serde::{Deserialize, Serialize};

/// A value as a guide gives it, in swallows or pawns.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
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

/// The value that the guide of a game gives for a feature.
pub(super) fn guide<P: Position>(feature: &MaterialFeature) -> Option<GuideValue> {
    let piece_type = piece_type::<P>(feature)?;
    let [low, high] = piece_type.guide?.map(f64::from);
    match feature.place {
        FeaturePlace::Hand if piece_type.hand_value < piece_type.value => {
            Some(GuideValue::Under(high))
        }
        FeaturePlace::Board | FeaturePlace::Hand if low == high => Some(GuideValue::About(low)),
        FeaturePlace::Board | FeaturePlace::Hand => Some(GuideValue::Between(low, high)),
        FeaturePlace::Across | FeaturePlace::Zone | FeaturePlace::Score => None,
    }
}

/// The value that the `material` evaluator gives to a piece, where that is not the guide's.
pub(super) fn assumed<P: Position>(feature: &MaterialFeature) -> Option<f64> {
    let piece_type = piece_type::<P>(feature).filter(|_| feature.place == FeaturePlace::Board)?;
    // To two places: the evaluator's numbers are single precision.
    let value = (100.0 * f64::from(piece_type.value)).round() / 100.0;
    (guide::<P>(feature) != Some(GuideValue::About(value))).then_some(value)
}

fn piece_type<P: Position>(feature: &MaterialFeature) -> Option<&'static PieceType> {
    (P::PIECE_TYPES.iter()).find(|piece_type| piece_type.letter == feature.letter)
}
