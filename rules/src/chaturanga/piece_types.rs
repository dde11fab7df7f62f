use crate::{PieceType, Purpose, Step};

pub(crate) const PAWN: u8 = 0;
/// The Met of Makruk, the Sit-ke of Sittuyin.
pub(crate) const GENERAL: u8 = 1;
pub(crate) const KHON: u8 = 2;
pub(crate) const KNIGHT: u8 = 3;
pub(crate) const ROOK: u8 = 4;
pub(crate) const KING: u8 = 5;

/// How many kinds there are.
pub(crate) const PIECE_TYPE_COUNT: usize = 6;

/// What a pawn does to move, and a khon besides its diagonal steps.
pub(super) const FORWARD: Step = Step::leap(0, 1);

/// The steps of each kind.
pub(crate) const STEPS: [&[Step]; PIECE_TYPE_COUNT] = [
    &[
        FORWARD.only(Purpose::MoveOnly),
        Step::leap(-1, 1).only(Purpose::CaptureOnly),
        Step::leap(1, 1).only(Purpose::CaptureOnly),
    ],
    &[
        Step::leap(-1, -1),
        Step::leap(1, -1),
        Step::leap(-1, 1),
        Step::leap(1, 1),
    ],
    &[
        Step::leap(-1, -1),
        Step::leap(1, -1),
        Step::leap(-1, 1),
        Step::leap(1, 1),
        FORWARD,
    ],
    &[
        Step::leap(-1, -2),
        Step::leap(1, -2),
        Step::leap(-2, -1),
        Step::leap(2, -1),
        Step::leap(-2, 1),
        Step::leap(2, 1),
        Step::leap(-1, 2),
        Step::leap(1, 2),
    ],
    &[
        Step::slide(0, -1),
        Step::slide(-1, 0),
        Step::slide(1, 0),
        Step::slide(0, 1),
    ],
    &[
        Step::leap(-1, -1),
        Step::leap(0, -1),
        Step::leap(1, -1),
        Step::leap(-1, 0),
        Step::leap(1, 0),
        Step::leap(-1, 1),
        Step::leap(0, 1),
        Step::leap(1, 1),
    ],
];

/// The kinds under a game's own letters and names, given in the order of the constants above.
pub(crate) const fn piece_types(
    names: [(&'static str, &'static str); PIECE_TYPE_COUNT],
) -> [PieceType; PIECE_TYPE_COUNT] {
    let mut out = [PieceType {
        letter: "",
        name: "",
        steps: &[],
    }; PIECE_TYPE_COUNT];
    let mut i = 0;
    while i < PIECE_TYPE_COUNT {
        out[i] = PieceType {
            letter: names[i].0,
            name: names[i].1,
            steps: STEPS[i],
        };
        i += 1;
    }
    out
}
