//! The root of a Gumbel search alone: a bandit whose arms have fixed values.

use garuda_mcts::evaluators::Table;
use garuda_mcts::{GumbelSettings, Wdl};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::helpers::{gumbel, policy};
use crate::toy_games::{Bandit, numbered};
use garuda_rules::Game;

/// Logits and values of the arms.
struct Arms {
    logits: Vec<f32>,
    values: Vec<f32>,
}

impl Arms {
    fn random(count: usize, rng: &mut ChaCha8Rng) -> Arms {
        Arms {
            logits: (0..count).map(|_| rng.random_range(-3.0..3.0)).collect(),
            values: (0..count).map(|_| rng.random_range(-1.0..1.0)).collect(),
        }
    }

    fn prior(&self) -> Vec<f32> {
        let weights: Vec<f32> = self.logits.iter().map(|logit| logit.exp()).collect();
        let sum: f32 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    /// Expected value of a policy.
    fn expected_value(&self, policy: &[f32]) -> f32 {
        policy.iter().zip(&self.values).map(|(p, q)| p * q).sum()
    }

    /// An evaluator with the values of the arms, `depth` moves deep, and `root` for the root.
    fn table(&self, depth: u32, root: f32) -> Table {
        let mut table = Table::default();
        let start = Bandit::new(self.logits.len());
        let logits = self.logits.iter().enumerate();
        let logits: Vec<_> = logits.map(|(i, &logit)| (numbered(i), logit)).collect();
        table.set(&start, wdl(root), &logits);
        for (arm, &value) in self.values.iter().enumerate() {
            let mut game = start.clone();
            for _ in 0..depth {
                game.play(numbered(arm));
                table.set(&game, wdl(value), &[]);
            }
        }
        table
    }
}

fn wdl(value: f32) -> Wdl {
    Wdl {
        win: (1.0 + value) / 2.0,
        draw: 0.0,
        loss: (1.0 - value) / 2.0,
    }
}

/// Mean and standard error.
fn mean(sample: &[f32]) -> (f32, f32) {
    let count = sample.len() as f32;
    let mean = sample.iter().sum::<f32>() / count;
    let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / count;
    (mean, (variance / count).sqrt())
}

#[test]
fn improved_policy_is_at_least_as_good_as_the_prior() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut bandits: Vec<Arms> = [2, 3, 7, 20, 40]
        .into_iter()
        .map(|count| Arms::random(count, &mut rng))
        .collect();
    // A good arm with a high prior, and others with low priors.
    bandits.push(Arms {
        logits: vec![3.0, 0.0, 0.0, -1.0],
        values: vec![0.5, 0.0, 0.4, 1.0],
    });
    for arms in &bandits {
        let before = arms.expected_value(&arms.prior());
        let game = Bandit::new(arms.logits.len());
        for simulations in [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64] {
            let mut table = arms.table(simulations, before);
            for max_considered_actions in [1, 2, 3, 4, 7, 8, 16, 64] {
                let settings = GumbelSettings {
                    simulations,
                    max_considered_actions,
                    ..GumbelSettings::default()
                };
                let (mut policies, mut actions) = (Vec::new(), Vec::new());
                for seed in 0..100 {
                    let search = gumbel(&game, settings, seed, &mut table);
                    policies.push(arms.expected_value(&policy(&search)));
                    actions.push(arms.values[search.best()]);
                }
                for (what, sample) in [("policy", policies), ("action", actions)] {
                    let (after, error) = mean(&sample);
                    assert!(
                        after + 3.0 * error + 1e-4 >= before,
                        "{what}: n {simulations}, m {max_considered_actions}, arms {}: {before} → {after} ± {error}",
                        arms.logits.len(),
                    );
                }
            }
        }
    }
}

#[test]
fn visits_sum_to_the_number_of_simulations() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for count in 2..40 {
        let arms = Arms::random(count, &mut rng);
        for simulations in [0, 1, 2, 3, 5, 13, 24, 64] {
            let settings = GumbelSettings {
                simulations,
                max_considered_actions: count / 2 + 1,
                ..GumbelSettings::default()
            };
            let mut table = arms.table(simulations, 0.0);
            let search = gumbel(&Bandit::new(count), settings, 3, &mut table);
            assert_eq!(search.visits().sum::<u32>(), simulations);
            assert_eq!(search.simulations(), simulations);
            assert!(search.visits().filter(|&n| n > 0).count() <= count / 2 + 1);
        }
    }
}

#[test]
fn without_simulations_the_target_is_the_prior_and_moves_are_sampled_from_it() {
    let arms = Arms {
        logits: vec![0.0, 2.0, -1.0, 1.0],
        values: vec![0.0; 4],
    };
    let settings = GumbelSettings {
        simulations: 0,
        ..GumbelSettings::default()
    };
    let mut table = arms.table(0, 0.3);
    let mut sampled = [0; 4];
    for seed in 0..4000 {
        let search = gumbel(&Bandit::new(4), settings, seed, &mut table);
        for (probability, prior) in policy(&search).into_iter().zip(arms.prior()) {
            assert!((probability - prior).abs() < 1e-6);
        }
        sampled[search.best()] += 1;
    }
    for (count, prior) in sampled.into_iter().zip(arms.prior()) {
        assert!((count as f32 / 4000.0 - prior).abs() < 0.03, "{sampled:?}");
    }
}

#[test]
fn target_is_softmax_of_logits_and_completed_values() {
    let arms = Arms {
        logits: vec![0.5, -0.5, 0.0],
        values: vec![0.02, -0.03, 0.9],
    };
    let settings = GumbelSettings {
        simulations: 2,
        max_considered_actions: 2,
        gumbel_scale: 0.0,
        ..GumbelSettings::default()
    };
    let predicted = 0.1;
    // Without noise the two arms with the highest priors are visited: the first and the last.
    let search = gumbel(&Bandit::new(3), settings, 0, &mut arms.table(2, predicted));
    assert_eq!(search.visits().collect::<Vec<_>>(), [1, 0, 1]);
    let prior = arms.prior();
    let visited = (prior[0] * 0.02 + prior[2] * 0.9) / (prior[0] + prior[2]);
    let mixed = (predicted + 2.0 * visited) / 3.0;
    let completed: Vec<f32> = search.completed_values().map(Wdl::value).collect();
    let expected = [0.02, mixed, 0.9];
    for (value, expected) in completed.iter().zip(expected) {
        assert!((value - expected).abs() < 1e-5, "{completed:?}");
    }
    let weights: Vec<f32> = (0..3)
        .map(|i| (arms.logits[i] + 51.0 * (expected[i] - 0.9)).exp())
        .collect();
    let sum: f32 = weights.iter().sum();
    for (probability, weight) in policy(&search).into_iter().zip(&weights) {
        assert!((probability - weight / sum).abs() < 1e-5);
    }
    let value = search.value().unwrap().value();
    let expected_value: f32 = (0..3).map(|i| weights[i] / sum * expected[i]).sum();
    assert!((value - expected_value).abs() < 1e-5);
}

#[test]
fn unvisited_actions_are_never_played() {
    // All visited arms lose, and the evaluator predicts a win for the root.
    for logit in [0.0, -80.0, -1e30] {
        let arms = Arms {
            logits: (0..30).map(|i| if i < 2 { logit } else { 0.0 }).collect(),
            values: vec![-1.0; 30],
        };
        for simulations in [1, 2, 5, 16, 40] {
            let settings = GumbelSettings {
                simulations,
                ..GumbelSettings::default()
            };
            let mut table = arms.table(simulations, 1.0);
            for seed in 0..20 {
                let search = gumbel(&Bandit::new(30), settings, seed, &mut table);
                let visits: Vec<u32> = search.visits().collect();
                assert!(visits[search.best()] > 0);
                assert!(logit == 0.0 || visits[..2] == [0, 0]);
            }
        }
    }
}
