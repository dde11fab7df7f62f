//! The position index against other ways to count the same games.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Instant;

use garuda_rules::{GameState, Position, RuleSet, with_rule_set};
use garuda_run::{RunDir, seeds};
use garuda_serve::PositionIndex;
use garuda_study::openings::{CheckpointRanges, OpeningRoot, count_games};
use rand::RngExt;
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{Client, fill_run, tiny_run};

/// Wins, draws and losses of White by move.
type Counts = BTreeMap<String, [u64; 3]>;

async fn explored(client: &Client, moves: &str) -> Counts {
    let path = format!("/api/r/0/explorer?moves={moves}");
    let answer = client.json(&path).await;
    let rows = answer["moves"].as_array().unwrap();
    let total: u64 = (rows.iter())
        .flat_map(|row| ["white", "draws", "black"].map(|key| row[key].as_u64().unwrap()))
        .sum();
    assert_eq!(answer["total"], total);
    rows.iter()
        .map(|row| {
            let counts = ["white", "draws", "black"].map(|key| row[key].as_u64().unwrap());
            (row["move"]["uci"].as_str().unwrap().to_owned(), counts)
        })
        .collect()
}

/// What `garuda openings --visits 0` counts, by the first decision of each move.
fn counted<P: Position>(run: &Path, from: Option<&str>) -> Counts {
    let run = RunDir::open(run).unwrap();
    let root = OpeningRoot::new(P::start(), from).unwrap();
    let ranges = CheckpointRanges::up_to(3);
    let table = count_games(&run.games(), &root, 1, &ranges, |_| ()).unwrap();
    let position = root.game().position();
    let mut counts = Counts::new();
    for played in table.moves_at(position.key()) {
        let first = played.mv.decisions().next().unwrap();
        let results = played.results();
        let (wins, losses) = match position.turn() {
            garuda_rules::Color::White => (results.wins, results.losses),
            garuda_rules::Color::Black => (results.losses, results.wins),
        };
        let sum = counts.entry(position.uci(first)).or_default();
        for (sum, n) in sum.iter_mut().zip([wins, results.draws, losses]) {
            *sum += u64::from(n);
        }
    }
    counts
}

#[tokio::test]
async fn sums_equal_those_of_the_openings_report() {
    for rules in RuleSet::ALL {
        let run = tiny_run(rules.name(), 100);
        let client = Client::of(&run);
        let start = explored(&client, "").await;
        let report = with_rule_set!(rules, P => counted::<P>(run.path(), None));
        assert_eq!(start, report, "{rules}");
        let most = start
            .iter()
            .max_by_key(|(_, counts)| counts.iter().sum::<u64>());
        let first = most.unwrap().0.clone();
        let second = explored(&client, &first).await;
        let ends_turn = with_rule_set!(rules, P => {
            let mut game = GameState::<P>::start();
            game.play_uci(&first).unwrap();
            game.turns() == 1
        });
        if ends_turn {
            let report = with_rule_set!(rules, P => counted::<P>(run.path(), Some(&first)));
            assert_eq!(second, report, "{rules} after {first}");
        }
    }
}

#[tokio::test]
async fn every_position_of_a_game_is_reached() {
    let run = tiny_run("torishogi", 20);
    let client = Client::of(&run);
    for number in [3_u64, 6, 13] {
        let game = client
            .json(&format!("/api/r/0/game/{}/{number}", number % 4))
            .await;
        let start = game["start"].as_str().unwrap().replace(' ', "%20");
        let mut moves: Vec<String> = Vec::new();
        for decision in game["decisions"].as_array().unwrap().iter().take(60) {
            let uci = decision["uci"].as_str().unwrap();
            let path = format!(
                "/api/r/0/explorer?varied=true&start={start}&moves={}",
                moves.join(",").replace('+', "%2B")
            );
            let answer = client.json(&path).await;
            let rows = answer["moves"].as_array().unwrap();
            assert!(rows.iter().any(|row| row["move"]["uci"] == uci), "{path}");
            moves.push(uci.to_owned());
        }
    }
}

#[tokio::test]
async fn checkpoints_are_filtered() {
    let run = tiny_run("makruk", 200);
    let client = Client::of(&run);
    let total = |answer: Value| answer["total"].as_u64().unwrap();
    let mut sum = 0;
    for checkpoint in 0..4 {
        let path = format!("/api/r/0/explorer?from={checkpoint}&to={checkpoint}");
        sum += total(client.json(&path).await);
    }
    let all = total(client.json("/api/r/0/explorer").await);
    assert_eq!(sum, all);
    // Every seventh game starts elsewhere.
    assert_eq!(all, 200 - 28);
}

fn index_of(run: &TempDir) -> Vec<String> {
    let index = PositionIndex::new(run.path());
    assert!(index.refresh(), "{:?}", index.status());
    index.dump().unwrap()
}

fn remove_index(run: &TempDir) {
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(run.path().join(format!("index.sqlite{suffix}")));
    }
}

#[test]
fn growing_equals_building_at_once() {
    let run = tiny_run("torishogi", 30);
    index_of(&run);
    fill_run(&run, "torishogi", 30..75);
    // A game that is there already counts once.
    fill_run(&run, "torishogi", 70..80);
    let grown = index_of(&run);
    remove_index(&run);
    assert_eq!(index_of(&run), grown);
    // Two programs at a time.
    remove_index(&run);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3).map(|_| scope.spawn(|| index_of(&run))).collect();
        for writer in writers {
            assert_eq!(writer.join().unwrap(), grown);
        }
    });
    // Record files that are no longer there are no longer counted.
    fs::remove_file(run.path().join("games/00000002.games")).unwrap();
    let fewer = index_of(&run);
    assert!(fewer.len() < grown.len());
    remove_index(&run);
    assert_eq!(index_of(&run), fewer);
}

/// Small transactions, so that a build of a few games is many of them.
const CHUNK_MOVES: usize = 2_000;

/// How often the process is killed; docs/serve.md has the command for more.
fn kill_rounds() -> u32 {
    let rounds = std::env::var("GARUDA_KILL_ROUNDS").ok();
    rounds.map_or(6, |rounds| rounds.parse().unwrap())
}

#[test]
fn killed_while_building() {
    // The test starts itself as the process that is killed.
    if let Some(path) = std::env::var_os("GARUDA_INDEXED_RUN") {
        let index = PositionIndex::new(Path::new(&path)).with_chunk_moves(CHUNK_MOVES);
        assert!(index.refresh());
        return;
    }
    let run = tiny_run("torishogi", 1000);
    let expected = index_of(&run);
    let name = std::thread::current().name().unwrap().to_owned();
    let build = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &name, "--nocapture"])
            .env("GARUDA_INDEXED_RUN", run.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    remove_index(&run);
    let started = Instant::now();
    assert!(build().wait().unwrap().success());
    let mut whole = started.elapsed();
    assert_eq!(PositionIndex::new(run.path()).dump().unwrap(), expected);

    // At least some of the kills must come between the first transaction and the last.
    let (mut interrupted, mut rng) = (0, seeds::rng(19));
    for round in 0.. {
        if round >= kill_rounds() && interrupted > 0 {
            break;
        }
        assert!(round < 100 + kill_rounds(), "no kill came in time");
        remove_index(&run);
        // Killed at random, and once more while it continues.
        for _ in 0..2 {
            let mut process = build();
            sleep(whole.mul_f64(rng.random_range(0.05..1.0)));
            if process.try_wait().unwrap().is_some() {
                // On a busy machine the first one may have taken much longer than the others.
                whole = whole.mul_f64(0.9);
            }
            let _ = process.kill();
            process.wait().unwrap();
        }
        let left = PositionIndex::new(run.path()).dump().unwrap_or_default();
        interrupted += u32::from(!left.is_empty() && left != expected);
        assert_eq!(index_of(&run), expected, "round {round}");
    }
}
