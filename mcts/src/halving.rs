use std::cmp::Ordering;

/// Sequential halving: spends a budget of visits on a few candidates in phases, and keeps the
/// better half of them after each.
#[derive(Clone, Default, Debug)]
pub(crate) struct Halving {
    /// Those still in the race come first.
    candidates: Vec<Candidate>,
    alive: usize,
    phases: u32,
    budget: u32,
    /// How many visits each survivor has when the present phase ends.
    goal: u32,
}

#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Candidate {
    /// The edge of the root it stands for.
    pub(crate) edge: usize,
    /// Its logit with its Gumbel draw.
    pub(crate) base: f32,
    /// Its value for the side to move, or an estimate.
    pub(crate) value: f32,
    /// In this race.
    visits: u32,
}

impl Candidate {
    pub(crate) fn new(edge: usize, base: f32, value: f32) -> Candidate {
        Candidate {
            edge,
            base,
            value,
            visits: 0,
        }
    }

    fn score(&self, value_weight: f32) -> f32 {
        self.base + value_weight * self.value
    }
}

impl Halving {
    /// Starts anew with the `most` candidates of the greatest base.
    pub(crate) fn start(
        &mut self,
        candidates: impl Iterator<Item = Candidate>,
        most: usize,
        budget: u32,
    ) {
        self.candidates.clear();
        self.candidates.extend(candidates);
        self.candidates.sort_unstable_by(|a, b| {
            let by_base = b.base.total_cmp(&a.base);
            by_base.then(a.edge.cmp(&b.edge))
        });
        self.candidates.truncate(most.max(1));
        self.alive = self.candidates.len();
        self.phases = self.alive.next_power_of_two().trailing_zeros();
        self.budget = budget;
        self.goal = self.phase_visits();
    }

    /// The visits that the present phase gives to each survivor.
    fn phase_visits(&self) -> u32 {
        if self.alive < 2 {
            return self.budget;
        }
        (self.budget / (self.phases * self.alive as u32)).max(1)
    }

    /// Counts a visit of a candidate, which has this value now.
    pub(crate) fn visit(&mut self, candidate: usize, value: f32) {
        self.candidates[candidate].visits += 1;
        self.candidates[candidate].value = value;
    }

    pub(crate) fn candidate(&self, index: usize) -> Candidate {
        self.candidates[index]
    }

    /// The candidate to visit next, by its place in this list until the next visit. Values count
    /// by this weight against logits.
    pub(crate) fn next(&mut self, value_weight: f32) -> usize {
        let least = |alive: &[Candidate]| alive.iter().map(|c| c.visits).min();
        if least(&self.candidates[..self.alive]).is_some_and(|visits| visits >= self.goal) {
            self.halve(value_weight);
        }
        let alive = &self.candidates[..self.alive];
        let least = least(alive);
        best(alive, value_weight, |c| Some(c.visits) == least)
    }

    fn halve(&mut self, value_weight: f32) {
        self.candidates[..self.alive].sort_unstable_by(|a, b| order(a, b, value_weight));
        self.alive = (self.alive / 2).max(2).min(self.alive);
        self.goal += self.phase_visits();
    }

    /// The winner so far: the best of the survivors that were visited most. Those that were not
    /// visited are thereby left out, unless none was.
    pub(crate) fn winner(&self, value_weight: f32) -> Candidate {
        let alive = &self.candidates[..self.alive];
        let most = alive.iter().map(|c| c.visits).max();
        alive[best(alive, value_weight, |c| Some(c.visits) == most)]
    }
}

/// Better candidates first.
fn order(a: &Candidate, b: &Candidate, value_weight: f32) -> Ordering {
    let by_score = b.score(value_weight).total_cmp(&a.score(value_weight));
    by_score.then(a.edge.cmp(&b.edge))
}

/// The place of the best candidate that passes.
fn best(candidates: &[Candidate], value_weight: f32, passes: impl Fn(&Candidate) -> bool) -> usize {
    (0..candidates.len())
        .filter(|&i| passes(&candidates[i]))
        .min_by(|&i, &j| order(&candidates[i], &candidates[j], value_weight))
        .expect("the race has started")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The visits of each candidate, by edge, where edge i has value −i.
    fn run(candidates: usize, most: usize, budget: u32) -> Vec<u32> {
        let mut halving = Halving::default();
        let all = (0..candidates).map(|i| Candidate::new(i, -(i as f32), 0.0));
        halving.start(all, most, budget);
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
    fn any_budget_is_spent_exactly() {
        for candidates in 1..24 {
            for most in 1..20 {
                for budget in 0..80 {
                    let visits = run(candidates, most, budget);
                    assert_eq!(visits.iter().sum::<u32>(), budget);
                    assert!(visits.is_sorted_by(|a, b| a >= b), "{visits:?}");
                    assert!(visits.iter().filter(|&&v| v > 0).count() <= most);
                }
            }
        }
    }
}
