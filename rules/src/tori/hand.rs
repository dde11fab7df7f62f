use super::piece_types::IN_HAND;

/// The pieces a side has in hand: a byte for each kind, so that all can be looked at at once.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Hand(u64);

impl Hand {
    pub(super) const EMPTY: Hand = Hand(0);
    const ONES: u64 = 0x0101_0101_0101_0101 & ((1 << (8 * IN_HAND)) - 1);

    pub(super) const fn count(self, piece_type: usize) -> u8 {
        (self.0 >> (8 * piece_type)) as u8
    }

    pub(super) const fn add(&mut self, piece_type: usize) {
        self.0 += 1 << (8 * piece_type);
    }

    pub(super) const fn remove(&mut self, piece_type: usize) {
        self.0 -= 1 << (8 * piece_type);
    }

    /// The kinds, as bits, of which there is a piece at least.
    pub(super) const fn piece_types(self) -> u8 {
        // A count is at most 16, so adding 127 carries into the byte's highest bit if it is not
        // zero; the multiplication collects those bits.
        let present = (self.0 + 0x7f * Hand::ONES) >> 7 & Hand::ONES;
        (present.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    }
}
