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

/// What the types are worth in pawns.
const VALUES: [f32; PIECE_TYPE_COUNT] = [1.0, 1.7, 2.6, 3.0, 5.0, 0.0];

/// The range that the guides of pychess.org give for the general; they value nothing else.
const GENERAL_GUIDE: [f32; 2] = [1.5, 2.0];
pub(crate) const GUIDE: &str =
    "the pychess.org guides value only the general (Met, Sit-ke), at 1.5 to 2 pawns";

/// The types under a game's own letters and names, given in the order of the constants above.
pub(crate) const fn piece_types(
    names: [(&'static str, &'static str); PIECE_TYPE_COUNT],
) -> [PieceType; PIECE_TYPE_COUNT] {
    let mut out = [PieceType::new("", "", &[]); PIECE_TYPE_COUNT];
    let mut i = 0;
    while i < PIECE_TYPE_COUNT {
        let (letter, name) = names[i];
        out[i] = PieceType::new(letter, name, STEPS[i]).valued(VALUES[i]);
        i += 1;
    }
    let [low, high] = GENERAL_GUIDE;
    out[GENERAL as usize] = out[GENERAL as usize].guide(low, high);
    out[KING as usize] = out[KING as usize].royal();
    out
}
