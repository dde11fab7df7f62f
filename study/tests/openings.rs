//! Opening statistics: what is counted, what is found, and the page that shows it.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::collections::BTreeMap;
use std::path::Path;

use garuda_mcts::evaluators::{Rollout, Table};
use garuda_mcts::{Wdl, random_move};
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Game, GameState, Move, MoveList, Position, RuleSet, with_rule_set};
use garuda_run::config::OpeningsSettings;
use garuda_run::records::{Decision, DecisionKind, GameHead, GameRecord, RecordStore};
use garuda_run::{Log, seeds};
use garuda_study::openings::{
    CheckpointRanges, EvaluatorFactory, GameResults, GameTable, OpeningNode, OpeningRoot,
    OpeningsReport, ReportSource, SearchEffort, SearchSettings, StudyInputs, count_games, csv,
    page, search_positions, study, table,
};
use serde_json::Value;

/// A game that begins with these moves and goes on at random, and who won it.
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
        decisions.push(Decision {
            mv,
            kind: DecisionKind::Unsearched,
            wdl: Wdl::UNKNOWN,
            policy: Vec::new(),
        });
        game.play(mv);
    }
    let head = GameHead {
        rules: P::NAME.to_owned(),
        start: start.to_string(),
        checkpoint,
        number,
        sides: [checkpoint, checkpoint],
        seed: number,
    };
    let outcome = game.outcome().unwrap();
    let record = GameRecord::new(head, &decisions, outcome).unwrap();
    (record, outcome.winner)
}

fn moves<P: Position>(text: &str) -> Vec<Move> {
    let mut game = GameState::<P>::start();
    text.split(' ')
        .map(|word| game.play_uci(word).unwrap())
        .collect()
}

fn store(dir: &Path, records: &[GameRecord]) {
    let mut store = RecordStore::open(dir).unwrap();
    for batch in records.chunks(3) {
        store.write(batch).unwrap();
    }
}

fn counted<P: Position>(dir: &Path, from: Option<&str>, plies: u32) -> (GameTable, OpeningRoot<P>) {
    let root = OpeningRoot::new(P::start(), from).unwrap();
    let table = count_games(dir, &root, plies, &CheckpointRanges::up_to(7), |_| ()).unwrap();
    (table, root)
}

/// The results by range and in all of the plays after some moves.
fn plays<P: Position>(
    table: &GameTable,
    after: &str,
) -> BTreeMap<String, (Vec<GameResults>, GameResults)> {
    let mut game = GameState::<P>::start();
    for word in after.split(' ').filter(|word| !word.is_empty()) {
        game.play_uci(word).unwrap();
    }
    (table.plays(game.position().key()).into_iter())
        .map(|play| {
            let name = play.play.uci(game.position());
            let results = play.results();
            (name, (play.by_range, results))
        })
        .collect()
}

#[test]
fn counts_are_exact() {
    type P = ToriPosition;
    let dir = tempfile::tempdir().unwrap();
    // Opening, how many games of each of the eight checkpoints.
    let planted = [
        ("a3a4 a7a6 g3g4 g7g6", [3, 0, 0, 0, 0, 0, 0, 0]),
        ("g3g4 a7a6 a3a4 g7g6", [1, 1, 1, 1, 1, 0, 0, 2]),
        ("g3g4 a7a6 a3a4 f5f4", [0, 0, 0, 1, 0, 0, 0, 0]),
        ("e4e5 d6e5", [0, 0, 0, 0, 0, 0, 0, 5]),
    ];
    let mut records = Vec::new();
    // What is after every prefix: by range, the results for the side that makes the last move.
    let mut expected: BTreeMap<String, [GameResults; 4]> = BTreeMap::new();
    for (opening, games) in planted {
        let script = moves::<P>(opening);
        let words: Vec<_> = opening.split(' ').collect();
        for (checkpoint, &games) in games.iter().enumerate() {
            for _ in 0..games {
                let number = records.len() as u64;
                let (record, winner) = game(P::start(), &script, checkpoint as u32, number);
                records.push(record);
                for ply in 0..words.len() {
                    let mover = Color::ALL[ply % 2];
                    let entry = expected.entry(words[..=ply].join(" ")).or_default();
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

    let first = plays::<P>(&table, "");
    assert_eq!(first.len(), 3);
    for mv in ["a3a4", "g3g4", "e4e5"] {
        assert_eq!(first[mv].0, expected[mv], "{mv}");
    }
    assert_eq!(first["g3g4"].1.games(), 8);
    let replies = plays::<P>(&table, "e4e5");
    assert_eq!(replies["d6e5"].0, expected["e4e5 d6e5"]);
    // Both ways to one position are one.
    for way in ["a3a4 a7a6 g3g4", "g3g4 a7a6 a3a4"] {
        let merged = plays::<P>(&table, way);
        assert_eq!(merged.len(), 2);
        let mut sum = expected["a3a4 a7a6 g3g4 g7g6"];
        for (sum, other) in sum.iter_mut().zip(expected["g3g4 a7a6 a3a4 g7g6"]) {
            *sum += other;
        }
        assert_eq!(merged["g7g6"].0, sum);
        assert_eq!(merged["f5f4"].1.games(), 1);
    }

    // From elsewhere: by moves, by the text form, and where no game has been.
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

/// Every rule set: what is counted for first moves is what was played.
#[test]
fn first_moves_of_all_games_are_counted() {
    fn check<P: Position>() {
        let dir = tempfile::tempdir().unwrap();
        let mut expected: BTreeMap<String, GameResults> = BTreeMap::new();
        let mut records = Vec::new();
        for number in 0..12 {
            let (record, winner) = game(P::start(), &[], (number % 8) as u32, number);
            let mut game = GameState::<P>::start();
            let mut words = Vec::new();
            for mv in record.moves() {
                words.push(game.position().uci(mv));
                game.play(mv);
                if P::DECISIONS_PER_TURN == 1 || game.turn() == Color::Black {
                    break;
                }
            }
            *expected.entry(words.join(" ")).or_default() += GameResults::of(winner, Color::White);
            records.push(record);
        }
        store(dir.path(), &records);
        let (table, _) = counted::<P>(dir.path(), None, 3);
        let found: BTreeMap<_, _> = (plays::<P>(&table, "").into_iter())
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
    // Each side puts every piece on the first square, or on the last.
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

/// With a judge that needs no network.
fn studied<P: Position>(
    root: &OpeningRoot<P>,
    search: SearchSettings,
    games: Option<&GameTable>,
    plies: u32,
) -> OpeningNode {
    let open = || anyhow::Ok(Rollout::new(7, 1, 20));
    let settings = settings(plies, 0.3);
    let study_of = StudyInputs {
        settings: &settings,
        search: Some((search, EvaluatorFactory(&open))),
        games,
    };
    study(root, &study_of, &Log::silent()).unwrap()
}

/// A table in which every answer to a first move is worth what the table says of that move.
fn planted(values: &BTreeMap<String, f32>) -> Table {
    let wdl = |value: f32| Wdl {
        win: f32::midpoint(1.0, value),
        draw: 0.0,
        loss: f32::midpoint(1.0, -value),
    };
    let mut judge = Table::default();
    let start = GameState::<ToriPosition>::start();
    let mut legal = MoveList::new();
    start.legal_moves(&mut legal);
    for (i, &mv) in legal.iter().enumerate() {
        let value = values[&start.position().uci(mv)];
        let mut after = start.clone();
        after.play(mv);
        judge.set(&after, wdl(-value), &[]);
        let mut replies = MoveList::new();
        after.legal_moves(&mut replies);
        for &reply in &replies {
            let mut game = after.clone();
            game.play(reply);
            // What is feared is planted too: the best answer is a little better than the rest.
            let feared = reply == replies[i % replies.len()];
            judge.set(&game, wdl(if feared { value } else { value + 0.1 }), &[]);
        }
    }
    let logits: Vec<_> = legal.iter().map(|&mv| (mv, 0.0)).collect();
    judge.set(&start, wdl(0.0), &logits);
    judge
}

#[test]
fn equal_searches_rank_moves_rightly() {
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
    // As many visits as answers are tried, so that each is seen once and nothing beyond.
    let search = SEARCH;
    let study_of = StudyInputs {
        settings: &settings,
        search: Some((search, EvaluatorFactory(&open))),
        games: None,
    };
    let node = study(&root, &study_of, &Log::silent()).unwrap();
    assert_eq!((node.moves.len(), node.legal), (17, 17));
    let mut order: Vec<_> = values.iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(a.1));
    for (mv, (name, value)) in node.moves.iter().zip(order) {
        assert_eq!(mv.mv, *name);
        let found = &mv.searched;
        // The search may miss the one answer that is a little better, not more.
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

    // The feared reply is found by most searches when all answers are tried.
    let mut games = Vec::new();
    for &mv in &legal {
        let mut after = start.clone();
        after.play(mv);
        games.push(after);
    }
    let found = search_positions(&games, &search, &open, &|_| ()).unwrap();
    let feared = (found.iter().zip(&games).enumerate())
        .filter(|(i, (found, game))| {
            let mut replies = MoveList::new();
            game.legal_moves(&mut replies);
            found.line[0] == replies[i % replies.len()]
        })
        .count();
    assert!(feared >= 12, "{feared} of 17");
}

#[test]
fn a_mate_is_certain() {
    let text = "7k/R7/8/8/8/8/8/1R2K3 w - - 0 1";
    let root = OpeningRoot::<MakrukPosition>::new(MakrukPosition::start(), Some(text)).unwrap();
    let node = studied(&root, SEARCH, None, 1);
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
fn the_same_seed_gives_the_same_table() {
    let root = OpeningRoot::new(ToriPosition::start(), None).unwrap();
    let search = |seed, shards| SearchSettings {
        visits: 12,
        searches: 2,
        seed,
        shards,
    };
    let one = studied(&root, search(1, 1), None, 2);
    assert_eq!(one, studied(&root, search(1, 3), None, 2));
    assert_ne!(one, studied(&root, search(2, 2), None, 2));
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
    let node = studied(&root, search, Some(&games), 2);
    let effort = SearchEffort {
        visits: 4,
        searches: 2,
        seed: 1,
        margin: 0.3,
        plies: 2,
        width: 2,
    };
    let source = ReportSource {
        name: "a <run> & \"more\"".to_owned(),
        ..ReportSource::default()
    };
    OpeningsReport::new::<P>(source, None, Some(effort), Some(&games), node)
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
        let (report, html) = with_rule_set!(rules, P => {
            let report = report::<P>();
            let html = page::<P>(&report);
            (report, html)
        });
        check_page(rules, &report, &html);
        let has_set_ups = with_rule_set!(rules, P => P::HAS_SETUP);
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
        let expected = match rules {
            RuleSet::Eternal => 6,
            RuleSet::ToriShogi => 17,
            RuleSet::Makruk => 23,
            RuleSet::Sittuyin => 88,
            RuleSet::SittuyinBooklet => report.root.legal,
        };
        assert_eq!(moves.len(), expected);

        let lines = csv(&report);
        let columns = lines.lines().next().unwrap().split(',').count();
        assert_eq!(columns, 15 + 4 * 4);
        assert!(lines.lines().count() > 1 + moves.len());
        let text = table(&report);
        assert!(text.contains(&report.summary[0]), "{text}");
        assert!(text.contains(moves[0]["move"].as_str().unwrap()));
    }
}
