//! The nine types of pieces and how they step.

use crate::{PieceType, Step};

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

/// How many pieces of a type there can be, of both sides together and with the promoted ones. It is
/// what the game has, but for two more falcons, which composed positions have.
pub(super) const SUPPLY: [u8; IN_HAND] = [16, 4, 4, 2, 2, 4];

/// The kinds that have steps that can be repeated.
pub(super) const SLIDERS: [usize; 3] = [LEFT_QUAIL, RIGHT_QUAIL, EAGLE];

pub(super) const PIECE_TYPES: [PieceType; COUNT] = [
    PieceType {
        letter: "S",
        name: "swallow",
        steps: &[Step::leap(0, 1)],
    },
    PieceType {
        letter: "F",
        name: "falcon",
        steps: &[
            Step::leap(0, 1),
            Step::leap(-1, 1),
            Step::leap(1, 1),
            Step::leap(-1, 0),
            Step::leap(1, 0),
            Step::leap(-1, -1),
            Step::leap(1, -1),
        ],
    },
    PieceType {
        letter: "C",
        name: "crane",
        steps: &[
            Step::leap(0, 1),
            Step::leap(-1, 1),
            Step::leap(1, 1),
            Step::leap(0, -1),
            Step::leap(-1, -1),
            Step::leap(1, -1),
        ],
    },
    PieceType {
        letter: "L",
        name: "left quail",
        steps: &[Step::slide(0, 1), Step::slide(1, -1), Step::leap(-1, -1)],
    },
    PieceType {
        letter: "R",
        name: "right quail",
        steps: &[Step::slide(0, 1), Step::slide(-1, -1), Step::leap(1, -1)],
    },
    PieceType {
        letter: "P",
        name: "pheasant",
        steps: &[Step::leap(0, 2), Step::leap(-1, -1), Step::leap(1, -1)],
    },
    PieceType {
        letter: "K",
        name: "phoenix",
        steps: &[
            Step::leap(0, 1),
            Step::leap(-1, 1),
            Step::leap(1, 1),
            Step::leap(-1, 0),
            Step::leap(1, 0),
            Step::leap(0, -1),
            Step::leap(-1, -1),
            Step::leap(1, -1),
        ],
    },
    PieceType {
        letter: "+S",
        name: "goose",
        steps: &[Step::leap(-2, 2), Step::leap(2, 2), Step::leap(0, -2)],
    },
    PieceType {
        letter: "+F",
        name: "eagle",
        steps: &[
            Step::leap(0, 1),
            Step::leap(-1, 0),
            Step::leap(1, 0),
            Step::slide(-1, 1),
            Step::slide(1, 1),
            Step::slide(0, -1),
            Step::ranged(-1, -1, 2),
            Step::ranged(1, -1, 2),
        ],
    },
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
