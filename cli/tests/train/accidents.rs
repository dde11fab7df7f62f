//! Runs that are killed, stopped, damaged or refused.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use garuda_run::Ladder;

use super::scratch::{Scratch, errors, games, garuda, newest, signal, wait_for, weights};

/// Small numbers that look random enough to kill at.
fn delays() -> impl Iterator<Item = Duration> {
    let mut state = 12345u64;
    std::iter::from_fn(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Some(Duration::from_millis((state >> 33) % 900))
    })
}

#[test]
fn killed_at_any_moment_a_run_becomes_what_it_would_have_been() {
    let scratch = Scratch::new();
    let killed = scratch.path("killed");
    let mut known = BTreeMap::new();
    let mut checkpoint = None;
    for (round, delay) in delays().take(50).enumerate() {
        let mut child = scratch.train("killed", &[]).spawn().unwrap();
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
    let limit = ["--checkpoints", &target.to_string()];
    let resumed = scratch.trained("killed", &limit);
    let straight = scratch.trained("straight", &limit);
    println!(
        "{} checkpoints and {} games in 50 rounds",
        target - 1,
        known.len()
    );
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
    for name in ["-INT", "-TERM"] {
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
            &["--set", "training.bach=1", "--set", "network.channels=9"],
        )
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = errors(&output);
    assert!(text.contains("did you mean training.batch?") && text.contains("network: "));
    assert!(!run.exists());
    let missing = garuda().args(["train", "nowhere.toml"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));

    // A run that was begun goes on as it was begun.
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
    damage(3, "weights.safetensors");
    let output = scratch
        .train("damaged", &["--checkpoints", "3"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("000003"), "{}", errors(&output));
    assert!(run.join("checkpoints/000003.damaged-1").is_dir());
    assert_eq!(weights(&run, 3), sound, "it is made again as it was");

    for number in 1..=3 {
        damage(number, "state.json");
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
