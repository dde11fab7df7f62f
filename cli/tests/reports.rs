//! Reports that cannot be written are printed all the same.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use garuda_mcts::random_move;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Game, GameState, Position};
use garuda_run::config::Config;
use garuda_run::records::{GameRecord, RecordStore};
use garuda_run::testing::{head, unsearched};
use garuda_run::{RunDir, seeds};
use garuda_study::VersionedReport;
use garuda_study::openings::OpeningsReport;
use garuda_study::values::ValuesReport;
use serde_json::Value;

/// Enough for piece values.
const GAMES: u64 = 250;

fn random_game(number: u64) -> GameRecord {
    let mut rng = seeds::rng(number);
    let mut game = GameState::<ToriPosition>::start();
    let mut decisions = Vec::new();
    while let Some(mv) = random_move(&game, &mut rng) {
        decisions.push(unsearched(mv));
        game.play(mv);
    }
    let head = head::<ToriPosition>(&ToriPosition::start().to_string(), 0, number);
    GameRecord::new(head, &decisions, game.outcome().unwrap()).unwrap()
}

/// A run with games and without a network.
fn run_with_games(path: &Path) {
    let config = Config::parse("test", "", &["game.rules=torishogi".to_owned()]).unwrap();
    let run = RunDir::open_or_create(path, &config).unwrap();
    let games: Vec<_> = (0..GAMES).map(random_game).collect();
    let mut store = RecordStore::open(&run.games()).unwrap();
    store.write(&games).unwrap();
}

fn garuda(arguments: &[&str], stdout: Stdio) -> Output {
    Command::new(env!("CARGO_BIN_EXE_garuda"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap()
}

const COMMANDS: [(&str, &[&str], &[&str]); 2] = [
    (
        "openings",
        &["--visits", "0"],
        &["openings.json", "openings.csv", "openings.html"],
    ),
    ("values", &[], &["values.json", "values.svg"]),
];

#[test]
fn a_report_that_cannot_be_written_is_printed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    run_with_games(&path);
    let run = path.to_str().unwrap();
    for (command, options, files) in COMMANDS {
        let arguments = [&[command, run], options].concat();
        let json = [&arguments[..], &["--json"]].concat();
        let complete = garuda(&arguments, Stdio::piped());
        assert!(complete.status.success(), "{command}");
        let complete_json = garuda(&json, Stdio::piped()).stdout;
        let complete = String::from_utf8(complete.stdout).unwrap();
        for file in files {
            let path = path.join(file);
            assert!(complete.contains(path.to_str().unwrap()), "{complete}");
            fs::remove_file(path).unwrap();
        }

        // The first file cannot be written: a directory is in its place.
        let blocked = path.join(files[0]);
        fs::create_dir(&blocked).unwrap();
        let blocked_line = format!("{}\n", blocked.display());
        let output = garuda(&arguments, Stdio::piped());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {errors}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, complete.replace(&blocked_line, ""), "{command}");
        assert!(errors.contains("cannot write"), "{errors}");
        assert!(errors.contains(files[0]), "{errors}");
        for file in &files[1..] {
            assert!(path.join(file).is_file(), "{file}: {errors}");
        }
        let output = garuda(&json, Stdio::piped());
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert_eq!(output.stdout, complete_json, "{command}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap();
        fs::remove_dir(&blocked).unwrap();
    }
}

#[test]
fn a_report_that_cannot_be_printed_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    run_with_games(&path);
    let run = path.to_str().unwrap();
    for (command, options, files) in COMMANDS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = garuda(&[&[command, run], options].concat(), full.into());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {errors}");
        assert!(!errors.contains("panicked"), "{errors}");
        assert!(files.iter().all(|file| path.join(file).is_file()));
    }
    let read = |file| fs::read(path.join(file)).unwrap();
    let openings = OpeningsReport::from_json(&read("openings.json")).unwrap();
    assert_eq!(openings.counted.unwrap().games, GAMES);
    let values = ValuesReport::from_json(&read("values.json")).unwrap();
    assert_eq!(values.games as u64, GAMES);
}
