//! The nine types of pieces and how they step.

use crate::{FeaturePlace, MaterialFeature, PieceType, Step};

// Places in [`PIECE_TYPES`].
pub(super) const SWALLOW: usize = 0;
pub(super) const FALCON: usize = 1;
pub(super) const LEFT_QUAIL: usize = 3;
pub(super) const RIGHT_QUAIL: usize = 4;
pub(super) const PHOENIX: usize = 6;
pub(super) const GOOSE: usize = 7;
pub(super) const EAGLE: usize = 8;

/// How many kinds there are, and how many of them (the first ones) can be in hand.
pub(super) const COUNT: usize = 9;
pub(super) const IN_HAND: usize = 6;

pub(super) const PLACEABLE: [u8; IN_HAND] = [0, 1, 2, 3, 4, 5];
/// More than a few swallows are rarely in a hand.
pub(super) const HAND_UNITS: [u8; IN_HAND] = [4, 2, 2, 2, 2, 2];

/// How many pieces of a type there can be, of both sides together and with the promoted ones. It is
/// what the game has, but for two more falcons, which composed positions have.
pub(super) const SUPPLY: [u8; IN_HAND] = [16, 4, 4, 2, 2, 4];

/// The kinds that have steps that can be repeated.
pub(super) const SLIDERS: [usize; 3] = [LEFT_QUAIL, RIGHT_QUAIL, EAGLE];

/// The values are those that the guide of pychess.org cites; in hand pieces are worth a little less, but
/// for the swallow.
pub(super) const PIECE_TYPES: [PieceType; COUNT] = [
    guided(PieceType::new("S", "swallow", &[Step::leap(0, 1)]), 1.0).worth_in_hand(1.0),
    guided(
        PieceType::new(
            "F",
            "falcon",
            &[
                Step::leap(0, 1),
                Step::leap(-1, 1),
                Step::leap(1, 1),
                Step::leap(-1, 0),
                Step::leap(1, 0),
                Step::leap(-1, -1),
                Step::leap(1, -1),
            ],
        ),
        7.0,
    ),
    guided(
        PieceType::new(
            "C",
            "crane",
            &[
                Step::leap(0, 1),
                Step::leap(-1, 1),
                Step::leap(1, 1),
                Step::leap(0, -1),
                Step::leap(-1, -1),
                Step::leap(1, -1),
            ],
        ),
        6.0,
    ),
    guided(
        PieceType::new(
            "L",
            "left quail",
            &[Step::slide(0, 1), Step::slide(1, -1), Step::leap(-1, -1)],
        ),
        7.0,
    ),
    guided(
        PieceType::new(
            "R",
            "right quail",
            &[Step::slide(0, 1), Step::slide(-1, -1), Step::leap(1, -1)],
        ),
        7.0,
    )
    .mirror_image_of("L"),
    guided(
        PieceType::new(
            "P",
            "pheasant",
            &[Step::leap(0, 2), Step::leap(-1, -1), Step::leap(1, -1)],
        ),
        3.0,
    ),
    PieceType::new(
        "K",
        "phoenix",
        &[
            Step::leap(0, 1),
            Step::leap(-1, 1),
            Step::leap(1, 1),
            Step::leap(-1, 0),
            Step::leap(1, 0),
            Step::leap(0, -1),
            Step::leap(-1, -1),
            Step::leap(1, -1),
        ],
    )
    .royal(),
    guided(
        PieceType::new(
            "+S",
            "goose",
            &[Step::leap(-2, 2), Step::leap(2, 2), Step::leap(0, -2)],
        ),
        2.0,
    ),
    guided(
        PieceType::new(
            "+F",
            "eagle",
            &[
                Step::leap(0, 1),
                Step::leap(-1, 0),
                Step::leap(1, 0),
                Step::slide(-1, 1),
                Step::slide(1, 1),
                Step::slide(0, -1),
                Step::ranged(-1, -1, 2),
                Step::ranged(1, -1, 2),
            ],
        ),
        16.0,
    ),
];

const fn guided(piece_type: PieceType, value: f32) -> PieceType {
    piece_type
        .valued(value)
        .worth_in_hand(0.9 * value)
        .guide(value, value)
}

/// By value, and the two quails, mirror images of each other, as one.
pub(super) const MATERIAL_FEATURES: [MaterialFeature; 12] = [
    MaterialFeature::new("swallow", "S", FeaturePlace::Board),
    MaterialFeature::new("pheasant", "P", FeaturePlace::Board),
    MaterialFeature::new("crane", "C", FeaturePlace::Board),
    MaterialFeature::new("quail", "L", FeaturePlace::Board),
    MaterialFeature::new("falcon", "F", FeaturePlace::Board),
    MaterialFeature::new("goose", "+S", FeaturePlace::Board),
    MaterialFeature::new("eagle", "+F", FeaturePlace::Board),
    MaterialFeature::new("swallow", "S", FeaturePlace::Hand),
    MaterialFeature::new("pheasant", "P", FeaturePlace::Hand),
    MaterialFeature::new("crane", "C", FeaturePlace::Hand),
    MaterialFeature::new("quail", "L", FeaturePlace::Hand),
    MaterialFeature::new("falcon", "F", FeaturePlace::Hand),
];

/// What a kind becomes in the promotion zone; itself if it does not promote.
pub(super) const fn promoted(piece_type: usize) -> usize {
    match piece_type {
        SWALLOW => GOOSE,
        FALCON => EAGLE,
        other => other,
    }
}

/// What a captured piece is in the captor's hand.
pub(super) const fn demoted(piece_type: usize) -> usize {
    match piece_type {
        GOOSE => SWALLOW,
        EAGLE => FALCON,
        other => other,
    }
}

/// The kind that left and right exchanged make of a kind.
pub(super) const fn mirrored(piece_type: usize) -> usize {
    match piece_type {
        LEFT_QUAIL => RIGHT_QUAIL,
        RIGHT_QUAIL => LEFT_QUAIL,
        other => other,
    }
}
