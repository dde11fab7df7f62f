//! Experiments on openings: what comes out follows from the terms alone.

use std::fs;
use std::path::Path;
use std::time::Instant;

use garuda_mcts::Evaluator;
use garuda_mcts::evaluators::{Material, Rollout};
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, GameState, Origin, Position};
use garuda_run::records::{GameRecord, read_record_file, record_files};
use garuda_run::{Log, Stop};
use garuda_selfplay::experiment::{
    ExperimentDir, ExperimentSettings, ExperimentTerms, PlayOptions, run_experiment,
};
use garuda_study::experiment::{ArmKind, EliminationSettings, ExperimentReport, Verdict};
use garuda_study::openings::OpeningRoot;

fn terms<P: Position>() -> ExperimentTerms {
    ExperimentTerms {
        format: ExperimentTerms::FORMAT,
        game: P::NAME.to_owned(),
        network: "none".to_owned(),
        checkpoint: 3,
        seed: 1,
        simulations: 2,
        temperature: 1.0,
        temperature_plies: 8,
    }
}

fn settings(kind: ArmKind, games: u64) -> ExperimentSettings {
    ExperimentSettings {
        kind,
        elimination: EliminationSettings {
            games,
            total_games: None,
            margin: 0.05,
            confidence: 0.95,
            half_width: None,
            equal_games: false,
        },
        depth: 1,
        width: 2,
        max_arms: 6,
    }
}

/// Few moves, and games that end soon.
const ENDGAME: &str = "3k3/7/3K3/7/7/7/R5L[] w - - 0 1";

fn run<P: Position>(
    path: &Path,
    settings: &ExperimentSettings,
    shards: usize,
    stop: &Stop,
) -> anyhow::Result<ExperimentReport> {
    run_from::<P, _>(None, path, settings, shards, stop, &|_| {
        Ok(Rollout::new(7, 1, 20))
    })
}

fn run_from<P: Position, E: Evaluator<GameState<P>>>(
    from: Option<&str>,
    path: &Path,
    settings: &ExperimentSettings,
    shards: usize,
    stop: &Stop,
    open: &(dyn Fn(usize) -> anyhow::Result<E> + Sync),
) -> anyhow::Result<ExperimentReport> {
    let root = OpeningRoot::new(P::start(), from)?;
    let mut dir = ExperimentDir::<P>::open(path, &terms::<P>(), |_| ())?;
    let options = PlayOptions {
        shards,
        stop,
        log: &Log::silent(),
    };
    run_experiment(&root, None, &mut dir, settings, None, open, &options)
}

fn records<P: Position>(path: &Path) -> Vec<GameRecord> {
    let mut records: Vec<_> = (record_files(&path.join("games")).unwrap().iter())
        .flat_map(|(_, file)| read_record_file::<P>(file).unwrap())
        .collect();
    records.sort_by_key(GameRecord::number);
    records
}

/// The report without the directory it was made in.
fn content(report: ExperimentReport) -> ExperimentReport {
    let mut report = report;
    report.games_played.records.clear();
    report
}

#[test]
fn an_interrupted_experiment_ends_as_if_it_was_not() {
    type P = ToriPosition;
    let dir = tempfile::tempdir().unwrap();
    let run = |path: &Path, games, shards, stop: &Stop| {
        let settings = settings(ArmKind::Moves, games);
        // Not rollouts: they can run into repetitions of their own game's past, which the key of a
        // cached evaluation does not hold, and in an endgame many games share positions.
        let open = |_| Ok(Material::<P>::default());
        run_from::<P, _>(Some(ENDGAME), path, &settings, shards, stop, &open).unwrap()
    };
    let whole = dir.path().join("whole");
    let started = Instant::now();
    let expected = run(&whole, 36, 1, &Stop::default());
    let time = started.elapsed();
    assert!(expected.complete);
    let played = records::<P>(&whole);
    assert_eq!(played.len() as u64, expected.nodes[0].games);

    let parts = dir.path().join("parts");
    let mut damaged = None;
    let mut times = 0_u32;
    let report = loop {
        // Games that are in progress are lost, so the time grows until it is enough.
        let share = 0.05 * f64::from(1 + times * 7 % 5) + 0.03 * f64::from(times);
        let stop = Stop::after(Some(time.mul_f64(share)));
        let report = run(&parts, 36, 1 + times as usize % 3, &stop);
        let says_so = report.summary.iter().any(|s| s.starts_with("Interrupted"));
        assert_eq!(report.complete, !says_so);
        if report.complete {
            break report;
        }
        let files = record_files(&parts.join("games")).unwrap();
        if let (None, Some((_, file))) = (&damaged, files.first()) {
            // What a crash and a bad disk leave: an unfinished file and a damaged one.
            fs::write(parts.join("games/00000099.games.tmp"), b"half").unwrap();
            let mut bytes = fs::read(file).unwrap();
            bytes[60] ^= 1;
            fs::write(file, bytes).unwrap();
            damaged = Some(file.clone());
        }
        times += 1;
        assert!(times < 200, "it never ends");
    };
    assert_eq!(content(report), content(expected));
    fs::remove_file(damaged.unwrap()).unwrap();
    let results = |records: &[GameRecord]| -> Vec<_> {
        (records
            .iter()
            .map(|record| (record.number(), record.winner(), record.plies())))
        .collect()
    };
    assert_eq!(results(&records::<P>(&parts)), results(&played));

    // More games continue where fewer ended.
    let continued = run(&whole, 40, 2, &Stop::default());
    let fresh = run(&dir.path().join("more"), 40, 2, &Stop::default());
    assert_eq!(content(continued), content(fresh));
}

#[test]
fn games_start_with_their_arms() {
    type P = ToriPosition;
    let dir = tempfile::tempdir().unwrap();
    let report = run::<P>(
        dir.path(),
        &settings(ArmKind::Moves, 4),
        2,
        &Stop::default(),
    )
    .unwrap();
    let node = &report.nodes[0];
    assert!(
        node.arms
            .iter()
            .all(|arm| arm.games == 4 && arm.verdict == Verdict::Open)
    );
    let e4e5 = node.arms.iter().find(|arm| arm.name == "e4e5").unwrap();
    assert_eq!(e4e5.notation, "Sx33");
    for record in records::<P>(dir.path()) {
        assert_eq!(
            (record.checkpoint(), record.start()),
            (3, &*P::start().to_string())
        );
        let first = P::start().uci(record.moves().next().unwrap());
        assert!(node.arms.iter().any(|arm| arm.name == first));
    }

    let handicaps = settings(ArmKind::Handicaps, 4);
    let report = run::<P>(dir.path(), &handicaps, 2, &Stop::default()).unwrap();
    let names: Vec<_> = report.nodes[0]
        .arms
        .iter()
        .map(|arm| arm.name.as_str())
        .collect();
    assert_eq!(names.len(), P::STARTS.len());
    assert!(
        names.contains(&"standard") && names.contains(&"falcon"),
        "{names:?}"
    );

    let start = run::<P>(
        dir.path(),
        &settings(ArmKind::Start, 10),
        2,
        &Stop::default(),
    )
    .unwrap();
    assert_eq!(start.nodes[0].arms[0].games, 10);
    assert!(
        start.summary[0].contains("the side to move scores"),
        "{:?}",
        start.summary
    );
}

#[test]
fn set_ups_are_placed_as_they_are_named() {
    fn check<P: Position>() {
        let dir = tempfile::tempdir().unwrap();
        let settings = settings(ArmKind::SetUps, 2);
        let report = run::<P>(dir.path(), &settings, 2, &Stop::default()).unwrap();
        assert!(report.complete);
        let sides: Vec<_> = report.nodes.iter().map(|node| node.side).collect();
        assert_eq!(sides, ['w', 'b']);
        let records = records::<P>(dir.path());
        let placed_by = |record: &GameRecord, side: Color| -> Vec<String> {
            let mut position = P::start();
            let mut squares = Vec::new();
            for mv in record.moves() {
                if position.turn() == side && matches!(mv.origin(), Origin::Hand(_)) {
                    squares.push(position.uci(mv));
                }
                position.play(mv);
            }
            squares.sort();
            squares
        };
        for (node, side) in report.nodes.iter().zip(Color::ALL) {
            assert!(!node.arms.is_empty());
            for arm in &node.arms {
                let mut wanted: Vec<String> = (arm.name.split(' '))
                    .flat_map(|group| {
                        let (letter, squares) = group.split_at(1);
                        squares
                            .split(',')
                            .map(move |square| format!("{letter}@{square}"))
                    })
                    .collect();
                wanted.sort();
                assert_eq!(wanted.len(), 8, "{}", arm.name);
                let found = records
                    .iter()
                    .filter(|record| placed_by(record, side) == wanted);
                assert!(
                    found.count() >= arm.games as usize || side == Color::Black,
                    "{}",
                    arm.name
                );
            }
        }
    }
    check::<SittuyinPosition<false>>();
    check::<SittuyinPosition<true>>();
}

#[test]
fn other_terms_and_foreign_directories_are_refused() {
    type P = ToriPosition;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("games of tori");
    drop(ExperimentDir::<P>::open(&path, &terms::<P>(), |_| ()).unwrap());
    let other = ExperimentTerms {
        simulations: 3,
        ..terms::<P>()
    };
    let refused = |path: &Path, terms: &ExperimentTerms| {
        format!(
            "{:#}",
            ExperimentDir::<P>::open(path, terms, |_| ()).unwrap_err()
        )
    };
    assert!(refused(&path, &other).contains("other terms"));
    assert_ne!(other.dir_name(), terms::<P>().dir_name());
    let bad = ExperimentTerms {
        temperature: -1.0,
        simulations: 1,
        ..terms::<P>()
    };
    let message = refused(&dir.path().join("bad"), &bad);
    assert!(
        message.contains("simulations") && message.contains("temperature"),
        "{message}"
    );
    assert!(!dir.path().join("bad").exists());
    fs::write(dir.path().join("mine"), "").unwrap();
    assert!(refused(dir.path(), &terms::<P>()).contains("not empty"));
    let held = ExperimentDir::<P>::open(&path, &terms::<P>(), |_| ()).unwrap();
    assert!(refused(&path, &terms::<P>()).contains("in use"));
    drop(held);
}
