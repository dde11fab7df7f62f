use std::cmp::Ordering;

/// Sequential halving: distributes a budget of visits over a few candidates in phases, and
/// keeps the better half of them after each phase.
#[derive(Clone, Default, Debug)]
pub(crate) struct SequentialHalving {
    /// The remaining candidates come first.
    candidates: Vec<Candidate>,
    remaining: usize,
    phases: u32,
    budget: u32,
    /// Visits of each remaining candidate at the end of the current phase.
    phase_target: u32,
}

#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Candidate {
    /// Its edge of the root.
    pub(crate) edge: usize,
    /// Its logit plus its Gumbel noise.
    pub(crate) noisy_logit: f32,
    /// Its value for the side to move, or an estimate.
    pub(crate) value: f32,
    /// Visits in this search, without those of a reused tree.
    visits: u32,
}

impl Candidate {
    pub(crate) fn new(edge: usize, noisy_logit: f32, value: f32) -> Candidate {
        Candidate {
            edge,
            noisy_logit,
            value,
            visits: 0,
        }
    }

    fn score(&self, value_weight: f32) -> f32 {
        self.noisy_logit + value_weight * self.value
    }
}

impl SequentialHalving {
    /// Restarts with the `max_candidates` best candidates by noisy logit.
    pub(crate) fn start(
        &mut self,
        candidates: impl Iterator<Item = Candidate>,
        max_candidates: usize,
        budget: u32,
    ) {
        self.candidates.clear();
        self.candidates.extend(candidates);
        self.candidates.sort_unstable_by(|a, b| {
            let by_logit = b.noisy_logit.total_cmp(&a.noisy_logit);
            by_logit.then(a.edge.cmp(&b.edge))
        });
        self.candidates.truncate(max_candidates.max(1));
        self.remaining = self.candidates.len();
        self.phases = self.remaining.next_power_of_two().trailing_zeros();
        self.budget = budget;
        self.phase_target = self.phase_visits();
    }

    /// Visits of each remaining candidate in the current phase.
    fn phase_visits(&self) -> u32 {
        if self.remaining < 2 {
            return self.budget;
        }
        (self.budget / (self.phases * self.remaining as u32)).max(1)
    }

    /// Counts a visit of a candidate and updates its value.
    pub(crate) fn visit(&mut self, candidate: usize, value: f32) {
        self.candidates[candidate].visits += 1;
        self.candidates[candidate].value = value;
    }

    pub(crate) fn candidate(&self, index: usize) -> Candidate {
        self.candidates[index]
    }

    /// Index of the candidate to visit next, valid until the next call.
    pub(crate) fn next(&mut self, value_weight: f32) -> usize {
        let min_visits = |candidates: &[Candidate]| candidates.iter().map(|c| c.visits).min();
        if min_visits(&self.candidates[..self.remaining])
            .is_some_and(|visits| visits >= self.phase_target)
        {
            self.halve(value_weight);
        }
        let remaining = &self.candidates[..self.remaining];
        let min_visits = min_visits(remaining);
        best(remaining, value_weight, |c| Some(c.visits) == min_visits)
    }

    fn halve(&mut self, value_weight: f32) {
        self.candidates[..self.remaining].sort_unstable_by(|a, b| best_first(a, b, value_weight));
        self.remaining = (self.remaining / 2).max(2).min(self.remaining);
        self.phase_target += self.phase_visits();
    }

    /// The best of the most visited remaining candidates. An unvisited one wins only if none was
    /// visited.
    pub(crate) fn winner(&self, value_weight: f32) -> Candidate {
        let remaining = &self.candidates[..self.remaining];
        let max_visits = remaining.iter().map(|c| c.visits).max();
        remaining[best(remaining, value_weight, |c| Some(c.visits) == max_visits)]
    }
}

/// Better candidates first.
fn best_first(a: &Candidate, b: &Candidate, value_weight: f32) -> Ordering {
    let by_score = b.score(value_weight).total_cmp(&a.score(value_weight));
    by_score.then(a.edge.cmp(&b.edge))
}

/// Index of the best candidate that filter the filter.
fn best(candidates: &[Candidate], value_weight: f32, filter: impl Fn(&Candidate) -> bool) -> usize {
    (0..candidates.len())
        .filter(|&i| filter(&candidates[i]))
        .min_by(|&i, &j| best_first(&candidates[i], &candidates[j], value_weight))
        .expect("there is at least one candidate")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits by edge, where edge i has the value −i.
    fn run(candidates: usize, max_candidates: usize, budget: u32) -> Vec<u32> {
        let mut halving = SequentialHalving::default();
        let all = (0..candidates).map(|i| Candidate::new(i, -(i as f32), 0.0));
        halving.start(all, max_candidates, budget);
        let mut visits = vec![0; candidates];
        for _ in 0..budget {
            let next = halving.next(50.0);
            let edge = halving.candidate(next).edge;
            visits[edge] += 1;
            halving.visit(next, -(edge as f32));
        }
        assert_eq!(halving.winner(50.0).edge, 0);
        visits
    }

    #[test]
    fn visits_follow_the_schedule() {
        // 16 candidates in 4 phases: 1, 2, 4 and 8 visits.
        let mut expected = vec![1 + 2 + 4 + 8; 2];
        expected.extend([1 + 2 + 4; 2]);
        expected.extend([1 + 2; 4]);
        expected.extend([1; 8]);
        expected.extend([0; 4]);
        assert_eq!(run(20, 16, 64), expected);
        assert_eq!(run(3, 16, 12), [5, 5, 2]);
        assert_eq!(run(1, 16, 5), [5]);
        assert_eq!(run(9, 1, 5)[..2], [5, 0]);
    }

    #[test]
    fn every_budget_is_spent_exactly() {
        for candidates in 1..24 {
            for max_candidates in 1..20 {
                for budget in 0..80 {
                    let visits = run(candidates, max_candidates, budget);
                    assert_eq!(visits.iter().sum::<u32>(), budget);
                    assert!(visits.is_sorted_by(|a, b| a >= b), "{visits:?}");
                    assert!(visits.iter().filter(|&&v| v > 0).count() <= max_candidates);
                }
            }
        }
    }
}
