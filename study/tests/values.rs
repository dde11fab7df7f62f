//! Piece values: the values that made-up games were generated with are recovered.

use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{
    Color, Game, GamePhase, GameState, MoveList, Origin, Outcome, Position, Termination,
};
use garuda_run::config::Config;
use garuda_run::records::{GameRecord, RecordStore};
use garuda_run::testing::{head, unsearched};
use garuda_run::{RunDir, seeds};
use garuda_study::VersionedReport;
use garuda_study::values::{
    self, CountedGame, FittedValues, GameSample, ValuesError, ValuesReport, ValuesSource,
    count_game, fit, fit_values, resample, study_values,
};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// The score of a game whose log-odds are known.
fn draw_score(log_odds: f64, rng: &mut impl Rng) -> f32 {
    f32::from(u8::from(rng.random_bool(1.0 / (1.0 + (-log_odds).exp()))))
}

/// Games with random differences, each with up to six equal rows, and with results drawn by the
/// coefficients.
fn made_up(coefficients: &[f64], games: usize, rng: &mut impl Rng) -> GameSample {
    let games: Vec<(f32, Vec<i8>)> = (0..games)
        .map(|_| {
            let mut row: Vec<i8> = (coefficients.iter())
                .map(|_| rng.random_range(-2..=2) * i8::from(rng.random_bool(0.6)))
                .collect();
            row[0] = 1;
            let log_odds = (row.iter().zip(coefficients))
                .map(|(&x, c)| f64::from(x) * c)
                .sum();
            let times = rng.random_range(1..=6);
            (draw_score(log_odds, rng), row.repeat(times))
        })
        .collect();
    let views = games.iter().map(|(score, rows)| (*score, &rows[..]));
    GameSample::new(coefficients.len(), views)
}

#[test]
fn coefficients_are_recovered() {
    let truth = [0.2, 0.0, 0.3, 0.9, 1.5, 0.7];
    let sample = made_up(&truth, 6000, &mut seeds::rng(1));
    let fits = resample(&sample, 200, 1);
    let mut inside = 0;
    for (i, &truth) in truth.iter().enumerate() {
        let found = fits.interval(|c| c[i]);
        assert!((found.value - truth).abs() < 0.15, "{i}: {found:?}");
        assert!(found.high - found.low < 0.4, "{i}: {found:?}");
        inside += usize::from(found.low < truth && truth < found.high);
    }
    assert!(inside >= 5, "{inside} of 6 intervals contain the truth");
    let ratio = fits.interval(|c| c[4] / c[3]);
    assert!(ratio.low < 1.5 / 0.9 && 1.5 / 0.9 < ratio.high, "{ratio:?}");
}

/// Each game has up to six rows: if rows were resampled instead of games, intervals would be half as
/// wide and contain the truth in two of three cases.
#[test]
fn intervals_contain_the_truth_in_95_percent_of_cases() {
    let truth = [0.1, 0.4, -0.3, 1.0];
    let (mut inside, mut all) = (0, 0);
    for repetition in 0..100 {
        let sample = made_up(&truth, 300, &mut seeds::rng(1000 + repetition));
        let fits = resample(&sample, 120, repetition);
        for (i, truth) in truth.iter().enumerate() {
            let found = fits.interval(|c| c[i]);
            inside += usize::from(found.low < *truth && *truth < found.high);
            all += 1;
        }
    }
    println!("{inside} of {all}");
    assert!((360..=394).contains(&inside), "{inside} of {all}");
}

#[test]
fn separated_results_have_finite_coefficients() {
    let games: Vec<_> = (0..200)
        .map(|i| {
            let x = if i % 2 == 0 { 1 } else { -1 };
            (f32::from(u8::from(x > 0)), [1, x, 0])
        })
        .collect();
    let sample = GameSample::new(3, games.iter().map(|(score, row)| (*score, &row[..])));
    let found = fit(&sample);
    assert!(found[1] > 3.0 && found[1] < 20.0, "{found}");
    assert_eq!(found[2], 0.0, "what never differs has no coefficient");
}

#[test]
fn draws_are_half_a_win() {
    let rows = [[1i8]; 40];
    let of = |score: &dyn Fn(usize) -> f32| {
        let games = rows.iter().enumerate().map(|(i, row)| (score(i), &row[..]));
        let sample = GameSample::new(1, games);
        fit(&sample)[0]
    };
    let drawn = of(&|i| if i < 20 { 1.0 } else { 0.5 });
    let decided = of(&|i| f32::from(u8::from(i < 30)));
    assert!((drawn - decided).abs() < 1e-9);
    assert!((decided - 3f64.ln()).abs() < 0.03, "{decided}");
}

/// A start with some pieces removed, and some in hand where the game has hands.
fn thinned<P: Position>(rng: &mut impl Rng) -> P {
    loop {
        let text = P::start().to_string();
        let (board, rest) = text.split_once(' ').unwrap();
        let board = board.split('[').next().unwrap();
        let mut pieces = String::new();
        let mut hand = String::new();
        for c in board.chars() {
            let is_king = c.eq_ignore_ascii_case(&'k');
            if c.is_alphabetic() && !is_king && rng.random_bool(0.35) {
                pieces.push('1');
                if rng.random_bool(0.4) {
                    hand.push(c);
                }
            } else {
                pieces.push(c);
            }
        }
        if P::PLACEABLE.is_empty() {
            hand.clear();
        } else {
            hand = format!("[{hand}]");
        }
        // Neighbouring gaps are written as one number.
        let pieces = merge_gaps(&pieces);
        if let Ok(position) = format!("{pieces}{hand} {rest}").parse::<P>()
            && GameState::from_position(position).outcome().is_none()
        {
            return position;
        }
    }
}

fn merge_gaps(board: &str) -> String {
    let mut out = String::new();
    let mut gap = 0;
    for c in board.chars().chain(std::iter::once('\0')) {
        match c.to_digit(10) {
            Some(n) => gap += n,
            None => {
                if gap > 0 {
                    out.push_str(&gap.to_string());
                }
                gap = 0;
                out.push(c);
            }
        }
    }
    out.trim_end_matches('\0').to_owned()
}

/// Records of two random quiet moves each, with results drawn by the log-odds of the material.
fn records<P: Position>(games: u64, log_odds: impl Fn(&[i8]) -> f64, seed: u64) -> Vec<GameRecord> {
    let mut rng = seeds::rng(seed);
    let mut legal = MoveList::new();
    (0..games)
        .map(|number| {
            let start: P = thinned(&mut rng);
            let first = start.turn();
            let mut differences = vec![0; P::material_features().len()];
            start.count_material(first, &mut differences);
            let winner = match draw_score(log_odds(&differences), &mut rng) {
                score if score > 0.5 => first,
                _ => !first,
            };
            let mut game = GameState::from_position(start);
            let mut decisions = Vec::new();
            for _ in 0..2 {
                game.legal_moves(&mut legal);
                // All positions of a game have the same pieces on the board and in hand.
                let position = game.position();
                legal.retain(|mv| {
                    let steps = matches!(mv.origin(), Origin::Board(_));
                    steps && position.occupant(mv.to()).is_none()
                });
                let Some(&mv) = legal.choose(&mut rng) else {
                    break;
                };
                decisions.push(unsearched(mv));
                game.play(mv);
            }
            let outcome = Outcome::win(winner, Termination::Checkmate);
            GameRecord::new(
                head::<P>(&start.to_string(), 0, number),
                &decisions,
                outcome,
            )
            .unwrap()
        })
        .collect()
}

fn values_of<P: Position>(records: &[GameRecord]) -> Result<FittedValues, ValuesError> {
    let mut games: Vec<CountedGame> = (records.iter())
        .map(|record| count_game::<P>(record).unwrap())
        .collect();
    fit_values::<P>(&mut games, 100)
}

fn check_recovery<P: Position>(truth: &[f64], records: &[GameRecord]) {
    let report = values_of::<P>(records).unwrap();
    assert!(report.all.unit_is_clear, "{:?}", report.warnings);
    let mut inside = 0;
    let mut total = 0;
    for (feature, truth) in report.all.features.iter().zip(truth) {
        let Some(found) = feature.value else {
            assert!(feature.games < 20, "{feature:?}");
            continue;
        };
        println!("{} {truth} {found:?}", feature.name);
        let width = found.high - found.low;
        assert!(
            (found.value - truth).abs() < 1.5 * width.max(0.01),
            "{feature:?} is {truth}"
        );
        inside += usize::from(found.low <= *truth && *truth <= found.high);
        total += 1;
    }
    assert!(
        inside + 2 >= total,
        "{inside} of {total} intervals contain the truth"
    );
    roxmltree::Document::parse(&values::svg(&report)).unwrap();
}

/// In the order of `Position::material_features`: seven on the board, then five in hand.
const TORI_TRUTH: [f64; 12] = [1.0, 2.0, 3.0, 2.5, 4.0, 0.0, 0.0, 0.5, 1.0, 2.0, 1.5, 6.0];
const UNIT: f64 = 0.3;

fn tori_log_odds(differences: &[i8]) -> f64 {
    let sum: f64 = (differences.iter().zip(TORI_TRUTH))
        .map(|(&x, value)| f64::from(x) * value)
        .sum();
    0.2 + UNIT * sum
}

#[test]
fn values_of_tori_records_are_recovered() {
    let records = records::<ToriPosition>(6000, tori_log_odds, 5);
    check_recovery::<ToriPosition>(&TORI_TRUTH, &records);
    let report = values_of::<ToriPosition>(&records).unwrap();
    let value = |i: usize| report.all.features[i].value.unwrap();
    // The truth has a falcon in hand above one on the board, and a crane in hand below one.
    assert!(
        value(11).low > value(4).high,
        "{:?} {:?}",
        value(11),
        value(4)
    );
    assert!(value(9).high < value(2).value);
    let first = report.all.first_move;
    assert!(first.low < 0.2 && 0.2 < first.high, "{first:?}");
    // Nothing was captured, so every position is of the opening, and there are no promoted pieces.
    let phases: Vec<_> = report.by_phase.iter().map(|v| v.phase).collect();
    assert_eq!(phases, [Some(GamePhase::Opening)]);
    assert!(
        report
            .warnings
            .iter()
            .any(|w| w == "end: too few games for values")
    );
    assert_eq!(report.all.features[6].name, "eagle");
    assert_eq!(report.all.features[6].value, None);
}

#[test]
fn values_of_makruk_records_are_recovered() {
    let truth = [1.0, 1.5, 2.5, 3.0, 5.0];
    let log_odds = |differences: &[i8]| {
        let sum: f64 = (differences.iter().zip(truth))
            .map(|(&x, value)| f64::from(x) * value)
            .sum();
        0.3 * sum
    };
    let records = records::<MakrukPosition>(3000, log_odds, 6);
    check_recovery::<MakrukPosition>(&truth, &records);
}

#[test]
fn a_unit_without_value_is_no_unit() {
    let log_odds = |differences: &[i8]| 0.5 * f64::from(differences[4]);
    let records = records::<ToriPosition>(800, log_odds, 7);
    let report = values_of::<ToriPosition>(&records).unwrap();
    assert!(!report.all.unit_is_clear);
    assert!(
        report
            .all
            .features
            .iter()
            .all(|feature| feature.value.is_none())
    );
    let falcon = report.all.features[4].log_odds.unwrap();
    assert!(falcon.low > 0.0, "{falcon:?}");
    let total = "the swallow's own coefficient is not clearly positive";
    assert!(
        report.warnings.iter().any(|w| w.contains(total)),
        "{:?}",
        report.warnings
    );
    roxmltree::Document::parse(&values::svg(&report)).unwrap();
}

#[test]
fn unfittable_games_are_refused() {
    let records = records::<ToriPosition>(60, tori_log_odds, 8);
    let error =
        |records: &[GameRecord]| values_of::<ToriPosition>(records).unwrap_err().to_string();
    assert_eq!(error(&[]), "there are no games to fit values to");
    assert!(error(&records).contains("too few for 14 coefficients: at least 70"));
    let one_sided: Vec<_> = (0..100)
        .map(|i| {
            let record = &records[i % records.len()];
            let decisions: Vec<_> = record.decisions().collect();
            let outcome = Outcome::win(Color::White, Termination::Checkmate);
            let head = head::<ToriPosition>(record.start(), 0, i as u64);
            GameRecord::new(head, &decisions, outcome).unwrap()
        })
        .collect();
    assert!(error(&one_sided).contains("had the same result"));
}

fn counts<P: Position>(text: &str, color: Color) -> Vec<(&'static str, i8)> {
    let position: P = text.parse().unwrap();
    assert!(position.is_settled(), "{text}");
    let features = P::material_features();
    let mut out = vec![7; features.len()];
    position.count_material(color, &mut out);
    (features.iter().zip(out))
        .filter(|(_, n)| *n != 0)
        .map(|(feature, n)| (feature.name, n))
        .collect()
}

#[test]
fn pieces_are_counted_by_the_rules_of_each_game() {
    let text = "rpckcpl/3f3/ssssss1/2s4/SSSSS2/3F3/LPCKC2[SSp] w - - 0 1";
    assert_eq!(
        counts::<ToriPosition>(text, Color::White),
        // White lacks a pheasant and a quail; the swallow of e4 and two more; but holds some.
        [
            ("swallow", -2),
            ("pheasant", -1),
            ("quail", -1),
            ("swallow", 2),
            ("pheasant", -1)
        ]
    );
    let text = "3k3/7/7/7/2+S1+f2/7/3K3[] b - - 0 1";
    assert_eq!(
        counts::<ToriPosition>(text, Color::Black),
        [("goose", -1), ("eagle", 1)]
    );
    let text = "8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1";
    let khon = [("Bia", -1), ("Khon", -1)];
    assert_eq!(counts::<MakrukPosition>(text, Color::Black), khon);
    assert!(!SittuyinPosition::<false>::start().is_settled());
    assert_eq!(
        counts::<EternalPosition>(&EternalPosition::start().to_string(), Color::White),
        []
    );
    // Both have a guardian, a rook and an elephant across; Red a cannon too, Black a soldier.
    let text = "2a2R2/a3p3/r4Bc1/bn1n1C1c/8/2A1b2p/B1CPN2N/1r1P1A2/2R5 r - 2 1";
    assert_eq!(
        counts::<EternalPosition>(text, Color::White),
        [("point", 1), ("cannon", 1), ("soldier", -1)]
    );
}

fn config() -> Config {
    Config::parse("test", "", &["game.rules=torishogi".to_owned()]).unwrap()
}

/// A valid game of random moves.
fn random_game(number: u64) -> GameRecord {
    let mut rng = seeds::rng(number);
    let mut game = GameState::<ToriPosition>::start();
    let start = game.position().to_string();
    let mut legal = MoveList::new();
    let mut decisions = Vec::new();
    loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome_given(&legal) {
            let head = head::<ToriPosition>(&start, 0, number);
            return GameRecord::new(head, &decisions, outcome).unwrap();
        }
        let mv = *legal.choose(&mut rng).unwrap();
        decisions.push(unsearched(mv));
        game.play(mv);
    }
}

#[test]
fn a_run_without_games_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let run = RunDir::open_or_create(dir.path(), &config()).unwrap();
    let source = ValuesSource::<ToriPosition>::of_run(&run).unwrap();
    let error = study_values(&source, 0..=u32::MAX, 40, |_| ()).unwrap_err();
    assert!(error.to_string().ends_with("has no finished games yet"));
    let error = study_values(&source, 3..=4, 40, |_| ()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("has no finished games of checkpoints 3 to 4")
    );
}

#[test]
fn values_do_not_depend_on_how_games_are_stored() {
    let config = config();
    let games: Vec<_> = (0..200).map(random_game).collect();
    let dir = tempfile::tempdir().unwrap();
    let study = |files: &[&[GameRecord]]| {
        let path = dir.path().join("run");
        let run = RunDir::open_or_create(&path, &config).unwrap();
        let mut store = RecordStore::open(&run.games()).unwrap();
        for file in files {
            store.write(file).unwrap();
        }
        let source = ValuesSource::<ToriPosition>::of_run(&run).unwrap();
        let values = study_values(&source, 0..=0, 40, |_| ()).unwrap();
        std::fs::remove_dir_all(&path).unwrap();
        values
    };
    let whole = study(&[&games]);
    assert_eq!(whole.games, 200);
    assert!(study(&[&games[90..], &games[..110]]) == whole);

    let json: serde_json::Value = serde_json::from_str(&whole.to_json()).unwrap();
    assert_eq!(json["version"], ValuesReport::VERSION);
    assert_eq!(json["game"], "torishogi");
    assert_eq!(json["games"], 200);
    assert_eq!(json["values"]["all"]["features"][4]["name"], "falcon");
    let read = ValuesReport::from_json(whole.to_json().as_bytes()).unwrap();
    assert!(read == whole);
    let text = values::text(&whole);
    for part in ["falcon in hand", "first mover", "200 games of checkpoint 0"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let newer = whole
        .to_json()
        .replacen("\"version\": 1", "\"version\": 2", 1);
    let error = ValuesReport::from_json(newer.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("has version 2"), "{error}");
}
