use std::time::Duration;

/// The time a player has when it is to move.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Clock {
    pub left: Duration,
    /// What every move adds, after it was made.
    pub increment: Duration,
    /// What every move may take when nothing is left; it cannot be saved up.
    pub byoyomi: Duration,
    /// Moves until more time comes, if it does.
    pub moves_to_go: Option<u32>,
}

/// How long to think about a move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Budget {
    /// As long as this in general…
    pub soft: Duration,
    /// …and up to this while it is not clear which move is best.
    pub hard: Duration,
}

/// For how many more moves the time must do, when nobody says. Late in a long game this is too
/// many, which only means that some time is always left.
const MOVES_AHEAD: u32 = 30;
/// The share of the increment that is spent at once.
const INCREMENT_SHARE: f64 = 0.75;
/// The share of what is left that one move may take, if others are to come.
const MOST_SHARE: f64 = 0.4;
/// How much longer than in general a hard move may take.
const PATIENCE: f64 = 3.0;

impl Clock {
    /// What may be spent on the next move. `overhead` is lost between the engine and the clock,
    /// at every move.
    pub fn budget(&self, overhead: Duration) -> Budget {
        let ahead = self
            .moves_to_go
            .map_or(MOVES_AHEAD, |moves| moves.clamp(1, MOVES_AHEAD));
        let net = |time: Duration| time.saturating_sub(overhead).as_secs_f64();
        let (left, byoyomi) = (net(self.left), net(self.byoyomi));
        let most_share = if ahead == 1 { 1.0 } else { MOST_SHARE };
        let most = byoyomi + most_share * left;
        let usual = byoyomi + left / f64::from(ahead) + INCREMENT_SHARE * net(self.increment);
        Budget {
            soft: Duration::from_secs_f64(usual.min(most)),
            hard: Duration::from_secs_f64((PATIENCE * usual).min(most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clock(left: u64, increment: u64, byoyomi: u64, moves_to_go: Option<u32>) -> Clock {
        Clock {
            left: Duration::from_millis(left),
            increment: Duration::from_millis(increment),
            byoyomi: Duration::from_millis(byoyomi),
            moves_to_go,
        }
    }

    /// Milliseconds left, increment, byoyomi, moves to go; least and most for the soft budget.
    #[test]
    fn usual_clocks_give_sane_budgets() {
        for (left, increment, byoyomi, moves, least, most) in [
            (10_000, 100, 0, None, 200, 1_000),
            (1_000, 100, 0, None, 40, 200),
            (60_000, 0, 0, None, 1_000, 4_000),
            (600_000, 5_000, 0, None, 15_000, 40_000),
            (60_000, 0, 0, Some(40), 1_000, 4_000),
            (60_000, 0, 0, Some(1), 50_000, 60_000),
            (60_000, 0, 0, Some(2), 15_000, 30_000),
            (60_000, 0, 0, Some(0), 50_000, 60_000),
            (0, 0, 10_000, None, 9_000, 10_000),
            (60_000, 0, 10_000, None, 10_000, 20_000),
            (30, 0, 0, None, 0, 0),
            (0, 0, 0, None, 0, 0),
            (100, 10_000, 0, None, 10, 50),
        ] {
            let clock = clock(left, increment, byoyomi, moves);
            let soft = clock.budget(Duration::from_millis(50)).soft.as_millis();
            assert!((least..=most).contains(&soft), "{clock:?}: {soft} ms");
        }
    }

    proptest! {
        #[test]
        fn a_budget_is_never_more_than_there_is(
            left in 0u64..1_000_000_000,
            increment in 0u64..1_000_000,
            byoyomi in 0u64..1_000_000,
            moves in prop::option::of(0u32..200),
            overhead in 0u64..5_000,
        ) {
            let overhead = Duration::from_millis(overhead);
            let clock = clock(left, increment, byoyomi, moves);
            let Budget { soft, hard } = clock.budget(overhead);
            let usable = (clock.left + clock.byoyomi).saturating_sub(overhead);
            prop_assert!(soft <= hard && hard <= usable);
            // Nor is so much kept that it could not all be used in a game of some length.
            prop_assert!(soft >= clock.left.saturating_sub(overhead) / 31);
        }

        /// With an increment that covers the overhead a game of any length is played in time, and
        /// without one nearly so; either way most of the time is used in 200 moves.
        #[test]
        fn whole_games_are_played_in_time(
            seconds in 1u64..1000,
            increment in 0u64..10_000,
            overhead in 0u64..100,
        ) {
            let lost = Duration::from_millis(overhead);
            let increment = Duration::from_millis(increment + overhead);
            let start = Duration::from_secs(seconds);
            let mut clock = Clock { left: start, increment, ..Clock::default() };
            for _ in 0..200 {
                let spent = clock.budget(lost).hard + lost;
                prop_assert!(spent <= clock.left || clock.left < lost);
                clock.left = clock.left.saturating_sub(spent) + increment;
            }
            clock.left = start;
            for _ in 0..200 {
                let spent = clock.budget(lost).soft + lost;
                clock.left = clock.left.saturating_sub(spent) + increment;
            }
            prop_assert!(clock.left < start / 2 + 12 * increment);
        }
    }
}
