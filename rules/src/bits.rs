//! Sets of squares as bits of a `u64` (8×8, 7×7) or a `u128` (8×9).

use crate::Square;

/// What the games need of a bit set, beyond the operators integers have.
pub trait Bits: Copy {
    /// The set of one square.
    fn of(square: Square) -> Self;
    /// Whether a square is in the set.
    fn has(self, square: Square) -> bool;
    /// How many squares are in the set.
    fn len(self) -> usize;
    /// Whether no square is in the set.
    fn is_empty(self) -> bool;
    /// The lowest square, if there is one.
    fn first(self) -> Option<Square>;
    /// The squares from the lowest up.
    fn squares(self) -> Squares<Self>;
}

/// Iterator over the squares of a set, from the lowest up.
#[derive(Clone, Debug)]
pub struct Squares<B>(B);

macro_rules! impl_bits {
    ($int:ty, $next:ident) => {
        impl Bits for $int {
            #[inline]
            fn of(square: Square) -> Self {
                1 << square.0
            }

            #[inline]
            fn has(self, square: Square) -> bool {
                self >> square.0 & 1 != 0
            }

            #[inline]
            fn len(self) -> usize {
                self.count_ones() as usize
            }

            #[inline]
            fn is_empty(self) -> bool {
                self == 0
            }

            #[inline]
            fn first(self) -> Option<Square> {
                (self != 0).then(|| Square(self.trailing_zeros() as u8))
            }

            #[inline]
            fn squares(self) -> Squares<Self> {
                Squares(self)
            }
        }

        impl Iterator for Squares<$int> {
            type Item = Square;

            #[inline]
            fn next(&mut self) -> Option<Square> {
                $next(&mut self.0)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.0.len(), Some(self.0.len()))
            }
        }

        impl ExactSizeIterator for Squares<$int> {}
    };
}

impl_bits!(u64, take_first);
impl_bits!(u128, take_first_wide);

#[inline]
fn take_first(set: &mut u64) -> Option<Square> {
    let square = set.first()?;
    *set &= *set - 1;
    Some(square)
}

/// Half by half, which is much less work than arithmetic on all 128 bits.
#[inline]
fn take_first_wide(set: &mut u128) -> Option<Square> {
    let (mut low, mut high) = (*set as u64, (*set >> 64) as u64);
    let square = match take_first(&mut low) {
        Some(square) => square,
        None => Square(64 + take_first(&mut high)?.0),
    };
    *set = u128::from(high) << 64 | u128::from(low);
    Some(square)
}
