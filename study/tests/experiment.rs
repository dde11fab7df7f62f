//! Elimination on arms whose true scores are known.

use garuda_mcts::evaluators::Rollout;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{OpeningBook, Position};
use garuda_run::config::OpeningsSettings;
use garuda_run::{Log, seeds};
use garuda_study::VersionedReport;
use garuda_study::experiment::{
    ArmKind, ArmReport, Elimination, EliminationSettings, ExperimentGames, ExperimentNode,
    ExperimentReport, NetworkStrength, OpponentScore, Verdict, summary,
};
use garuda_study::openings::{
    EvaluatorFactory, OpeningRoot, OpeningsReport, ReportSource, SearchSettings, StudyInputs, book,
    book_pgn, csv, html, study_openings, text,
};
use proptest::prelude::*;
use rand::RngExt;

const SETTINGS: EliminationSettings = EliminationSettings {
    games: 20_000,
    total_games: None,
    margin: 0.05,
    confidence: 0.95,
    half_width: None,
    equal_games: false,
};
const SEEDS: u64 = 200;

/// Probabilities of a win and of a draw.
type Chances = (f64, f64);

fn score((win, draw): Chances) -> f64 {
    win + 0.5 * draw
}

fn result((win, draw): Chances, seed: u64, arm: usize, game: u64) -> i8 {
    let seed = seeds::derive(seed, "synthetic", &[arm as u64, game]);
    let drawn: f64 = seeds::rng(seed).random();
    i8::from(drawn < win) - i8::from(drawn >= win + draw)
}

/// Plays arms to the end, looking after every round.
fn run(arms: &[Chances], settings: EliminationSettings, seed: u64) -> Elimination {
    let mut elimination = Elimination::new(arms.len(), settings);
    loop {
        let round = elimination.next_round();
        if round.is_empty() {
            return elimination;
        }
        for (arm, games) in round {
            let played = u64::from(elimination.results(arm).games());
            let results = (played..games).map(|game| result(arms[arm], seed, arm, game));
            elimination.add(arm, results.collect::<Vec<_>>());
        }
        elimination.look();
    }
}

#[test]
fn the_best_arm_is_found_within_the_computed_games() {
    let cases: [&[Chances]; 3] = [
        &[(0.35, 0.2), (0.6, 0.1), (0.4, 0.1), (0.3, 0.2)],
        // Without draws the results vary most.
        &[
            (0.62, 0.0),
            (0.42, 0.0),
            (0.40, 0.0),
            (0.42, 0.0),
            (0.3, 0.0),
            (0.2, 0.0),
        ],
        &[(0.1, 0.8), (0.3, 0.7), (0.05, 0.9)],
    ];
    for arms in cases {
        let mut order: Vec<_> = (0..arms.len()).collect();
        order.sort_by(|&a, &b| score(arms[b]).total_cmp(&score(arms[a])));
        let gap = score(arms[order[0]]) - score(arms[order[1]]);
        let games = SETTINGS.games_to_find(gap, arms.len()).unwrap();
        let settings = EliminationSettings { games, ..SETTINGS };
        let found = (0..SEEDS).filter(|&seed| {
            let end = run(arms, settings, seed);
            (0..arms.len()).all(|arm| {
                let expected = if arm == order[0] {
                    Verdict::Good
                } else {
                    Verdict::Bad
                };
                end.verdict(arm) == expected
            })
        });
        let found = found.count() as u64;
        assert!(
            found * 100 >= SEEDS * 95,
            "{found} of {SEEDS} within {games} games"
        );
    }
    assert_eq!(SETTINGS.games_to_find(0.05, 4), None);
}

/// Several arms lie at the margin, where mistakes are most likely, and there are many looks.
#[test]
fn verdicts_are_wrong_less_often_than_the_confidence_allows() {
    let arms: &[Chances] = &[
        (0.5, 0.1),
        (0.49, 0.1),
        (0.44, 0.1),
        (0.46, 0.1),
        (0.449, 0.1),
        (0.3, 0.1),
    ];
    let settings = EliminationSettings {
        games: 1_500,
        confidence: 0.9,
        ..SETTINGS
    };
    let best = arms.iter().map(|&arm| score(arm)).fold(0.0, f64::max);
    let wrong = (0..SEEDS).filter(|&seed| {
        let end = run(arms, settings, seed);
        (0..arms.len()).any(|arm| {
            let is_bad = score(arms[arm]) < best - settings.margin;
            let wrong = if is_bad { Verdict::Good } else { Verdict::Bad };
            end.verdict(arm) == wrong
        })
    });
    let wrong = wrong.count();
    assert!(wrong as u64 * 10 <= SEEDS, "{wrong} of {SEEDS}");
}

#[test]
fn intervals_hold_at_every_look() {
    let arms: &[Chances] = &[(0.45, 0.2)];
    let settings = EliminationSettings {
        games: 2_000,
        equal_games: true,
        ..SETTINGS
    };
    let missed = (0..SEEDS).filter(|&seed| {
        let mut elimination = Elimination::new(1, settings);
        (0..settings.games).any(|game| {
            elimination.add(0, [result(arms[0], seed, 0, game)]);
            let is_missed = |elimination: &Elimination| {
                let interval = elimination.interval(0);
                !(interval.low..=interval.high).contains(&score(arms[0]))
            };
            game % 50 == 0 && is_missed(&elimination)
        })
    });
    let missed = missed.count() as u64;
    assert!(missed * 20 <= SEEDS, "{missed} of {SEEDS}");
}

#[test]
fn effort_goes_to_arms_that_are_not_decided() {
    let arms: &[Chances] = &[(0.55, 0.1), (0.53, 0.1), (0.1, 0.1), (0.2, 0.1)];
    let end = run(arms, SETTINGS, 1);
    let games = |arm| end.results(arm).games();
    assert!(games(0) > 10 * games(2), "{} {}", games(0), games(2));
    assert_eq!([0, 1].map(|arm| end.verdict(arm)), [Verdict::Good; 2]);
    assert_eq!([2, 3].map(|arm| end.verdict(arm)), [Verdict::Bad; 2]);

    let limited = EliminationSettings {
        games: 100,
        ..SETTINGS
    };
    let end = run(arms, limited, 1);
    assert_eq!(end.verdict(0), Verdict::Open);
    assert!((0..4).all(|arm| end.results(arm).games() <= 100));
    let limited = EliminationSettings {
        total_games: Some(300),
        ..SETTINGS
    };
    assert!(run(arms, limited, 1).games() <= 300);
    let precise = EliminationSettings {
        half_width: Some(0.05),
        ..SETTINGS
    };
    let end = run(arms, precise, 1);
    for arm in 0..2 {
        let interval = end.interval(arm);
        assert!(interval.high - interval.low <= 0.1);
        assert!(end.results(arm).games() < 3_000);
    }
    let equal = EliminationSettings {
        games: 500,
        equal_games: true,
        ..SETTINGS
    };
    let end = run(arms, equal, 1);
    assert!((0..4).all(|arm| end.results(arm).games() == 500));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the results, there is an end, budgets are kept and someone is not bad.
    #[test]
    fn every_experiment_ends(
        arms in prop::collection::vec((0.0..0.7_f64, 0.0..0.3_f64), 1..6),
        games in 1..300_u64,
        seed in 0..1000_u64,
    ) {
        let settings = EliminationSettings { games, ..SETTINGS };
        let end = run(&arms, settings, seed);
        prop_assert!((0..arms.len()).all(|arm| u64::from(end.results(arm).games()) <= games));
        prop_assert!((0..arms.len()).any(|arm| end.verdict(arm) != Verdict::Bad));
        for arm in 0..arms.len() {
            let interval = end.interval(arm);
            prop_assert!(interval.low <= interval.value && interval.value <= interval.high);
        }
    }
}

/// Arms of a Tori Shogi position: the UCI move, how it is written, and its chances.
type NamedArm = (&'static str, &'static str, Chances);

fn node(path: &str, fen: &str, arms: &[NamedArm]) -> ExperimentNode {
    let chances: Vec<_> = arms.iter().map(|&(_, _, chances)| chances).collect();
    let end = run(&chances, SETTINGS, 1);
    let arms = arms
        .iter()
        .enumerate()
        .map(|(i, &(name, notation, chances))| ArmReport {
            value: Some(2.0 * score(chances) - 1.0),
            ..ArmReport::new(
                name.to_owned(),
                notation.to_owned(),
                &end,
                i,
                end.results(i).games().into(),
            )
        });
    let mut node = ExperimentNode {
        path: path.to_owned(),
        fen: fen.to_owned(),
        side: 'w',
        games: 0,
        distinct_games: 0,
        arms: arms.collect(),
        calibration: None,
    };
    node.finish();
    node
}

/// A report in which a3a4 and c1b2 are good, with the replies to a3a4.
fn experiment(alphabeta: f64) -> ExperimentReport {
    let start = ToriPosition::start();
    let mut root = node(
        "",
        &start.to_string(),
        &[
            ("a3a4", "S-74", (0.55, 0.1)),
            ("e4e5", "Sx33", (0.2, 0.1)),
            ("c1b2", "C-66", (0.54, 0.1)),
        ],
    );
    let mut after = start;
    after.play(start.parse_uci("a3a4").unwrap());
    let replies = [("a5a4", "Sx74", (0.6, 0.0)), ("g5g4", "S-14", (0.3, 0.0))];
    let good = root.arms.iter_mut().find(|arm| arm.name == "a3a4").unwrap();
    good.next = Some(node("a3a4", &after.to_string(), &replies));
    let mut report = ExperimentReport {
        kind: ArmKind::Moves,
        settings: SETTINGS,
        games_played: ExperimentGames {
            simulations: 64,
            temperature: 0.5,
            temperature_plies: 12,
            seed: 1,
            records: "a <directory>".to_owned(),
        },
        strength: Some(NetworkStrength {
            rating: Some([3539.0, 151.0]),
            opponents: vec![OpponentScore {
                opponent: "alphabeta".to_owned(),
                games: 40,
                score: alphabeta,
            }],
            required_score: 0.75,
        }),
        complete: true,
        summary: Vec::new(),
        nodes: vec![root],
    };
    report.summary = summary("Tori Shogi", ["move", "moves"], &report);
    report
}

fn openings_report() -> OpeningsReport {
    let root = OpeningRoot::new(ToriPosition::start(), None).unwrap();
    let open = || anyhow::Ok(Rollout::new(7, 1, 20));
    let settings = OpeningsSettings {
        plies: 1,
        ..OpeningsSettings::default()
    };
    let search = SearchSettings {
        visits: 4,
        searches: 2,
        seed: 1,
        shards: 1,
    };
    let inputs = StudyInputs {
        source: ReportSource::default(),
        settings: &settings,
        search: Some((search, EvaluatorFactory(&open))),
        games: None,
    };
    study_openings(&root, &inputs, &Log::silent()).unwrap()
}

#[test]
fn pages_lead_with_the_experiment() {
    let report = OpeningsReport {
        experiment: Some(experiment(0.975)),
        ..openings_report()
    };
    let lead = "of a network rated 3539 ± 151 that scores 97.5 % against alphabeta, Tori Shogi has \
                two good first moves: a3a4 and c1b2.";
    let sentences = &report.experiment.as_ref().unwrap().summary;
    assert!(sentences[0].ends_with(lead), "{sentences:?}");
    let page = html(&report);
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..roxmltree::ParsingOptions::default()
    };
    let document = roxmltree::Document::parse_with_options(&page, options).unwrap();
    let with_class = |class: &'static str| {
        document
            .descendants()
            .filter(move |node| node.attribute("class") == Some(class))
    };
    assert_eq!(
        with_class("lead").next().unwrap().text(),
        Some(sentences[0].as_str())
    );
    let section = with_class("experiment").next().unwrap();
    let rows = section
        .descendants()
        .filter(|node| node.has_tag_name("tbody"));
    let counts: Vec<_> = rows.map(|body| body.children().count()).collect();
    assert_eq!(counts, [3, 2]);
    let words: Vec<_> = section
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    for expected in ["a3a4", "S-74", "good", "bad", "Sx74"] {
        assert!(words.contains(&expected), "{expected}");
    }
    assert!(
        words.iter().any(|word| word.contains("correlation")),
        "{words:?}"
    );
    assert!(page.contains("A second opinion, by search alone."));

    let text = text(&report);
    for expected in [
        &sentences[0],
        "a3a4 S-74",
        "correlation",
        "A second opinion",
        "records: a <",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let read = OpeningsReport::from_json(report.to_json().as_bytes()).unwrap();
    assert!(read == report && html(&read) == page);

    let lines = csv(&report);
    let cells: Vec<Vec<_>> = lines.lines().map(|row| row.split(',').collect()).collect();
    assert!(
        cells.iter().all(|row| row.len() == cells[0].len()),
        "{lines}"
    );
    let column = |name| cells[0].iter().position(|&cell| cell == name).unwrap();
    // The arms of the start, then the replies to the good move that was followed.
    assert_eq!(cells.len(), 1 + 3 + 2);
    let reply = cells
        .iter()
        .find(|row| row[column("move")] == "a5a4")
        .unwrap();
    assert_eq!(
        [
            reply[column("path")],
            reply[column("notation")],
            reply[column("verdict")]
        ],
        ["a3a4", "Sx74", "good"]
    );
    for row in &cells[1..] {
        let number = |name| row[column(name)].parse::<f64>().unwrap();
        let games = number("wins") + number("draws") + number("losses");
        assert_eq!(games, number("games"));
        let score = (number("wins") + number("draws") / 2.0) / games;
        assert!((score - number("score")).abs() < 1e-9, "{row:?}");
        assert!(number("score_low") <= score && score <= number("score_high"));
    }
}

#[test]
fn a_weak_network_has_no_opinion() {
    let weak = experiment(0.6);
    assert!(weak.summary[0].starts_with("Too weak to say: the network scores 60.0 % in 40 games"));
    let unknown = ExperimentReport {
        strength: Some(NetworkStrength::default()),
        ..weak
    };
    let sentences = summary("Tori Shogi", ["move", "moves"], &unknown);
    assert!(sentences[0].starts_with("Too weak to say"), "{sentences:?}");
    let unasked = ExperimentReport {
        strength: None,
        complete: false,
        ..unknown
    };
    let sentences = summary("Tori Shogi", ["move", "moves"], &unasked);
    assert!(
        sentences[0].contains("two good first moves"),
        "{sentences:?}"
    );
    assert!(sentences.last().unwrap().starts_with("Interrupted"));
}

/// Scores of games that are all alike are about these games only.
#[test]
fn repeated_games_are_warned_about() {
    let mut report = experiment(1.0);
    let games = report.nodes[0].games;
    for (distinct, is_warned) in [(games, false), (games * 95 / 100, false), (games / 3, true)] {
        report.nodes[0].distinct_games = distinct;
        let sentences = summary("Tori Shogi", ["move", "moves"], &report);
        assert_eq!(
            sentences[0].starts_with("WARNING"),
            is_warned,
            "{sentences:?}"
        );
    }
}

#[test]
fn good_lines_make_a_book() {
    type P = ToriPosition;
    let report = experiment(1.0);
    let book: OpeningBook<P> = book(&report).unwrap();
    assert_eq!(book.len(), 2);
    let start = P::start();
    let mut moves: Vec<_> = (book.moves(&start).iter())
        .map(|&(mv, _)| start.uci(mv))
        .collect();
    moves.sort();
    assert_eq!(moves, ["a3a4", "c1b2"]);
    assert!(
        book.moves(&start)
            .iter()
            .all(|&(_, weight)| (50..=70).contains(&weight))
    );
    assert_eq!(book.to_string().parse::<OpeningBook<P>>().unwrap(), book);
    let pgn = book_pgn::<P>(&report).unwrap();
    assert!(pgn.contains("\n\na3a4 a5a4 *\n"), "{pgn}");
    assert!(pgn.contains("\n\nc1b2 *\n"), "{pgn}");
    assert_eq!(pgn.matches("[Variant \"torishogi\"]").count(), 2);
}
