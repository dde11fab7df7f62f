use super::Men;
use crate::{Bits, Color};

const DARK: u64 = 0xaa55_aa55_aa55_aa55;

/// Whether neither side has the men to win.
pub(crate) fn neither_can_win(men: &Men) -> bool {
    // With a rook or khon its owner can win; most positions have one.
    men.rooks() | men.khons() == 0 && !Color::ALL.into_iter().any(|color| can_win(men, color))
}

/// Whether a side could checkmate with the men on the board, the enemy's in the way of their own
/// king included.
fn can_win(men: &Men, color: Color) -> bool {
    let own = men.of(color);
    let generals = men.generals();
    let helpers = men.knights() | men.pawns();
    let generals_on_both = generals & DARK != 0 && generals & !DARK != 0;
    own & (men.rooks() | men.khons()) != 0
        || own & generals != 0 && (generals_on_both || helpers != 0)
        || own & helpers != 0 && (men.occupied() & !men.kings()).len() >= 2
}
