//! Charts are drawn from whatever a run has.

use std::fs;

use garuda_run::{Event, LossStats, Rating, SelfplayStats, TrainingStats};
use garuda_study::charts::write_plots;

#[test]
fn plots_are_drawn_from_anything() {
    let dir = tempfile::tempdir().unwrap();
    write_plots(dir.path(), &[], &[]).unwrap();
    let mut events = Vec::new();
    for checkpoint in 0..5 {
        let losses = LossStats {
            total: 5.0 / f64::from(checkpoint + 1),
            ..LossStats::default()
        };
        events.push(Event::Training(TrainingStats {
            checkpoint,
            losses,
            ..TrainingStats::default()
        }));
        events.push(Event::Selfplay(SelfplayStats {
            checkpoint,
            mean_plies: 60.0,
            draws: f64::NAN,
            ..SelfplayStats::default()
        }));
    }
    let ratings = [("000001", 300.0), ("random", 0.0)].map(|(player, elo)| Rating {
        player: player.to_owned(),
        elo,
        error: 50.0,
        games: 20,
        points: 10.0,
    });
    write_plots(dir.path(), &events, &ratings).unwrap();
    for name in ["loss", "rating", "length", "results"] {
        let svg = fs::read_to_string(dir.path().join(format!("{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
}
