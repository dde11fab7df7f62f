use std::time::{Duration, Instant};

use garuda_mcts::{Report, Signal};
use garuda_rules::Move;

use crate::Budget;

/// Looks at a search while it goes on: says when it may end and when there is news to tell.
pub(crate) struct Watch {
    budget: Option<Budget>,
    seen: Option<Seen>,
}

struct Seen {
    at: Instant,
    best: Option<Move>,
}

/// Changes of mind are told this often at most…
const NEWS: Duration = Duration::from_millis(100);
/// …and progress without them this often.
const PROGRESS: Duration = Duration::from_secs(1);

impl Watch {
    pub(crate) fn new(budget: Option<Budget>) -> Watch {
        Watch { budget, seen: None }
    }

    /// Whether to tell what is known so far.
    pub(crate) fn is_news(&mut self, report: &Report) -> bool {
        let due = self.seen.as_ref().is_none_or(|seen| {
            let age = seen.at.elapsed();
            age >= PROGRESS || age >= NEWS && seen.best != report.best
        });
        if due {
            self.seen = Some(Seen {
                at: Instant::now(),
                best: report.best,
            });
        }
        due
    }

    /// Whether more thinking within the budget is not worth it: the time for a usual move is
    /// over, or no other move can become the most visited in it. A search whose best move is not
    /// its most visited one has not made up its mind and goes on.
    pub(crate) fn is_enough(&self, report: &Report, signal: &Signal) -> bool {
        let (Some(budget), Some(elapsed)) = (self.budget, signal.elapsed()) else {
            return false;
        };
        let Some(best) = report.lines.first() else {
            return false;
        };
        let Some(lead) = best.visits.checked_sub(report.rival_visits) else {
            return false;
        };
        let Some(rest) = budget.soft.checked_sub(elapsed) else {
            return true;
        };
        let rate = f64::from(report.new_visits) / report.elapsed.as_secs_f64();
        f64::from(lead) > rate * rest.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use garuda_mcts::{Line, Wdl};
    use garuda_rules::Square;

    use super::*;

    /// The best move, the rival, and all, which took so long.
    fn report(best: u32, rival: u32, visits: u32, milliseconds: u64) -> Report {
        let mv = Move::new(Square(0), Square(1));
        let line = Line {
            moves: vec![mv],
            wdl: Wdl::UNKNOWN,
            visits: best,
            proof: None,
        };
        Report {
            best: Some(mv),
            lines: vec![line],
            wdl: None,
            proof: None,
            visits,
            new_visits: visits,
            rival_visits: rival,
            evaluations: 0,
            elapsed: Duration::from_millis(milliseconds),
            fullness: 0.0,
        }
    }

    fn is_enough(soft: u64, report: &Report) -> bool {
        let budget = Budget {
            soft: Duration::from_millis(soft),
            hard: Duration::from_secs(100),
        };
        Watch::new(Some(budget)).is_enough(report, &Signal::new())
    }

    /// The signal's clock has hardly begun: what is left is the whole soft budget.
    #[test]
    fn a_lead_that_cannot_be_made_up_ends_a_search() {
        // 1000 visits in a second: 400 more are possible, or 700.
        assert!(is_enough(400, &report(800, 200, 1000, 1000)));
        assert!(!is_enough(700, &report(800, 200, 1000, 1000)));
        // What was kept from the last search says nothing about speed.
        let kept = Report {
            new_visits: 100,
            ..report(800, 200, 1000, 1000)
        };
        assert!(is_enough(700, &kept));
    }

    #[test]
    fn time_that_is_up_ends_a_search_unless_it_has_doubts() {
        assert!(is_enough(0, &report(501, 499, 1000, 1000)));
        assert!(!is_enough(0, &report(400, 600, 1000, 1000)));
        let nothing = Report {
            lines: vec![],
            ..report(0, 0, 0, 1000)
        };
        assert!(!is_enough(0, &nothing));
    }

    #[test]
    fn nothing_ends_pondering_or_a_search_without_budget() {
        let report = report(800, 200, 1000, 1000);
        let budget = Budget {
            soft: Duration::ZERO,
            hard: Duration::ZERO,
        };
        let ponder = Signal::pondering();
        assert!(!Watch::new(Some(budget)).is_enough(&report, &ponder));
        assert!(!Watch::new(None).is_enough(&report, &Signal::new()));
    }

    #[test]
    fn the_first_report_and_changes_are_news() {
        let mut watch = Watch::new(None);
        assert!(watch.is_news(&report(2, 1, 3, 1)));
        assert!(!watch.is_news(&report(2, 1, 3, 2)));
    }
}
