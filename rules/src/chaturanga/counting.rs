use super::stream;
use crate::{Clock, zobrist};

/// A count of plies after which the weaker side has held out. What starts it differs between the
/// games.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Counting {
    /// In plies; 0 when nothing is being counted.
    pub(crate) limit: u16,
    pub(crate) count: u16,
}

impl Counting {
    pub(crate) const NONE: Counting = Counting { limit: 0, count: 0 };

    /// The count for a side that is protected for `moves` of its own moves.
    pub(crate) const fn start(count: u16, moves: u16) -> Counting {
        Counting {
            limit: 2 * moves,
            count,
        }
    }

    #[inline(always)]
    pub(crate) const fn is_running(self) -> bool {
        self.limit != 0
    }

    /// Counts a ply, if plies are being counted.
    #[inline(always)]
    pub(crate) const fn tick(&mut self) {
        if self.is_running() {
            self.count = self.count.saturating_add(1);
        }
    }

    /// Whether the weaker side has held out, unless it is checkmated.
    pub(crate) const fn is_over(self) -> bool {
        self.is_running() && self.count > self.limit
    }

    /// A hash; 0 when nothing is being counted.
    pub(crate) const fn key(self) -> u64 {
        if self.is_running() {
            zobrist::number(
                stream::COUNTING,
                (self.limit as u64) << 16 | self.count as u64,
            )
        } else {
            0
        }
    }

    /// The count, while plies are being counted.
    pub(crate) fn clock(self) -> Option<Clock> {
        self.is_running().then_some(Clock {
            plies: self.count,
            limit: self.limit,
        })
    }
}
