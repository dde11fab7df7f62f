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
    visits: u32,
}

impl Halving {
    /// Starts anew with the best `most` of `candidates`, given as edges with their base scores.
    pub(crate) fn start(
        &mut self,
        candidates: impl Iterator<Item = (usize, f32)>,
        most: usize,
        budget: u32,
    ) {
        self.candidates.clear();
        self.candidates
            .extend(candidates.map(|(edge, base)| Candidate {
                edge,
                base,
                visits: 0,
            }));
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

    /// Counts a visit of a candidate.
    pub(crate) fn visit(&mut self, candidate: usize) {
        self.candidates[candidate].visits += 1;
    }

    pub(crate) fn candidate(&self, index: usize) -> Candidate {
        self.candidates[index]
    }

    /// The candidate to visit next, by its place in this list until the next visit.
    pub(crate) fn next(&mut self, score: impl Fn(&Candidate) -> f32) -> usize {
        let least = |alive: &[Candidate]| alive.iter().map(|c| c.visits).min();
        if least(&self.candidates[..self.alive]).is_some_and(|visits| visits >= self.goal) {
            self.halve(&score);
        }
        let alive = &self.candidates[..self.alive];
        let least = least(alive);
        best(alive, &score, |c| Some(c.visits) == least)
    }

    fn halve(&mut self, score: impl Fn(&Candidate) -> f32) {
        self.candidates[..self.alive].sort_unstable_by(|a, b| order(a, b, &score));
        self.alive = (self.alive / 2).max(2).min(self.alive);
        self.goal += self.phase_visits();
    }

    /// The winner so far: the best of the survivors that were visited most. Those that were not
    /// visited are thereby left out, unless none was.
    pub(crate) fn winner(&self, score: impl Fn(&Candidate) -> f32) -> Candidate {
        let alive = &self.candidates[..self.alive];
        let most = alive.iter().map(|c| c.visits).max();
        alive[best(alive, &score, |c| Some(c.visits) == most)]
    }
}

/// Better candidates first.
fn order(a: &Candidate, b: &Candidate, score: impl Fn(&Candidate) -> f32) -> Ordering {
    let by_score = score(b).total_cmp(&score(a));
    by_score.then(a.edge.cmp(&b.edge))
}

/// The place of the best candidate that passes.
fn best(
    candidates: &[Candidate],
    score: impl Fn(&Candidate) -> f32,
    passes: impl Fn(&Candidate) -> bool,
) -> usize {
    (0..candidates.len())
        .filter(|&i| passes(&candidates[i]))
        .min_by(|&i, &j| order(&candidates[i], &candidates[j], &score))
        .expect("there is a candidate")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The visits of each candidate, by edge, where edge i has score −i.
    fn run(candidates: usize, most: usize, budget: u32) -> Vec<u32> {
        let mut halving = Halving::default();
        let score = |c: &Candidate| -(c.edge as f32);
        halving.start((0..candidates).map(|i| (i, -(i as f32))), most, budget);
        let mut visits = vec![0; candidates];
        for _ in 0..budget {
            let next = halving.next(score);
            visits[halving.candidate(next).edge] += 1;
            halving.visit(next);
        }
        assert_eq!(halving.winner(score).edge, 0);
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
