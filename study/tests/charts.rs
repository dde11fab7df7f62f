//! Charts are drawn from whatever a run has.

use std::collections::BTreeMap;
use std::fs;

use garuda_arena::ratings::ladder_ratings;
use garuda_run::{Event, Ladder, LossStats, MatchResult, SelfplayStats, Tally, TrainingStats};
use garuda_study::charts::write_plots;

fn training(checkpoint: u32) -> Event {
    Event::Training(TrainingStats {
        checkpoint,
        steps: 100 * u64::from(checkpoint),
        losses: LossStats {
            total: 5.0 / f64::from(checkpoint + 1),
            policy: 3.0,
            value: 1.0,
        },
        ..TrainingStats::default()
    })
}

fn result(first: &str, second: &str, wins: u64) -> MatchResult {
    let mut tally = Tally::default();
    for _ in 0..wins {
        tally.add_pair([1, 1]);
    }
    tally.add_pair([0, -1]);
    MatchResult {
        first: first.to_owned(),
        second: second.to_owned(),
        simulations: 8,
        tally,
        distinct_games: 2 * wins + 2,
        ends: BTreeMap::from([("checkmate".to_owned(), 2 * wins + 2)]),
    }
}

#[test]
fn plots_are_drawn_from_anything() {
    let dir = tempfile::tempdir().unwrap();
    write_plots(dir.path(), &[], &[]).unwrap();
    let mut ladder = Ladder::default();
    ladder.add(result("000001", "random", 9));
    let events: Vec<_> = (0..5)
        .map(training)
        .chain((0..5).map(|checkpoint| {
            Event::Selfplay(SelfplayStats {
                checkpoint,
                mean_plies: 60.0,
                draws: f64::NAN,
                ..SelfplayStats::default()
            })
        }))
        .collect();
    write_plots(dir.path(), &events, &ladder_ratings(&ladder)).unwrap();
    for name in ["loss", "rating", "length", "results"] {
        let svg = fs::read_to_string(dir.path().join(format!("{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
}
