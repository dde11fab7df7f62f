use super::PLACEABLE;
use crate::chaturanga::stream;
use crate::{ByColor, Color, zobrist};

/// PieceBoard that are still to be placed, by index into the placeable kinds.
pub(super) type Hand = [u8; PLACEABLE.len()];

/// Both sides' hands and their Zobrist key.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Hands {
    counts: ByColor<Hand>,
    key: u64,
}

impl Hands {
    pub(super) fn new(counts: ByColor<Hand>) -> Hands {
        let mut hands = Hands { counts, key: 0 };
        hands.key = hands.key_from_scratch();
        hands
    }

    #[inline(always)]
    pub(super) fn of(&self, color: Color) -> &Hand {
        &self.counts[color]
    }

    pub(super) fn size(&self, color: Color) -> u8 {
        self.counts[color].iter().sum()
    }

    #[inline(always)]
    pub(super) fn is_empty(&self, color: Color) -> bool {
        self.counts[color] == [0; PLACEABLE.len()]
    }

    /// Whether all pieces are on the board.
    pub(super) fn are_empty(&self) -> bool {
        Color::ALL.into_iter().all(|color| self.is_empty(color))
    }

    /// Takes a piece out of a hand.
    pub(super) fn take(&mut self, color: Color, index: u8) {
        let count = &mut self.counts[color][usize::from(index)];
        self.key ^= piece_key(color, index.into(), *count);
        *count = count.saturating_sub(1);
    }

    #[inline(always)]
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    pub(super) fn key_from_scratch(&self) -> u64 {
        let mut key = 0;
        for color in Color::ALL {
            for (index, &count) in self.of(color).iter().enumerate() {
                for n in 1..=count {
                    key ^= piece_key(color, index, n);
                }
            }
        }
        key
    }

    pub(super) fn swapped(self) -> Hands {
        Hands::new(self.counts.swapped())
    }
}

/// The number of a side's `n`-th piece of a kind.
fn piece_key(color: Color, index: usize, n: u8) -> u64 {
    zobrist::number(stream::hand(color), (index as u64) << 8 | u64::from(n))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::Position;
    use crate::chaturanga::{BOARD, Counting, PIECE_TYPE_COUNT, PieceBoard};
    use crate::sittuyin::SittuyinPosition;

    /// A piece on a square, a piece in hand, a clock and a count must not look alike.
    #[test]
    fn all_numbers_of_keys_differ() {
        let mut numbers = Vec::new();
        for color in Color::ALL {
            for piece_type in 0..PIECE_TYPE_COUNT as u8 {
                for square in BOARD.all() {
                    let mut pieces = PieceBoard::NONE;
                    pieces.put(square, color, piece_type);
                    numbers.push(pieces.key());
                }
            }
            for index in 0..PLACEABLE.len() {
                numbers.extend((1..=2).map(|n| piece_key(color, index, n)));
            }
        }
        for plies in 0..200 {
            let text = format!("8/8/8/3k4/8/8/8/R2K4[] b - - {plies} 1");
            let position: SittuyinPosition<false> = text.parse().expect("a position");
            numbers.push(position.clock_key());
        }
        for moves in [8, 16, 22, 32, 44, 64] {
            numbers.extend((0..200).map(|count| Counting::start(count, moves).key()));
        }
        let distinct: HashSet<_> = numbers.iter().collect();
        assert_eq!(distinct.len(), numbers.len());
    }
}
