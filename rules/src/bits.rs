//! Sets of squares as bits of a `u64` (8×8, 7×7) or a `u128` (8×9).

use crate::Square;

/// What the games need of a bit set, beyond the operators integers have.
pub trait Bits: Copy {
    fn of(square: Square) -> Self;
    fn has(self, square: Square) -> bool;
    /// How many squares are in the set.
    fn len(self) -> usize;
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
    ($int:ty) => {
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
                let square = self.0.first()?;
                self.0 &= self.0 - 1;
                Some(square)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.0.len(), Some(self.0.len()))
            }
        }

        impl ExactSizeIterator for Squares<$int> {}
    };
}

impl_bits!(u64);
impl_bits!(u128);
