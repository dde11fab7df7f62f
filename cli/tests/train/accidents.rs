//! Runs that are killed, stopped, damaged or refused.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use garuda_model::checkpoint_files::{STATE, WEIGHTS};
use garuda_run::Ladder;

use super::scratch::{Scratch, errors, games, garuda, newest, signal, wait_for, weights};

/// How often each of the runs below is killed, unless `GARUDA_KILL_ROUNDS` says how often.
const KILL_ROUNDS: usize = 13;

/// Small numbers that look random enough to kill at.
pub(crate) fn delays(seed: u64) -> impl Iterator<Item = Duration> {
    let mut state = seed;
    std::iter::from_fn(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Some(Duration::from_millis((state >> 33) % 900))
    })
}

#[test]
fn killed_at_any_moment_a_run_becomes_what_it_would_have_been() {
    check_kills(1, &["network.kind=conv", "machine.phases=alternate"]);
}

#[test]
fn killed_at_any_moment_with_overlapping_phases() {
    check_kills(2, &["network.kind=conv", "machine.phases=overlap"]);
}

#[test]
fn killed_at_any_moment_with_a_sparse_network() {
    check_kills(3, &[SPARSE, "network.width=32", "machine.phases=alternate"]);
}

#[test]
fn killed_at_any_moment_with_a_sparse_network_and_overlapping_phases() {
    check_kills(4, &[SPARSE, "network.width=32", "machine.phases=overlap"]);
}

const SPARSE: &str = "network.kind=sparse";

fn check_kills(seed: u64, settings: &[&str]) {
    let rounds = std::env::var("GARUDA_KILL_ROUNDS");
    let rounds = rounds.map_or(KILL_ROUNDS, |rounds| rounds.parse().unwrap());
    let scratch = Scratch::new();
    let killed = scratch.path("killed");
    let set: Vec<_> = settings.iter().flat_map(|&key| ["--set", key]).collect();
    let mut known = BTreeMap::new();
    let mut checkpoint = None;
    for (round, delay) in delays(seed).take(rounds).enumerate() {
        let mut child = scratch.train("killed", &set).spawn().unwrap();
        if round % 5 > 0 {
            // Most kills are to fall into the work, not into the start of the program.
            let mut first = [0];
            let _ = child.stdout.take().unwrap().read(&mut first);
        }
        std::thread::sleep(delay);
        child.kill().unwrap();
        child.wait().unwrap();
        if !killed.join("config.toml").exists() {
            continue;
        }
        // Nothing that was there is gone or changed, and all of it is sound.
        let now = games(&killed);
        assert!(
            known.iter().all(|(game, name)| now.get(game) == Some(name)),
            "round {round}"
        );
        known = now;
        let newest = newest(&killed);
        assert!(
            newest >= checkpoint,
            "round {round}: {newest:?} after {checkpoint:?}"
        );
        checkpoint = newest;
    }
    // Whatever was reached, one more checkpoint, and the same without any interruption.
    let target = checkpoint.map_or(1, |number| number + 1);
    let target_text = target.to_string();
    let limit = [&set[..], &["--checkpoints", &target_text]].concat();
    let resumed = scratch.trained("killed", &limit);
    let straight = scratch.trained("straight", &limit);
    let (checkpoints, games_played) = (target - 1, known.len());
    println!("{checkpoints} checkpoints and {games_played} games in {rounds} rounds");
    assert_eq!(resumed["games"], straight["games"]);
    assert_eq!(resumed["steps"], straight["steps"]);
    let straight = scratch.path("straight");
    assert_eq!(games(&killed), games(&straight));
    assert_eq!(weights(&killed, target), weights(&straight, target));
    let ladder = |run: &Path| Ladder::read(&run.join("ladder.json")).unwrap();
    assert_eq!(ladder(&killed).matches(), ladder(&straight).matches());
    for dir in [&killed, &killed.join("games"), &killed.join("checkpoints")] {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            assert!(
                path.extension().is_none_or(|e| e != "tmp"),
                "{path:?} was left"
            );
        }
    }
}

#[test]
fn signals_save_and_end() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let scratch = Scratch::new();
        let run = scratch.path("stopped");
        let child = scratch.train("stopped", &[]).spawn().unwrap();
        wait_for("the first training", || newest(&run) >= Some(1));
        let busy = scratch.train("stopped", &[]).output().unwrap();
        assert_eq!(busy.status.code(), Some(1));
        assert!(
            errors(&busy).contains("is in use by process"),
            "{}",
            errors(&busy)
        );
        signal(&child, name);
        if name == "-HUP" {
            // A terminal that closes may say so more than once.
            signal(&child, name);
        }
        let started = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        assert!(started.elapsed() < Duration::from_secs(20));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains("garuda train") && text.contains("checkpoint 000001"),
            "{text}"
        );
        assert!(!games(&run).is_empty());
    }
}

#[test]
fn bad_configurations_create_nothing() {
    let scratch = Scratch::new();
    let run = scratch.path("never");
    let output = scratch
        .train(
            "never",
            &[
                "--set",
                "training.bach_size=1",
                "--set",
                "network.channels=9",
            ],
        )
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = errors(&output);
    assert!(text.contains("did you mean training.batch_size?") && text.contains("network: "));
    assert!(!run.exists());
    let missing = garuda().args(["train", "nowhere.toml"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));

    // A run resumes with the settings that it started with.
    scratch.trained("started", &["--games", "1"]);
    let other = scratch
        .train("started", &["--set", "run.seed=9"])
        .output()
        .unwrap();
    assert_eq!(other.status.code(), Some(2));
    assert!(
        errors(&other).contains("run.seed is 1, not 9"),
        "{}",
        errors(&other)
    );
}

#[test]
fn a_full_disk_is_told_and_costs_nothing() {
    let scratch = Scratch::new();
    scratch.trained("full", &["--checkpoints", "1"]);
    let run = scratch.path("full");
    let before = weights(&run, 1);
    // No file may be longer than a few kilobytes: as good as a full disk.
    let output = Command::new("bash")
        .args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "bash"])
        .arg(env!("CARGO_BIN_EXE_garuda"))
        .args(["train", run.to_str().unwrap(), "--checkpoints", "2"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        errors(&output).contains("cannot write"),
        "{}",
        errors(&output)
    );
    assert_eq!(newest(&run), Some(1));
    assert_eq!(weights(&run, 1), before);
    scratch.trained("full", &["--checkpoints", "2"]);
    scratch.trained("empty", &["--checkpoints", "2"]);
    assert_eq!(weights(&run, 2), weights(&scratch.path("empty"), 2));
}

#[test]
fn damaged_checkpoints_are_replaced_or_the_run_stops() {
    let scratch = Scratch::new();
    scratch.trained("damaged", &["--checkpoints", "3"]);
    let run = scratch.path("damaged");
    let sound = weights(&run, 3);
    let damage = |number: u32, file: &str| {
        let path = run.join(format!("checkpoints/{number:06}/{file}"));
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
    };
    damage(3, WEIGHTS);
    let output = scratch
        .train("damaged", &["--checkpoints", "3"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("000003"), "{}", errors(&output));
    assert!(run.join("checkpoints/000003.damaged-1").is_dir());
    assert_eq!(weights(&run, 3), sound, "it is made again as it was");

    for number in 1..=3 {
        damage(number, STATE);
    }
    let output = scratch.train("damaged", &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        errors(&output).contains("can be trained on"),
        "{}",
        errors(&output)
    );
    assert_eq!(newest(&run), Some(3), "nothing was touched");
}

#[test]
fn damaged_records_are_set_aside_and_the_run_goes_on() {
    let scratch = Scratch::new();
    scratch.trained("torn", &["--checkpoints", "2"]);
    let run = scratch.path("torn");
    let first = run.join("games/00000000.games");
    let bytes = fs::read(&first).unwrap();
    fs::write(&first, &bytes[..bytes.len() / 2]).unwrap();
    let mut child = scratch
        .train("torn", &["--checkpoints", "3"])
        .spawn()
        .unwrap();
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert!(child.wait().unwrap().success(), "{text}");
    assert!(text.contains("00000000.games is set aside"), "{text}");
    assert!(run.join("games/refused/00000000.games").is_file());
    assert_eq!(newest(&run), Some(3));
}

#[test]
fn a_run_under_nohup_outlives_the_terminal() {
    let scratch = Scratch::new();
    let run = scratch.path("kept");
    let mut command = Command::new("nohup");
    command
        .arg(env!("CARGO_BIN_EXE_garuda"))
        .arg("train")
        .arg(scratch.path("tiny.toml"))
        .arg("--run")
        .arg(&run)
        .args(["--checkpoints", "3"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_for("the first checkpoint", || newest(&run).is_some());
    signal(&child, "-HUP");
    assert!(child.wait().unwrap().success());
    assert_eq!(newest(&run), Some(3));
}

#[test]
fn a_changed_configuration_of_a_run_is_named_and_refused() {
    let scratch = Scratch::new();
    scratch.trained("edited", &["--checkpoints", "1"]);
    let run = scratch.path("edited");
    let file = run.join("config.toml");
    let whole = fs::read_to_string(&file).unwrap();
    let resume = |arguments: &[&str]| {
        let mut command = garuda();
        command.arg("train").arg(&run).args(["--checkpoints", "2"]);
        command.args(arguments).output().unwrap()
    };
    let refused = |text: &str, expected: &str| {
        fs::write(&file, text).unwrap();
        let output = resume(&[]);
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    };
    refused("", "the section [game] is missing");
    refused(&whole.replace("seed = 1", ""), "run.seed is missing");
    let edited = whole.replace("seed = 1", "seed = 7");
    refused(&edited, "run.seed is 7, not 1");
    assert_eq!(newest(&run), Some(1));
    // Also where the configuration comes from elsewhere and agrees with the edited file.
    let settings = ["--checkpoints", "2", "--set", "run.seed=7"];
    let output = scratch.train("edited", &settings).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));

    let output = resume(&["--accept-config-change"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("run.seed is 7, not 1"));
    assert_eq!(newest(&run), Some(2));
    // The new checkpoint was made with it.
    assert!(resume(&[]).status.success());
}

#[test]
fn missing_games_are_named() {
    let scratch = Scratch::new();
    scratch.trained("missing", &["--checkpoints", "2"]);
    let run = scratch.path("missing");
    let resume = |checkpoints: &str| {
        let output = scratch.train("missing", &["--checkpoints", checkpoints]);
        let output = { output }.output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        errors(&output)
    };
    assert!(!resume("2").contains("missing"));
    let played = games(&run).len();
    fs::remove_file(run.join("games/00000001.games")).unwrap();
    let left = games(&run).len();
    let text = resume("3");
    let expected = format!("{} of the {played} games", played - left);
    assert!(text.contains(&expected), "{text}");
    assert!(text.contains("00000001.games"), "{text}");
    // All of them.
    fs::remove_dir_all(run.join("games")).unwrap();
    assert!(resume("4").contains("are missing"));
    assert_eq!(newest(&run), Some(4));
}

#[test]
fn a_damaged_ladder_stops_nothing() {
    let scratch = Scratch::new();
    scratch.trained("ladder", &["--checkpoints", "1"]);
    let run = scratch.path("ladder");
    fs::write(run.join("ladder.json"), b"{\"matches\": [").unwrap();
    for command in ["status", "ladder"] {
        let output = garuda().arg(command).arg(&run).output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        assert!(
            errors(&output).contains("ladder.json is damaged"),
            "{command}: {}",
            errors(&output)
        );
    }
    let output = scratch
        .train("ladder", &["--checkpoints", "2"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("ladder.json.damaged"));
    assert!(run.join("ladder.json.damaged").is_file());
    let ladder = Ladder::read(&run.join("ladder.json")).unwrap();
    assert!(!ladder.matches().is_empty());
}

#[test]
fn a_directory_of_something_else_is_refused() {
    let scratch = Scratch::new();
    let dir = scratch.path("thesis");
    fs::create_dir_all(dir.join("drafts.tmp")).unwrap();
    fs::write(dir.join("thesis.tmp"), b"mine").unwrap();
    let output = scratch.train("thesis", &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        errors(&output).contains("is not a run"),
        "{}",
        errors(&output)
    );
    assert!(dir.join("drafts.tmp").is_dir());
    assert_eq!(fs::read(dir.join("thesis.tmp")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
}

#[test]
fn output_that_nobody_can_take_stops_nothing() {
    let scratch = Scratch::new();
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let status = scratch
        .train("mute", &["--checkpoints", "1"])
        .env("GARUDA_LOG", "trace")
        .stdout(full())
        .stderr(full())
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(newest(&scratch.path("mute")), Some(1));
    // An error that cannot be printed is an error all the same, not a panic.
    let status = scratch
        .train("mute", &["--set", "run.seed=9"])
        .stderr(full())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
}
