//! Ratings against known answers and against what must hold for all results.

use std::time::{Duration, Instant};

use garuda_arena::ratings::{
    EloEstimate, Pairing, Sprt, SprtDecision, elo_of_score, ratings, score_of_elo,
};
use garuda_run::Tally;
use proptest::prelude::*;

fn pairing(first: &str, second: &str, points: f64, games: f64) -> Pairing {
    Pairing {
        first: first.to_owned(),
        second: second.to_owned(),
        points,
        games,
    }
}

fn tally(pentanomial: [u64; 5]) -> Tally {
    let mut tally = Tally::default();
    let results = [[-1, -1], [0, -1], [0, 0], [1, 0], [1, 1]];
    for (count, pair) in pentanomial.into_iter().zip(results) {
        for _ in 0..count {
            tally.add_pair(pair);
        }
    }
    tally
}

#[test]
fn elo_of_known_scores() {
    for (score, elo) in [(0.5, 0.0), (0.75, 190.848_501_887), (0.64, 99.950989287)] {
        assert!((elo_of_score(score) - elo).abs() < 1e-5, "{score}");
        assert!((score_of_elo(elo) - score).abs() < 1e-7, "{elo}");
    }
}

#[test]
fn wilson_interval_of_unpaired_looking_results() {
    // 60 wins and 40 losses whose pairs vary as independent games do: Wilson's interval of
    // 60 of 100 is 0.5020 to 0.6906.
    let tally = tally([8, 0, 24, 0, 18]);
    let estimate = EloEstimate::from(&tally);
    assert_eq!(tally.score(), 0.6);
    assert!(
        (score_of_elo(estimate.low) - 0.5020).abs() < 1e-3,
        "{estimate:?}"
    );
    assert!(
        (score_of_elo(estimate.high) - 0.6906).abs() < 1e-3,
        "{estimate:?}"
    );
}

#[test]
fn clean_score_is_finite_and_far() {
    let estimate = EloEstimate::from(&tally([0, 0, 0, 0, 50]));
    assert!(estimate.elo.is_finite() && estimate.high.is_finite());
    assert!(estimate.low > 500.0, "{estimate:?}");
    let nothing = EloEstimate::from(&Tally::default());
    assert!(nothing.low < 0.0 && nothing.high > 0.0 && nothing.elo == 0.0);
}

#[test]
fn paired_draws_narrow_the_interval() {
    // The same 50 %: won and lost by the side to move, pair after pair, or at random.
    let balanced = EloEstimate::from(&tally([0, 0, 50, 0, 0]));
    let random = EloEstimate::from(&tally([12, 0, 26, 0, 12]));
    assert!(balanced.high - balanced.low <= random.high - random.low);
}

#[test]
fn sprt_decides_what_is_clear_and_nothing_else() {
    let test = Sprt {
        elo0: 0.0,
        elo1: 20.0,
        error: 0.05,
    };
    assert_eq!(test.decide(&Tally::default()), SprtDecision::Undecided);
    assert_eq!(
        test.decide(&tally([1, 0, 2, 0, 1])),
        SprtDecision::Undecided
    );
    assert_eq!(
        test.decide(&tally([2, 10, 40, 60, 40])),
        SprtDecision::Stronger
    );
    assert_eq!(
        test.decide(&tally([40, 60, 40, 10, 2])),
        SprtDecision::NotStronger
    );
    assert_eq!(
        test.decide(&tally([0, 0, 0, 1, 0])),
        SprtDecision::Undecided
    );
    assert_eq!(
        test.decide(&tally([0, 0, 0, 0, 3])),
        SprtDecision::Undecided
    );
    // By hand: n = 100, mean 0.55, from counts 5 15 45 25 10.
    let llr = test.log_likelihood_ratio(&tally([5, 15, 45, 25, 10]));
    let (s0, s1) = (0.5, score_of_elo(20.0));
    let variance = (5.0 * 0.55f64.powi(2)
        + 15.0 * 0.3f64.powi(2)
        + 45.0 * 0.05f64.powi(2)
        + 25.0 * 0.2f64.powi(2)
        + 10.0 * 0.45f64.powi(2))
        / 100.0;
    let variance = (100.0 * variance + 0.125) / 101.0;
    let by_hand = 100.0 * (s1 - s0) * (1.1 - s0 - s1) / (2.0 * variance);
    assert!((llr - by_hand).abs() < 1e-9);
}

#[test]
fn two_players_get_the_elo_of_their_score() {
    let found = ratings(&[pairing("a", "b", 7500.0, 10_000.0)], "b");
    assert_eq!(found[0].player, "a");
    assert!((found[0].elo - 190.85).abs() < 0.2, "{found:?}");
    assert_eq!(found[1].elo, 0.0);
    // The difference has the error of a proportion: 1.96 · sqrt(pq/n) / (pq) · 400/ln 10; each
    // is half of it away from their mean.
    let expected = 1.96 / (10_000f64 * 0.75 * 0.25).sqrt() * 400.0 / 10f64.ln() / 2.0;
    assert!((found[0].error - expected).abs() < 0.05, "{found:?}");
}

#[test]
fn chains_add_up() {
    let found = ratings(
        &[
            pairing("a", "b", 6400.0, 10_000.0),
            pairing("c", "b", 3600.0, 10_000.0),
        ],
        "c",
    );
    let elo: Vec<_> = found.iter().map(|r| r.elo).collect();
    assert!((elo[0] - 199.9).abs() < 0.5, "{elo:?}");
    assert!((elo[1] - 99.95).abs() < 0.5, "{elo:?}");
}

#[test]
fn a_long_ladder_is_rated_quickly() {
    // Each checkpoint plays the last one, the fourth before it and a fixed player.
    let name = |number: usize| format!("{number:06}");
    let mut pairings = Vec::new();
    for number in 1..10_000usize {
        for back in [1, 4] {
            let opponent = number.saturating_sub(back);
            pairings.push(pairing(&name(number), &name(opponent), 22.0, 40.0));
        }
        pairings.push(pairing(&name(number), "random", 39.0, 40.0));
    }
    let started = Instant::now();
    let found = ratings(&pairings, "random");
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_eq!(found.len(), 10_001);
    assert!(
        found
            .iter()
            .all(|r| r.elo.is_finite() && r.error.is_finite())
    );
}

#[test]
fn unbeaten_and_unconnected_players_have_finite_ratings() {
    let found = ratings(
        &[
            pairing("a", "b", 40.0, 40.0),
            pairing("b", "c", 40.0, 40.0),
            pairing("x", "y", 1.0, 2.0),
        ],
        "random",
    );
    assert!(
        found
            .iter()
            .all(|r| r.elo.is_finite() && r.error.is_finite())
    );
    assert_eq!(found[0].player, "a");
    assert!(ratings(&[], "random").is_empty());
}

proptest! {
    #[test]
    fn estimates_are_ordered_and_symmetric(counts in prop::array::uniform5(0u64..60)) {
        let mut mirrored = counts;
        mirrored.reverse();
        let (there, back) = (EloEstimate::from(&tally(counts)), EloEstimate::from(&tally(mirrored)));
        prop_assert!(there.low <= there.elo && there.elo <= there.high, "{there:?}");
        prop_assert!((there.low + back.high).abs() < 1e-6 && (there.elo + back.elo).abs() < 1e-6);
    }

    #[test]
    fn more_points_never_lower_a_rating(points in 0.0f64..38.0, more in 0.1f64..2.0) {
        let with = |p: f64| ratings(
            &[pairing("a", "b", p, 40.0), pairing("b", "c", 20.0, 40.0)], "c",
        ).into_iter().find(|r| r.player == "a").expect("a played").elo;
        prop_assert!(with(points + more) > with(points));
    }

    #[test]
    fn ratings_do_not_depend_on_the_order(
        results in prop::collection::vec((0usize..5, 0usize..5, 0u32..=20), 1..12),
    ) {
        let list = |results: &[(usize, usize, u32)]| -> Vec<Pairing> {
            results.iter().filter(|(a, b, _)| a != b).map(|&(a, b, points)| {
                pairing(&a.to_string(), &b.to_string(), f64::from(points), 20.0)
            }).collect()
        };
        let forward = ratings(&list(&results), "0");
        let mut backward: Vec<_> = results.iter().map(|&(a, b, p)| (b, a, 20 - p)).collect();
        backward.reverse();
        let backward = ratings(&list(&backward), "0");
        for (x, y) in forward.iter().zip(&backward) {
            prop_assert!((x.elo - y.elo).abs() < 1e-4);
        }
    }
}

#[test]
fn estimate_of_one_value() {
    let estimate = EloEstimate::new(0.5, 0.25, 100.0);
    assert_eq!(estimate.elo, 0.0);
    assert!((estimate.high - 67.66).abs() < 0.5, "{estimate:?}");
}
