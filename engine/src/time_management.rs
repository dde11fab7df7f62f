use std::time::Duration;

use garuda_mcts::{SearchControl, SearchInfo, SearchLimits};

use crate::protocol::Go;

/// The clock of the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct PlayerClock {
    pub(crate) remaining: Duration,
    /// Added after every move.
    pub(crate) increment: Duration,
    /// Available for every move once `remaining` is used up; cannot be saved.
    pub(crate) byoyomi: Duration,
    /// Number of moves until the next time control, if there is one.
    pub(crate) moves_to_go: Option<u32>,
}

/// Time to spend on a move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct TimeBudget {
    /// The search normally ends here…
    pub(crate) soft: Duration,
    /// …and at the latest here, while the best move is not clear.
    pub(crate) hard: Duration,
}

/// Number of moves the remaining time must last for in sudden death. It does not decrease, so
/// that some time is always left in a long game.
const DEFAULT_MOVES_TO_GO: u32 = 30;
/// Share of the increment that is spent at once.
const INCREMENT_SHARE: f64 = 0.75;
/// Maximum share of the remaining time for one move, unless it is the last before the time
/// control.
const MAX_SHARE: f64 = 0.4;
/// Ratio of the hard to the soft limit.
const HARD_LIMIT_FACTOR: f64 = 3.0;

impl PlayerClock {
    /// The budget for the next move. `overhead` is the time lost per move between the engine and
    /// the clock.
    pub(crate) fn budget(&self, overhead: Duration) -> TimeBudget {
        let moves_to_go = self.moves_to_go.map_or(DEFAULT_MOVES_TO_GO, |moves| {
            moves.clamp(1, DEFAULT_MOVES_TO_GO)
        });
        let net = |time: Duration| time.saturating_sub(overhead).as_secs_f64();
        let (remaining, byoyomi) = (net(self.remaining), net(self.byoyomi));
        let max_share = if moves_to_go == 1 { 1.0 } else { MAX_SHARE };
        let max = byoyomi + max_share * remaining;
        let usual =
            byoyomi + remaining / f64::from(moves_to_go) + INCREMENT_SHARE * net(self.increment);
        TimeBudget {
            soft: Duration::from_secs_f64(usual.min(max)),
            hard: Duration::from_secs_f64((HARD_LIMIT_FACTOR * usual).min(max)),
        }
    }
}

/// Decides how long a search lasts.
#[derive(Clone, Debug)]
pub(crate) struct TimeManager {
    limits: SearchLimits,
    /// Only if the side to move has a clock.
    budget: Option<TimeBudget>,
}

impl TimeManager {
    /// `clock` is that of the side to move. `move_overhead` is subtracted from the time on the
    /// clock only: `movetime` is time to search and no clock runs out.
    pub(crate) fn new(go: &Go, clock: Option<PlayerClock>, move_overhead: Duration) -> TimeManager {
        if go.infinite {
            return TimeManager {
                limits: SearchLimits::default(),
                budget: None,
            };
        }
        let budget = clock.map(|clock| clock.budget(move_overhead));
        let hard = budget.map(|budget| budget.hard);
        let limits = SearchLimits {
            nodes: go.nodes.map(|nodes| nodes.max(1)),
            time: hard.into_iter().chain(go.movetime).min(),
            depth: go.depth,
        };
        TimeManager { limits, budget }
    }

    /// The limits that no search exceeds.
    pub(crate) fn limits(&self) -> SearchLimits {
        self.limits
    }

    /// Whether the search should end before its limits: the soft limit is over, or no other move
    /// can become the most visited before. A search continues while its best move is not the
    /// most visited one.
    pub(crate) fn should_stop(&self, info: &SearchInfo, control: &SearchControl) -> bool {
        let (Some(budget), Some(elapsed)) = (self.budget, control.elapsed()) else {
            return false;
        };
        let Some(best) = info.lines.first() else {
            return false;
        };
        let Some(lead) = best.visits.checked_sub(info.runner_up_visits) else {
            return false;
        };
        let Some(remaining) = budget.soft.checked_sub(elapsed) else {
            return true;
        };
        let visits_per_second = f64::from(info.new_visits) / info.elapsed.as_secs_f64();
        f64::from(lead) > visits_per_second * remaining.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use garuda_mcts::{PvLine, Wdl};
    use garuda_rules::{Move, Square};
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::Command;

    fn clock(remaining: u64, increment: u64, byoyomi: u64, moves: Option<u32>) -> PlayerClock {
        PlayerClock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            byoyomi: Duration::from_millis(byoyomi),
            moves_to_go: moves,
        }
    }

    /// Remaining milliseconds, increment, byoyomi, moves to go; minimum and maximum of the soft
    /// limit.
    #[test]
    fn budgets_of_usual_time_controls() {
        for (remaining, increment, byoyomi, moves, min, max) in [
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
            let clock = clock(remaining, increment, byoyomi, moves);
            let soft = clock.budget(Duration::from_millis(50)).soft.as_millis();
            assert!((min..=max).contains(&soft), "{clock:?}: {soft} ms");
        }
    }

    proptest! {
        #[test]
        fn a_budget_never_exceeds_the_clock(
            remaining in 0u64..1_000_000_000,
            increment in 0u64..1_000_000,
            byoyomi in 0u64..1_000_000,
            moves in prop::option::of(0u32..200),
            overhead in 0u64..5_000,
        ) {
            let overhead = Duration::from_millis(overhead);
            let clock = clock(remaining, increment, byoyomi, moves);
            let TimeBudget { soft, hard } = clock.budget(overhead);
            let usable = (clock.remaining + clock.byoyomi).saturating_sub(overhead);
            prop_assert!(soft <= hard && hard <= usable);
            // Nor is it so small that the time could not be used up in a long game.
            prop_assert!(soft >= clock.remaining.saturating_sub(overhead) / 31);
        }

        /// No game loses on time while the increment covers the overhead, and at least half of
        /// the time is used in 200 moves.
        #[test]
        fn whole_games_are_played_in_time(
            seconds in 1u64..1000,
            increment in 0u64..10_000,
            overhead in 0u64..100,
        ) {
            let overhead = Duration::from_millis(overhead);
            let increment = Duration::from_millis(increment) + overhead;
            let start = Duration::from_secs(seconds);
            let mut clock = PlayerClock { remaining: start, increment, ..PlayerClock::default() };
            for _ in 0..200 {
                let spent = clock.budget(overhead).hard + overhead;
                prop_assert!(spent <= clock.remaining || clock.remaining < overhead);
                clock.remaining = clock.remaining.saturating_sub(spent) + increment;
            }
            clock.remaining = start;
            for _ in 0..200 {
                let spent = clock.budget(overhead).soft + overhead;
                clock.remaining = clock.remaining.saturating_sub(spent) + increment;
            }
            prop_assert!(clock.remaining < start / 2 + 12 * increment);
        }
    }

    fn time_manager(go: &str, clock: Option<PlayerClock>) -> TimeManager {
        let Ok(Some(Command::Go(go))) = Command::parse(go) else {
            panic!("{go}");
        };
        TimeManager::new(&go, clock, Duration::from_millis(50))
    }

    #[test]
    fn the_whole_movetime_is_used() {
        for milliseconds in [0, 1, 50, 100, 5_000] {
            let time = time_manager(&format!("go movetime {milliseconds}"), None);
            let expected = SearchLimits::time(Duration::from_millis(milliseconds));
            assert_eq!(time.limits(), expected);
            // Nothing but the limit ends the search, however clear the best move is.
            assert!(!time.should_stop(&info(1000, 0, 1000, 1), &SearchControl::new()));
        }
    }

    #[test]
    fn move_overhead_is_subtracted_from_clocks() {
        let one_move = clock(100, 0, 0, Some(1));
        let limit = |go| time_manager(go, Some(one_move)).limits().time;
        assert_eq!(limit("go wtime 100"), Some(Duration::from_millis(50)));
        // The shorter limit counts.
        assert_eq!(
            limit("go wtime 100 movetime 60"),
            Some(Duration::from_millis(50))
        );
        assert_eq!(
            limit("go wtime 100 movetime 20"),
            Some(Duration::from_millis(20))
        );
    }

    #[test]
    fn an_infinite_search_has_no_limit_and_is_not_stopped_by_a_clock() {
        let time = time_manager("go infinite wtime 0 nodes 5", Some(PlayerClock::default()));
        assert!(time.limits().is_unlimited());
        assert!(!time.should_stop(&info(800, 200, 1000, 1000), &SearchControl::new()));
    }

    /// A search with these visits of the best move, of the runner-up and in total.
    fn info(best: u32, runner_up: u32, visits: u32, milliseconds: u64) -> SearchInfo {
        let mv = Move::new(Square(0), Square(1));
        let line = PvLine {
            moves: vec![mv],
            wdl: Wdl::UNKNOWN,
            visits: best,
            proof: None,
        };
        SearchInfo {
            best: Some(mv),
            lines: vec![line],
            wdl: None,
            proof: None,
            visits,
            new_visits: visits,
            runner_up_visits: runner_up,
            evaluations: 0,
            elapsed: Duration::from_millis(milliseconds),
            hashfull: 0.0,
        }
    }

    fn manager(budget: Option<TimeBudget>) -> TimeManager {
        TimeManager {
            limits: SearchLimits::default(),
            budget,
        }
    }

    fn should_stop(soft: u64, info: &SearchInfo) -> bool {
        let budget = TimeBudget {
            soft: Duration::from_millis(soft),
            hard: Duration::from_secs(100),
        };
        // The clock has just been started: the whole soft limit remains.
        manager(Some(budget)).should_stop(info, &SearchControl::new())
    }

    #[test]
    fn a_lead_that_cannot_be_overtaken_ends_a_search() {
        // 1000 visits per second: 400 more are possible, or 700.
        assert!(should_stop(400, &info(800, 200, 1000, 1000)));
        assert!(!should_stop(700, &info(800, 200, 1000, 1000)));
        // The visits of a reused tree do not count for the speed.
        let reused = SearchInfo {
            new_visits: 100,
            ..info(800, 200, 1000, 1000)
        };
        assert!(should_stop(700, &reused));
    }

    #[test]
    fn the_soft_limit_ends_a_search_unless_the_best_move_is_unclear() {
        assert!(should_stop(0, &info(501, 499, 1000, 1000)));
        assert!(!should_stop(0, &info(400, 600, 1000, 1000)));
        let unvisited = SearchInfo {
            lines: vec![],
            ..info(0, 0, 0, 1000)
        };
        assert!(!should_stop(0, &unvisited));
    }

    #[test]
    fn pondering_and_searches_without_a_clock_are_not_stopped() {
        let info = info(800, 200, 1000, 1000);
        let budget = TimeBudget {
            soft: Duration::ZERO,
            hard: Duration::ZERO,
        };
        let pondering = SearchControl::pondering();
        assert!(!manager(Some(budget)).should_stop(&info, &pondering));
        assert!(!manager(None).should_stop(&info, &SearchControl::new()));
    }
}
