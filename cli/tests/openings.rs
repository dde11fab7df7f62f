//! Games from every move, as `garuda openings --games` plays them.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Few moves, and games that end soon.
const FEN: &str = "3k3/7/3K3/7/7/7/R5L[] w - - 0 1";

fn command(dir: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garuda"));
    command
        .current_dir(dir)
        .args([
            "openings",
            "torishogi",
            "--visits",
            "0",
            "--simulations",
            "2",
        ])
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn garuda(dir: &Path, options: &[&str]) -> Output {
    command(dir, options).output().unwrap()
}

/// The experiment of a report, without the directory it was made in.
fn experiment(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["experiment"]["games_played"]["records"].take();
    report["experiment"].take()
}

#[test]
fn a_killed_experiment_ends_as_if_it_was_not() {
    let dir = tempfile::tempdir().unwrap();
    let options = |out| {
        [
            "--from",
            FEN,
            "--games",
            "40",
            "--strength-games",
            "2",
            "--strength-against",
            "random",
            "--json",
            "--out",
            out,
        ]
    };
    let whole = experiment(&garuda(dir.path(), &options("whole")));
    assert_eq!(whole["complete"], true);
    assert_eq!(whole["strength"]["opponents"][0]["opponent"], "alphabeta");
    assert_eq!(whole["strength"]["opponents"][1]["opponent"], "random");
    for (round, milliseconds) in [200, 900, 1500, 600, 2500].into_iter().enumerate() {
        let threads = (1 + round % 3).to_string();
        let options = [&options("killed")[..], &["--threads", &threads]].concat();
        let mut child = command(dir.path(), &options).spawn().unwrap();
        thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let resumed = garuda(dir.path(), &options("killed"));
    assert_eq!(experiment(&resumed), whole);

    let values = Command::new(env!("CARGO_BIN_EXE_garuda"))
        .current_dir(dir.path())
        .args(["values", "whole", "--json"])
        .output()
        .unwrap();
    let values: Value = serde_json::from_slice(&values.stdout).unwrap();
    let games = whole["nodes"][0]["games"].as_u64().unwrap();
    assert_eq!(values["games"].as_u64(), Some(games));
    assert!(dir.path().join("whole/values.json").is_file());
}

#[test]
fn a_book_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let options = [
        "--from",
        FEN,
        "--games",
        "4",
        "--score-margin",
        "0.99",
        "--strength-games",
        "0",
    ];
    for book in ["book.epd", "book.pgn"] {
        let options = [&options[..], &["--out", "games", "--book", book]].concat();
        let output = garuda(dir.path(), &options);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && printed.contains(book),
            "{printed}"
        );
        assert!(dir.path().join(book).is_file());
    }
}

#[test]
fn bad_options_are_refused_before_anything_is_played() {
    let dir = tempfile::tempdir().unwrap();
    for (options, message) in [
        (&["--games", "4"][..], "--out"),
        (&["--games", "0", "--out", "x"], "--games"),
        (&["--arms", "start", "--out", "x"], "--games"),
        (
            &["--games", "4", "--out", "x", "--arms", "set-ups"],
            "no set-up phase",
        ),
        (
            &["--games", "4", "--out", "x", "--half-width", "2"],
            "--half-width must be",
        ),
        (
            &["--games", "4", "--out", "x", "--score-margin", "0"],
            "--score-margin must be",
        ),
        (
            &["--games", "4", "--out", "x", "--confidence", "0.1"],
            "--confidence must be",
        ),
        (
            &["--games", "4", "--out", "x", "--temperature=-1"],
            "selfplay.temperature",
        ),
        (
            &["--games", "4", "--out", "x", "--strength-games", "3"],
            "must be even",
        ),
        (
            &[
                "--games",
                "4",
                "--out",
                "x",
                "--strength-games",
                "0",
                "--strength-against",
                "random",
            ],
            "--strength-games above 0",
        ),
        (
            &["--games", "4", "--out", "x", "--required-score", "7"],
            "from 0 to 1",
        ),
        (
            &["--games", "4", "--out", "x", "--book", "book.bin"],
            ".epd or .pgn",
        ),
        (
            &[
                "--games", "4", "--out", "x", "--book", "b.epd", "--arms", "start",
            ],
            "--arms moves",
        ),
    ] {
        let output = garuda(dir.path(), options);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{options:?}");
        assert!(errors.contains(message), "{options:?}: {errors}");
        assert!(!dir.path().join("x").exists(), "{options:?}");
    }
}
