//! Opening statistics: counts, searches, and the reports made of them.

use std::collections::BTreeMap;
use std::path::Path;

use garuda_mcts::evaluators::{Rollout, Table};
use garuda_mcts::{Wdl, random_move};
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Game, GameState, Move, MoveList, Position, RuleSet, with_rule_set};
use garuda_run::config::OpeningsSettings;
use garuda_run::records::{GameRecord, RecordStore};
use garuda_run::testing::{head, unsearched};
use garuda_run::{Log, seeds};
use garuda_study::openings::{
    CheckpointRanges, EvaluatorFactory, GameTable, OpeningRoot, OpeningsReport, ReportSource,
    SearchSettings, StudyInputs, count_games, csv, html, html_of, search_positions, study_openings,
    text,
};
use garuda_study::{GameResults, VersionedReport};
use serde_json::Value;

/// A game that starts with these moves and continues at random, and its winner.
fn game<P: Position>(
    start: P,
    script: &[Move],
    checkpoint: u32,
    number: u64,
) -> (GameRecord, Option<Color>) {
    let mut game = GameState::from_position(start);
    let mut decisions = Vec::new();
    let mut rng = seeds::rng(number);
    let mut script = script.iter();
    while let Some(random) = random_move(&game, &mut rng) {
        let mv = script.next().copied().unwrap_or(random);
        decisions.push(unsearched(mv));
        game.play(mv);
    }
    let head = head::<P>(&start.to_string(), checkpoint, number);
    let outcome = game.outcome().unwrap();
    let record = GameRecord::new(head, &decisions, outcome).unwrap();
    (record, outcome.winner)
}

fn moves<P: Position>(text: &str) -> Vec<Move> {
    let mut game = GameState::<P>::start();
    text.split(' ')
        .map(|uci| game.play_uci(uci).unwrap())
        .collect()
}

fn store(dir: &Path, records: &[GameRecord]) {
    let mut store = RecordStore::open(dir).unwrap();
    for file in records.chunks(3) {
        store.write(file).unwrap();
    }
}

fn counted<P: Position>(dir: &Path, from: Option<&str>, plies: u32) -> (GameTable, OpeningRoot<P>) {
    let root = OpeningRoot::new(P::start(), from).unwrap();
    let table = count_games(dir, &root, plies, &CheckpointRanges::up_to(7), |_| ()).unwrap();
    (table, root)
}

/// The results, by range and in all, of the moves played after some moves.
fn played<P: Position>(
    table: &GameTable,
    after: &str,
) -> BTreeMap<String, (Vec<GameResults>, GameResults)> {
    let mut game = GameState::<P>::start();
    for uci in after.split(' ').filter(|uci| !uci.is_empty()) {
        game.play_uci(uci).unwrap();
    }
    (table.moves_at(game.position().key()).into_iter())
        .map(|played| {
            let name = played.mv.uci(game.position());
            let results = played.results();
            (name, (played.by_range, results))
        })
        .collect()
}

#[test]
fn counts_are_exact() {
    type P = ToriPosition;
    let dir = tempfile::tempdir().unwrap();
    // Openings, and their number of games of each of the eight checkpoints.
    let planted = [
        ("a3a4 a7a6 g3g4 g7g6", [3, 0, 0, 0, 0, 0, 0, 0]),
        ("g3g4 a7a6 a3a4 g7g6", [1, 1, 1, 1, 1, 0, 0, 2]),
        ("g3g4 a7a6 a3a4 f5f4", [0, 0, 0, 1, 0, 0, 0, 0]),
        ("e4e5 d6e5", [0, 0, 0, 0, 0, 0, 0, 5]),
    ];
    let mut records = Vec::new();
    // For every sequence of moves, by range: the results for the side that makes the last one.
    let mut expected: BTreeMap<String, [GameResults; 4]> = BTreeMap::new();
    for (opening, games) in planted {
        let script = moves::<P>(opening);
        let moves: Vec<_> = opening.split(' ').collect();
        for (checkpoint, &games) in games.iter().enumerate() {
            for _ in 0..games {
                let number = records.len() as u64;
                let (record, winner) = game(P::start(), &script, checkpoint as u32, number);
                records.push(record);
                for ply in 0..moves.len() {
                    let mover = Color::ALL[ply % 2];
                    let entry = expected.entry(moves[..=ply].join(" ")).or_default();
                    entry[checkpoint / 2] += GameResults::of(winner, mover);
                }
            }
        }
    }
    let ordinary = records.len() as u64;
    let handicap: P = P::STARTS[1].1.parse().unwrap();
    for number in ordinary..ordinary + 2 {
        records.push(game(handicap, &[], 7, number).0);
    }
    store(dir.path(), &records);

    let (table, _) = counted::<P>(dir.path(), None, 4);
    assert_eq!((table.counted, table.varied), (ordinary, 2));
    assert_eq!(table.elsewhere, 0);
    let ranges: Vec<_> = table.ranges().iter().map(|r| (r.from, r.to)).collect();
    assert_eq!(ranges, [(0, 1), (2, 3), (4, 5), (6, 7)]);

    let first = played::<P>(&table, "");
    assert_eq!(first.len(), 3);
    for mv in ["a3a4", "g3g4", "e4e5"] {
        assert_eq!(first[mv].0, expected[mv], "{mv}");
    }
    assert_eq!(first["g3g4"].1.games(), 8);
    let replies = played::<P>(&table, "e4e5");
    assert_eq!(replies["d6e5"].0, expected["e4e5 d6e5"]);
    // Transpositions are merged.
    for way in ["a3a4 a7a6 g3g4", "g3g4 a7a6 a3a4"] {
        let merged = played::<P>(&table, way);
        assert_eq!(merged.len(), 2);
        let mut sum = expected["a3a4 a7a6 g3g4 g7g6"];
        for (sum, other) in sum.iter_mut().zip(expected["g3g4 a7a6 a3a4 g7g6"]) {
            *sum += other;
        }
        assert_eq!(merged["g7g6"].0, sum);
        assert_eq!(merged["f5f4"].1.games(), 1);
    }

    // From another position: by moves, by FEN, and where few games have been.
    let (table, root) = counted::<P>(dir.path(), Some("a3a4 a7a6, g3g4"), 1);
    assert_eq!((table.counted, table.elsewhere, table.varied), (11, 5, 2));
    let text = root.game().position().to_string();
    let (same, _) = counted::<P>(dir.path(), Some(&text), 1);
    assert_eq!(same.counted, 11);
    let (none, _) = counted::<P>(dir.path(), Some("d1c2"), 1);
    let through = records.iter().take(ordinary as usize).filter(|record| {
        let mut game = GameState::<P>::start();
        let key = {
            let mut game = game.clone();
            game.play_uci("d1c2").unwrap();
            game.position().key()
        };
        record.moves().any(|mv| {
            game.play(mv);
            game.position().key() == key
        })
    });
    assert_eq!(none.counted, through.count() as u64);
    assert!(OpeningRoot::new(P::start(), Some("a3a5")).is_err());
}

/// For every rule set, the counts of first moves are those of the games.
#[test]
fn first_moves_of_all_games_are_counted() {
    fn check<P: Position>() {
        let dir = tempfile::tempdir().unwrap();
        let mut expected: BTreeMap<String, GameResults> = BTreeMap::new();
        let mut records = Vec::new();
        for number in 0..12 {
            let (record, winner) = game(P::start(), &[], (number % 8) as u32, number);
            let mut game = GameState::<P>::start();
            let mut decisions = Vec::new();
            for mv in record.moves() {
                decisions.push(game.position().uci(mv));
                game.play(mv);
                if P::DECISIONS_PER_TURN == 1 || game.turn() == Color::Black {
                    break;
                }
            }
            *expected.entry(decisions.join(" ")).or_default() +=
                GameResults::of(winner, Color::White);
            records.push(record);
        }
        store(dir.path(), &records);
        let (table, _) = counted::<P>(dir.path(), None, 3);
        let found: BTreeMap<_, _> = (played::<P>(&table, "").into_iter())
            .map(|(name, (_, results))| (name, results))
            .collect();
        assert_eq!(found, expected);
    }
    for rule_set in RuleSet::ALL {
        with_rule_set!(rule_set, P => check::<P>());
    }
}

#[test]
fn set_ups_are_counted_for_both_sides() {
    type P = SittuyinPosition<false>;
    let dir = tempfile::tempdir().unwrap();
    // Each side places every piece on the first legal square, or on the last.
    let script = |last: bool| -> Vec<Move> {
        let mut game = GameState::<P>::start();
        let mut legal = MoveList::new();
        (0..16)
            .map(|_| {
                game.legal_moves(&mut legal);
                let mv = if last {
                    legal[legal.len() - 1]
                } else {
                    legal[0]
                };
                game.play(mv);
                mv
            })
            .collect()
    };
    let mut records = Vec::new();
    let mut expected = [GameResults::default(); 2];
    for number in 0..5 {
        let last = number >= 3;
        let (record, winner) = game(P::start(), &script(last), 0, number);
        expected[usize::from(last)] += GameResults::of(winner, Color::Black);
        records.push(record);
    }
    store(dir.path(), &records);
    let (table, _) = counted::<P>(dir.path(), None, 1);
    let set_ups = table.set_ups().unwrap();
    assert_eq!(set_ups.games, 5);
    for side in [&set_ups.first, &set_ups.second] {
        assert_eq!(side.distinct, 2);
        let games: Vec<_> = side.formations.iter().map(|f| f.games).collect();
        assert_eq!(games, [3, 2]);
        let total = |letter: &str| -> u32 {
            let piece = side.pieces.iter().find(|piece| piece.letter == letter);
            piece.unwrap().squares.iter().map(|(_, n)| n).sum()
        };
        assert_eq!([total("K"), total("R"), total("F")], [5, 10, 5]);
    }
    let results: Vec<_> = (set_ups.second.formations.iter())
        .map(|f| f.results)
        .collect();
    assert_eq!(results, expected);
    let king = &set_ups.first.formations[0].pieces;
    assert!(
        king.starts_with('K') && king.split(' ').count() == 5,
        "{king}"
    );
}

/// Where openings are formations, they are counted after the same number of plies of every game.
#[test]
fn formations_are_counted() {
    type P = MakrukPosition;
    let dir = tempfile::tempdir().unwrap();
    let records: Vec<_> = (0..6)
        .map(|number| game(P::start(), &[], 0, number).0)
        .collect();
    store(dir.path(), &records);
    let (table, _) = counted::<P>(dir.path(), None, 1);
    let set_ups = table.set_ups().unwrap();
    let plies = P::FORMATION_PLIES.unwrap();
    assert_eq!(set_ups.plies, Some(plies));
    let long: Vec<_> = records
        .iter()
        .filter(|record| record.plies() > plies)
        .collect();
    assert_eq!(set_ups.games, long.len() as u64);
    let mut position = P::start();
    long[0].moves().take(plies).for_each(|mv| position.play(mv));
    let fens: Vec<_> = (set_ups.first.formations.iter())
        .map(|f| f.example.clone())
        .collect();
    assert!(fens.contains(&position.to_string()), "{fens:?}");
    assert!(
        set_ups
            .first
            .formations
            .iter()
            .all(|f| f.pieces.contains('K') && !f.pieces.contains('P'))
    );
}

const SEARCH: SearchSettings = SearchSettings {
    visits: 16,
    searches: 4,
    seed: 1,
    shards: 2,
};

fn settings(plies: u32, margin: f64) -> OpeningsSettings {
    OpeningsSettings {
        plies,
        margin,
        width: 2,
        turns: 6,
        ..OpeningsSettings::default()
    }
}

/// A study with an evaluator that needs no network.
fn studied<P: Position>(
    root: &OpeningRoot<P>,
    search: SearchSettings,
    games: Option<&GameTable>,
    plies: u32,
) -> OpeningsReport {
    let open = || anyhow::Ok(Rollout::new(7, 1, 20));
    let settings = settings(plies, 0.3);
    let inputs = StudyInputs {
        source: ReportSource::default(),
        settings: &settings,
        search: Some((search, EvaluatorFactory(&open))),
        games,
    };
    study_openings(root, &inputs, &Log::silent()).unwrap()
}

/// A table in which every reply to a first move has the value of that move.
fn planted(values: &BTreeMap<String, f32>) -> Table {
    let wdl = |value: f32| Wdl {
        win: f32::midpoint(1.0, value),
        draw: 0.0,
        loss: f32::midpoint(1.0, -value),
    };
    let mut evaluator = Table::default();
    let start = GameState::<ToriPosition>::start();
    let mut legal = MoveList::new();
    start.legal_moves(&mut legal);
    for (i, &mv) in legal.iter().enumerate() {
        let value = values[&start.position().uci(mv)];
        let mut after = start.clone();
        after.play(mv);
        evaluator.set(&after, wdl(-value), &[]);
        let mut replies = MoveList::new();
        after.legal_moves(&mut replies);
        for &reply in &replies {
            let mut game = after.clone();
            game.play(reply);
            // The best reply is a little better than the others.
            let is_best = reply == replies[i % replies.len()];
            evaluator.set(&game, wdl(if is_best { value } else { value + 0.1 }), &[]);
        }
    }
    let logits: Vec<_> = legal.iter().map(|&mv| (mv, 0.0)).collect();
    evaluator.set(&start, wdl(0.0), &logits);
    evaluator
}

#[test]
fn searches_rank_moves_by_value() {
    let start = GameState::<ToriPosition>::start();
    let mut legal = MoveList::new();
    start.legal_moves(&mut legal);
    assert_eq!(legal.len(), 17);
    let values: BTreeMap<_, _> = (legal.iter().enumerate())
        .map(|(i, &mv)| {
            let value = ((i * 5) % 17) as f32 * 0.1 - 0.9;
            (start.position().uci(mv), value)
        })
        .collect();
    let root = OpeningRoot::new(ToriPosition::start(), None).unwrap();
    let open = || anyhow::Ok(planted(&values));
    let settings = settings(1, 0.35);
    let inputs = StudyInputs {
        source: ReportSource::default(),
        settings: &settings,
        search: Some((SEARCH, EvaluatorFactory(&open))),
        games: None,
    };
    let node = study_openings(&root, &inputs, &Log::silent()).unwrap().root;
    assert_eq!((node.moves.len(), node.legal), (17, 17));
    let mut order: Vec<_> = values.iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(a.1));
    for (mv, (name, value)) in node.moves.iter().zip(order) {
        assert_eq!(mv.mv, *name);
        let found = &mv.searched;
        // The search may miss the best reply, which is 0.1 better than the others.
        let off = found.value.unwrap() as f32 - value;
        assert!((-0.001..=0.101).contains(&off), "{name}: {off}");
        assert!(found.value_low <= found.value && found.value <= found.value_high);
        assert_eq!(found.visits, Some(4 * 16));
        assert!((found.prior.unwrap() - 1.0 / 17.0).abs() < 1e-6);
    }
    let good: Vec<_> = node.moves.iter().filter(|mv| mv.good).collect();
    let best = node.moves[0].searched.value.unwrap();
    assert!(good.len() >= 3 && good.len() <= 5, "{}", good.len());
    assert!(
        good.iter()
            .all(|mv| mv.searched.value.unwrap() >= best - 0.35)
    );

    // Most searches find the best reply.
    let mut games = Vec::new();
    for &mv in &legal {
        let mut after = start.clone();
        after.play(mv);
        games.push(after);
    }
    let found = search_positions(&games, &SEARCH, &open, &|_| ()).unwrap();
    let best_replies = (found.iter().zip(&games).enumerate())
        .filter(|(i, (found, game))| {
            let mut replies = MoveList::new();
            game.legal_moves(&mut replies);
            found.line[0] == replies[i % replies.len()]
        })
        .count();
    assert!(best_replies >= 12, "{best_replies} of 17");
}

#[test]
fn a_mate_is_proven() {
    let text = "7k/R7/8/8/8/8/8/1R2K3 w - - 0 1";
    let root = OpeningRoot::<MakrukPosition>::new(MakrukPosition::start(), Some(text)).unwrap();
    let node = studied(&root, SEARCH, None, 1).root;
    let best = &node.moves[0];
    assert_eq!(best.mv, "b1b8");
    assert_eq!(best.searched.value, Some(1.0));
    assert!(best.searched.proven && best.searched.reply.is_none());
    assert!(best.good && !node.moves.last().unwrap().good);
    assert!(OpeningRoot::<MakrukPosition>::new(MakrukPosition::start(), Some("8")).is_err());
    let mated = "1R5k/R7/8/8/8/8/8/4K3 b - - 0 1";
    assert!(OpeningRoot::<MakrukPosition>::new(MakrukPosition::start(), Some(mated)).is_err());
}

#[test]
fn equal_seeds_give_equal_reports() {
    let root = OpeningRoot::new(ToriPosition::start(), None).unwrap();
    let search = |seed, shards| SearchSettings {
        visits: 12,
        searches: 2,
        seed,
        shards,
    };
    let one = studied(&root, search(1, 1), None, 2);
    assert_eq!(one, studied(&root, search(1, 3), None, 2));
    assert_ne!(one.root, studied(&root, search(2, 2), None, 2).root);
}

fn report<P: Position>() -> OpeningsReport {
    let dir = tempfile::tempdir().unwrap();
    let records: Vec<_> = (0..20)
        .map(|number| game(P::start(), &[], (number % 8) as u32, number).0)
        .collect();
    store(dir.path(), &records);
    let (games, root) = counted::<P>(dir.path(), None, 2);
    let search = SearchSettings {
        visits: 4,
        searches: 2,
        ..SEARCH
    };
    let report = studied(&root, search, Some(&games), 2);
    OpeningsReport {
        source: ReportSource {
            name: "a <run> & \"more\"".to_owned(),
            ..ReportSource::default()
        },
        ..report
    }
}

fn check_page(rules: RuleSet, report: &OpeningsReport, html: &str) {
    for banned in [
        "http:",
        "https:",
        "<script",
        "javascript:",
        "url(",
        "@import",
    ] {
        assert!(!html.contains(banned), "{rules} has {banned}");
    }
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..roxmltree::ParsingOptions::default()
    };
    let document = roxmltree::Document::parse_with_options(html, options).unwrap();
    let all = || document.descendants();
    for reference in ["href", "src", "srcset", "data", "action"] {
        assert!(
            !all().any(|node| node.has_attribute(reference)),
            "{reference}"
        );
    }
    let with_class =
        |class: &'static str| all().filter(move |node| node.attribute("class") == Some(class));
    let boards = with_class("board").filter(|node| node.children().any(|n| n.has_tag_name("svg")));
    assert!(boards.count() > report.root.moves.len(), "{rules}");
    let followed = report.root.moves.iter().filter_map(|mv| mv.next.as_ref());
    let below: usize = followed.map(|next| next.moves.len()).sum();
    assert!(below > 0);
    let details = all().filter(|node| node.has_tag_name("details"));
    assert_eq!(details.count(), report.root.moves.len() + below);
    let mut bars = 0;
    for bar in with_class("bar") {
        bars += 1;
        let widths = bar.children().filter_map(|part| part.attribute("style"));
        let sum: f64 = widths
            .map(|style| {
                style
                    .strip_prefix("width:")?
                    .strip_suffix('%')?
                    .parse()
                    .ok()
            })
            .map(Option::<f64>::unwrap)
            .sum();
        assert!((sum - 100.0).abs() < 1e-9, "{sum}");
        assert!(bar.attribute("aria-label").is_some());
    }
    assert!(bars > 0);
    let maps = if report.set_ups.is_some() { 10 } else { 0 };
    assert_eq!(with_class("map").count(), maps, "{rules}");
    let text: String = all().filter_map(|node| node.text()).collect();
    assert!(text.contains(&report.summary[0]));
}

#[test]
fn reports_of_all_games_are_whole() {
    for rules in RuleSet::ALL {
        let report = with_rule_set!(rules, P => report::<P>());
        check_page(rules, &report, &html(&report));
        let has_set_ups = with_rule_set!(rules, P => P::HAS_SETUP || P::FORMATION_PLIES.is_some());
        assert_eq!(report.set_ups.is_some(), has_set_ups);

        let json: Value = serde_json::to_value(&report).unwrap();
        let moves = json["moves"].as_array().unwrap();
        for key in [
            "move",
            "prior",
            "value",
            "value_low",
            "value_high",
            "visits",
            "games",
            "wins",
            "draws",
            "losses",
            "reply",
            "good",
        ] {
            assert!(!moves[0][key].is_null(), "{rules}: {key}");
        }
        let value = |mv: &Value| mv["value"].as_f64().unwrap();
        assert!(
            moves
                .windows(2)
                .all(|pair| value(&pair[0]) >= value(&pair[1]))
        );
        let good = json["good"].as_array().unwrap();
        assert_eq!(
            good.len(),
            moves.iter().filter(|mv| mv["good"] == true).count()
        );
        // A game that is not listed shows all of its moves.
        let known = [
            ("eternal", 6),
            ("torishogi", 17),
            ("makruk", 23),
            ("sittuyin", 88),
        ];
        let known = known.into_iter().find(|(name, _)| *name == rules.name());
        let expected = known.map_or(report.root.legal, |(_, moves)| moves);
        assert_eq!(moves.len(), expected);

        let lines = csv(&report);
        let columns = lines.lines().next().unwrap().split(',').count();
        assert_eq!(columns, 15 + 4 * 4);
        assert!(lines.lines().count() > 1 + moves.len());
        let text = text(&report);
        assert!(text.contains(&report.summary[0]), "{text}");
        assert!(text.contains(moves[0]["move"].as_str().unwrap()));
    }
}

/// All renderers work from `openings.json` alone.
#[test]
fn a_report_read_from_json_renders_the_same() {
    for rules in RuleSet::ALL {
        let report = with_rule_set!(rules, P => report::<P>());
        let read = OpeningsReport::from_json(report.to_json().as_bytes()).unwrap();
        assert!(read == report, "{rules}");
        assert!(html(&read) == html(&report), "{rules}");
        assert!(csv(&read) == csv(&report), "{rules}");
        assert!(text(&read) == text(&report), "{rules}");
    }
    // The boards of a game outside the table of rule sets are drawn by its type.
    let report = report::<ToriPosition>();
    let unknown = OpeningsReport {
        game: "unknown".to_owned(),
        ..report.clone()
    };
    assert!(!html(&unknown).contains("class=\"board\""));
    assert!(html_of::<ToriPosition>(&unknown) == html(&report));
}

/// A report from a file may hold anything that has the right shape.
#[test]
fn a_nonsensical_report_is_rendered() {
    let json = report::<SittuyinPosition<false>>().to_json();
    let mut value: Value = serde_json::from_str(&json).unwrap();
    value["fen"] = "nowhere".into();
    value["here"] = 0.into();
    value["moves"][0]["move"] = "<script>".into();
    value["moves"][0]["after"] = "".into();
    let formation = &mut value["set_ups"]["first"]["formations"][0];
    for key in ["games", "wins", "draws", "losses"] {
        formation[key] = 0.into();
    }
    let report = OpeningsReport::from_json(value.to_string().as_bytes()).unwrap();
    let page = html(&report);
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script>"));
    assert!(!text(&report).is_empty() && !csv(&report).is_empty());

    value["version"] = 0.into();
    let error = OpeningsReport::from_json(value.to_string().as_bytes()).unwrap_err();
    assert!(error.to_string().contains("version 0"), "{error}");
    assert!(OpeningsReport::from_json(b"{}").is_err());
}
