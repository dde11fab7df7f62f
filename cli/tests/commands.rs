//! What commands print, where they print it, and what they leave alone.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Write, pipe};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use garuda_run::RunDir;
use garuda_run::config::Config;

fn garuda() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garuda"));
    command.stdin(Stdio::null()).env_remove("GARUDA_LOG");
    command
}

fn run(arguments: &[&str]) -> Output {
    garuda().args(arguments).output().unwrap()
}

/// Runs a command with lines on its standard input.
fn run_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = garuda()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A run without games or checkpoints.
fn empty_run(path: &Path) {
    RunDir::open_or_create(path, &Config::default()).unwrap();
}

/// Standard output or error that cannot be written.
fn unwritable() -> [fn() -> Stdio; 2] {
    [
        || {
            File::options()
                .write(true)
                .open("/dev/full")
                .unwrap()
                .into()
        },
        || pipe().unwrap().1.into(),
    ]
}

#[test]
fn output_that_cannot_be_written_is_no_panic() {
    let scratch = tempfile::tempdir().unwrap();
    let run = scratch.path().join("run");
    empty_run(&run);
    let run = run.to_str().unwrap();
    let input = scratch.path().join("input");
    fs::write(&input, "moves\n{}\nundo\nquit\n").unwrap();
    let missing = "no/such/file";
    for arguments in [
        vec!["--help"],
        vec!["--version"],
        vec!["no-such-command"],
        vec!["perft", "makruk", "2"],
        vec!["perft", "makruk", "1", "--divide"],
        vec!["perft", "makruk", "1", "--json"],
        vec!["match", "random", "random", "--game=makruk", "--games=2"],
        vec!["match", "random", "uci:false?nodes=1", "--game=makruk"],
        vec!["play", "random", "--game=makruk"],
        vec!["rules"],
        vec!["status", run],
        vec!["ladder", run],
        vec!["values", run],
        vec!["openings", run, "--visits=0"],
        vec!["export", run],
        vec!["export-games", run, "--format=pgn"],
        vec!["export-games", run, "--format=jsonl", "--output=-"],
        vec!["train", missing],
        vec!["export", missing],
        vec!["bench", "--network", missing],
    ] {
        for unwritable in unwritable() {
            let status = garuda()
                .args(&arguments)
                .current_dir(scratch.path())
                .stdin(File::open(&input).unwrap())
                .stdout(unwritable())
                .stderr(unwritable())
                .status()
                .unwrap();
            let code = status.code();
            assert!(matches!(code, Some(0..=2)), "{arguments:?}: {status}");
        }
    }
}

#[test]
fn a_full_disk_fails_and_a_closed_pipe_does_not() {
    for (out, code) in unwritable().into_iter().zip([1, 0]) {
        let output = garuda()
            .args(["perft", "makruk", "1"])
            .stdout(out())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    }
}

#[test]
fn odd_names_are_accepted_and_shown_escaped() {
    let scratch = tempfile::tempdir().unwrap();
    for name in [
        b"two words".as_slice(),
        b"two\nlines",
        b"\x1b[31mred\x07",
        b"not UTF-8 \xff\xfe",
        "\u{202e}reversed \u{9b}".as_bytes(),
    ] {
        let run = scratch.path().join(OsStr::from_bytes(name));
        empty_run(&run);
        let shows_no_control = |text: &[u8]| {
            let text = std::str::from_utf8(text).unwrap();
            let control = |c: char| c.is_control() || c == '\u{202e}';
            assert!(!text.trim_end().contains(control), "{text:?}");
        };
        for command in ["status", "ladder"] {
            let output = garuda().arg(command).arg(&run).output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
            let first = output.stdout.split(|&b| b == b'\n').next().unwrap();
            shows_no_control(first);
        }
        // Every command takes the path and finds that the run has no checkpoint.
        for before in [
            &["play"] as &[&str],
            &["match", "random"],
            &["export"],
            &["bench", "--network"],
        ] {
            let output = garuda().args(before).arg(&run).output().unwrap();
            let error = stderr(&output);
            assert!(error.contains("has no checkpoint yet"), "{error}");
            assert_eq!(output.status.code(), Some(1));
            if !name.contains(&b'\n') {
                shows_no_control(&output.stderr);
            }
        }
        let missing = scratch.path().join(OsStr::from_bytes(name)).join("missing");
        let output = garuda().arg("play").arg(&missing).output().unwrap();
        assert!(stderr(&output).contains("does not exist"));
    }
    let engine = OsStr::from_bytes(b"uci:\xff");
    let output = garuda().arg("play").arg(engine).output().unwrap();
    assert!(stderr(&output).contains("must be UTF-8"));
}

#[test]
fn games_are_appended_to_a_file_and_only_by_players_that_start() {
    let scratch = tempfile::tempdir().unwrap();
    let pgn = scratch.path().join("old.pgn");
    fs::write(&pgn, "[Event \"mine\"]\n\n1-0\n").unwrap();
    let path = pgn.to_str().unwrap();
    let play = |opponent: &str, pgn: &str| {
        let game = ["--game=makruk", "--games=2", "--pgn", pgn];
        run(&[&["match", "random", opponent], &game[..]].concat())
    };
    for engine in ["uci:no-such-engine?nodes=1", "uci:false?nodes=1"] {
        let before = fs::read(&pgn).unwrap();
        assert!(!play(engine, path).status.success());
        assert_eq!(fs::read(&pgn).unwrap(), before, "{engine}");
        let fresh = scratch.path().join("new.pgn");
        assert!(!play(engine, fresh.to_str().unwrap()).status.success());
        assert!(!fresh.exists());
    }
    for games in [2, 4] {
        assert!(play("random", path).status.success());
        let text = fs::read_to_string(&pgn).unwrap();
        assert!(text.starts_with("[Event \"mine\"]\n\n1-0\n\n[Event "));
        assert_eq!(text.matches("\n\n[Event \"garuda match\"]").count(), games);
    }
}

#[test]
fn engines_of_a_configuration_need_permission() {
    let scratch = tempfile::tempdir().unwrap();
    let trace = scratch.path().join("trace");
    let engine = format!("uci:touch {}?nodes=1", trace.display());
    let config = scratch.path().join("theirs.toml");
    fs::write(&config, format!("[evaluation]\nanchors = [\"{engine}\"]\n")).unwrap();
    let run = scratch.path().join("run");
    let their_run = scratch.path().join("their run");
    RunDir::open_or_create(&their_run, &Config::read(&config, &[]).unwrap()).unwrap();
    for (source, created) in [(&config, false), (&their_run, true)] {
        let output = garuda()
            .arg("train")
            .arg(source)
            .arg("--run")
            .arg(if created { &their_run } else { &run })
            .args(["--checkpoints", "1"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = stderr(&output);
        assert!(error.contains(&engine), "{error}");
        assert!(error.contains("--allow-engines"), "{error}");
        assert!(!trace.exists() && !run.exists());
    }
}

#[test]
fn fixed_players_play_without_a_network() {
    for player in ["random", "alphabeta", "alphabeta:1000"] {
        let arguments = ["play", player, "--game", "makruk"];
        let output = run_with_input(&arguments, "moves\ne3e4\nundo\ne3e4\nquit\n");
        assert!(output.status.success(), "{}", stderr(&output));
        let text = stdout(&output);
        assert!(text.contains("a3a4 b1d2 "), "{text}");
        assert_eq!(text.matches("black plays ").count(), 2, "{text}");
    }
    let output = run_with_input(&["play", "random", "--game=eternal", "--black"], "");
    assert!(stdout(&output).contains("white plays "));
}

#[test]
fn a_missing_game_is_asked_for() {
    for arguments in [
        &["play", "alphabeta:1000"] as &[&str],
        &["match", "alphabeta:1000", "random"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1));
        let error = stderr(&output);
        let expected = "can play any game: choose one with --game (makruk, sittuyin, \
                        sittuyin-booklet, torishogi, eternal)";
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn every_command_explains_itself_with_an_example() {
    let help = stdout(&run(&["--help"]));
    let commands = help.split("Commands:\n").nth(1).unwrap();
    let names: Vec<_> = commands
        .lines()
        .map_while(|line| line.strip_prefix("  "))
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert_eq!(names.len(), 17, "{help}");
    for name in names {
        let help = stdout(&run(&[name, "--help"]));
        assert!(help.contains("\nExample"), "{help}");
        assert!(help.contains(&format!("garuda {name}")), "{help}");
    }
}

#[test]
fn a_gauntlet_resumes_and_keeps_to_its_terms() {
    let dir = tempfile::tempdir().unwrap();
    let results = dir.path().join("results.json");
    let gauntlet = |more: &[&str]| {
        let mut arguments = vec!["gauntlet", "torishogi", "--against", "random", "alphabeta"];
        arguments.extend(["--movetime", "1", "--json"]);
        arguments.extend(["--results", results.to_str().unwrap()]);
        arguments.extend(more);
        run(&arguments)
    };
    let games = |output: &Output| -> Vec<u64> {
        assert!(output.status.success(), "{}", stderr(output));
        let table: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let opponents = table["opponents"].as_array().unwrap();
        (opponents.iter())
            .map(|row| row["games"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(games(&gauntlet(&["--games", "4"])), [4, 4]);
    let kept = fs::read(&results).unwrap();
    // Fewer games than were played: nothing is played, and only as many count.
    assert_eq!(games(&gauntlet(&["--games", "2"])), [2, 2]);
    assert_eq!(fs::read(&results).unwrap(), kept);
    // A pair is missing, as after a crash.
    let mut file: serde_json::Value = serde_json::from_slice(&kept).unwrap();
    let pairs = file["opponents"]["random"].as_object_mut().unwrap();
    pairs.remove("0").unwrap();
    fs::write(&results, file.to_string()).unwrap();
    assert_eq!(games(&gauntlet(&["--games", "4"])), [4, 4]);
    // Other terms are refused, and the file stays as it is.
    let kept = fs::read(&results).unwrap();
    let refused = gauntlet(&["--games", "4", "--seed", "2"]);
    assert!(!refused.status.success());
    assert!(
        stderr(&refused).contains("other terms"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(fs::read(&results).unwrap(), kept);
    // Results that no game can have had.
    let mut file: serde_json::Value = serde_json::from_slice(&kept).unwrap();
    file["opponents"]["random"]["0"]["results"] = serde_json::json!([100, 100]);
    fs::write(&results, file.to_string()).unwrap();
    let refused = gauntlet(&["--games", "4"]);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(
        stderr(&refused).contains("is damaged"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn a_shipped_network_can_be_exported() {
    let dir = tempfile::tempdir().unwrap();
    let output = garuda()
        .current_dir(dir.path())
        .args(["export", "torishogi", "--format", "onnx"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(dir.path().join("torishogi.onnx").is_file());
}

#[test]
#[cfg(feature = "torch")]
fn training_without_its_program_is_told_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("garuda");
    fs::copy(env!("CARGO_BIN_EXE_garuda"), &alone).unwrap();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/tori-quick.toml");
    let output = Command::new(&alone)
        .args(["train", config])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.starts_with("garuda: training needs garuda-train, and "),
        "{errors}"
    );
    assert_eq!(errors.lines().count(), 1, "{errors}");
    // Nothing was started.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
