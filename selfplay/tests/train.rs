//! Whole tiny runs of the program: from training to a match, killed, resumed, damaged, refused.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use garuda_rules::RuleSet;
use garuda_rules::tori::ToriPosition;
use garuda_selfplay::records::RecordStore;
use garuda_selfplay::run::{Ladder, RunDir};
use serde_json::Value;

const TINY: &str = r#"
[game]
rules = "torishogi"
[network]
blocks = 1
channels = 8
[search]
simulations = [2]
simulations_from = [0]
[bootstrap]
positions = 40
simulations = 4
[selfplay]
games_per_shard = 2
decided_simulations = 2
batch_games = 2
older_share = 0.3
[replay]
window_first = 256
held_out = 0.2
samples_per_position = 0.3
[training]
batch = 16
warmup_steps = 5
ema = 0.9
[checkpoint]
positions = 60
expected_plies = 60
[evaluation]
games = 2
simulations = 2
predecessors = 1
anchors = ["random"]
[machine]
shards = 2
threads = 1
"#;

struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("tiny.toml"), TINY).unwrap();
        Scratch { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// `garuda train` of the tiny configuration in the run `name`.
    fn train(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = garuda();
        command
            .arg("train")
            .arg(self.path("tiny.toml"))
            .arg("--run")
            .arg(self.path(name))
            .args(arguments);
        command
    }

    fn trained(&self, name: &str, arguments: &[&str]) -> Value {
        let output = self.train(name, arguments).arg("--json").output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn garuda() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garuda"));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The names of all games of a run, by checkpoint and number. Fails if anything is damaged.
fn games(run: &Path) -> BTreeMap<(u32, u64), String> {
    let store = RecordStore::open(&run.join("games")).unwrap();
    let loaded = store.load::<ToriPosition>(RuleSet::ToriShogi).unwrap();
    assert_eq!(loaded.refused, [] as [String; 0]);
    (loaded.records.iter())
        .map(|record| ((record.net(), record.number()), record.name()))
        .collect()
}

/// Hashes of what makes a checkpoint what it is. The model file also holds the run's name.
fn weights(run: &Path, number: u32) -> [String; 2] {
    let checkpoint = run.join(format!("checkpoints/{number:06}"));
    ["weights.safetensors", "optimizer.safetensors"]
        .map(|name| fs::read(checkpoint.join(name)).unwrap())
        .map(|bytes| blake3::hash(&bytes).to_string())
}

fn newest(run: &Path) -> Option<u32> {
    RunDir::open(run)
        .ok()?
        .checkpoint_numbers()
        .unwrap()
        .last()
        .copied()
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .arg(name)
        .arg(child.id().to_string())
        .status();
    assert!(status.unwrap().success());
}

/// Waits until `condition` holds, for a minute at most.
fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{what} did not happen"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

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
fn a_whole_run_trains_exports_plays_and_tells_openings() {
    let scratch = Scratch::new();
    let run = scratch.path("whole");
    let summary = scratch.trained("whole", &["--checkpoints", "3"]);
    assert_eq!(summary["checkpoints"], 3);
    assert!(summary["games"].as_u64().unwrap() >= 3);
    for file in [
        "config.toml",
        "metrics.jsonl",
        "ladder.json",
        "plots/loss.svg",
    ] {
        assert!(run.join(file).is_file(), "{file}");
    }

    let json = |arguments: &[&str]| -> Value {
        let output = garuda().args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            errors(&output)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let run_text = run.to_str().unwrap();
    let status = json(&["status", run_text, "--json"]);
    assert_eq!(status["checkpoint"], 3);
    assert_eq!(status["rules"], "torishogi");
    assert_eq!(status["training"], false);
    let ladder = json(&["ladder", run_text, "--json"]);
    assert!(ladder["ratings"].as_array().unwrap().len() >= 4, "{ladder}");

    let exported = scratch.path("exported.onnx");
    let exported_text = exported.to_str().unwrap();
    let output = garuda()
        .args(["export", run_text, "--output", exported_text])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let model = fs::read(run.join("checkpoints/000003/model.onnx")).unwrap();
    assert!(fs::read(&exported).unwrap() == model);

    let arguments = [
        "match",
        exported_text,
        "random",
        "--games",
        "6",
        "--simulations",
        "8",
        "--json",
    ];
    let first = json(&arguments);
    assert_eq!(first["games"], 6);
    assert_eq!(first["distinct_games"], 6);
    assert_eq!(first["pentanomial"].as_array().unwrap().len(), 5);
    assert_eq!(first, json(&arguments), "a match is reproducible");
    let of_run = json(&[
        "openings",
        run_text,
        "--visits",
        "4",
        "--searches",
        "2",
        "--json",
    ]);
    assert_eq!(of_run["moves"].as_array().unwrap().len(), 17);
    assert!(of_run["counted"]["games"].as_u64().unwrap() > 0);
    for file in ["openings.json", "openings.csv", "openings.html"] {
        assert!(run.join(file).is_file(), "{file}");
    }
    let before = fs::read_dir(scratch.dir.path()).unwrap().count();
    let of_model = json(&[
        "openings",
        exported_text,
        "--visits",
        "4",
        "--searches",
        "2",
        "--json",
    ]);
    let values = |report: &Value| -> BTreeMap<String, String> {
        let moves = report["moves"].as_array().unwrap();
        let text = |value: &Value| value.to_string();
        (moves
            .iter()
            .map(|mv| (text(&mv["move"]), text(&mv["value"]))))
        .collect()
    };
    assert_eq!(values(&of_run), values(&of_model));
    assert!(of_model["moves"][0]["games"].is_null());
    let after = fs::read_dir(scratch.dir.path()).unwrap().count();
    assert_eq!(before, after, "a model's report is written nowhere unasked");

    // A model of another game, and a player that is none.
    for wrong in [
        vec!["match", exported_text, "random", "--game", "makruk"],
        vec!["match", "random", "material"],
        vec!["match", "nobody", "random", "--game", "makruk"],
        vec![
            "match", "random", "random", "--game", "makruk", "--games", "3",
        ],
        vec!["openings", "nowhere"],
        vec!["openings", exported_text, "--from", "e4e7"],
        vec!["openings", exported_text, "--visits", "0"],
    ] {
        assert_eq!(
            garuda().args(&wrong).output().unwrap().status.code(),
            Some(1),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_run_meets_other_programs_while_they_are_there() {
    let scratch = Scratch::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_engine.py");
    let garuda = env!("CARGO_BIN_EXE_garuda");
    let engine = format!("uci:python3 '{script}' '{garuda}' well?nodes=1");
    let anchors = format!("evaluation.anchors=[\"uci:no-such-engine?nodes=1\", \"{engine}\"]");
    let output = scratch
        .train("met", &["--checkpoints", "1", "--set", &anchors])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let refusal = "no match against uci:no-such-engine?nodes=1";
    assert!(errors(&output).contains(refusal), "{}", errors(&output));
    let ladder = Ladder::read(&scratch.path("met").join("ladder.json")).unwrap();
    let met: Vec<_> = ladder.matches().iter().map(|m| m.second.as_str()).collect();
    assert_eq!(met, ["000000", engine.as_str()]);
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
fn records_do_not_depend_on_the_shards() {
    let scratch = Scratch::new();
    for (name, shards) in [("one", "1"), ("three", "3")] {
        let shards = format!("machine.shards={shards}");
        scratch.trained(name, &["--checkpoints", "1", "--set", &shards]);
    }
    assert_eq!(games(&scratch.path("one")), games(&scratch.path("three")));
    assert_eq!(
        weights(&scratch.path("one"), 1),
        weights(&scratch.path("three"), 1)
    );
}

#[test]
fn phases_that_overlap_are_reproducible() {
    let scratch = Scratch::new();
    let overlap = ["--set", "machine.phases=overlap", "--checkpoints"];
    let train = |name, checkpoints| {
        let mut arguments = overlap.to_vec();
        arguments.push(checkpoints);
        scratch.trained(name, &arguments)
    };
    let straight = train("straight", "4");
    assert_eq!(straight["checkpoints"], 4);
    // Stopped between checkpoints and killed within one, it is the same run.
    train("resumed", "2");
    let run = scratch.path("resumed");
    let before = games(&run).len();
    let mut child = scratch.train("resumed", &overlap[..2]).spawn().unwrap();
    wait_for("another game", || games(&run).len() > before);
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = train("resumed", "4");
    assert_eq!(resumed["steps"], straight["steps"]);
    assert_eq!(games(&run), games(&scratch.path("straight")));
    assert_eq!(weights(&run, 4), weights(&scratch.path("straight"), 4));
    // The first checkpoint had no games to learn from while its own were played.
    let network = |number: u32| {
        fs::read(run.join(format!("checkpoints/{number:06}/weights.safetensors"))).unwrap()
    };
    assert!(network(0) == network(1) && network(1) != network(2));

    // A run may change its ways, and then learns from all that was left over.
    let alternating = scratch.trained("resumed", &["--checkpoints", "5"]);
    assert_eq!(alternating["checkpoints"], 5);
}

#[test]
fn limits_end_a_run() {
    let scratch = Scratch::new();
    let summary = scratch.trained("limited", &["--games", "5"]);
    assert_eq!(summary["games"], 5);
    assert_eq!(games(&scratch.path("limited")).len(), 5);
    let begun = Instant::now();
    scratch.trained("limited", &["--minutes", "0.02"]);
    assert!(begun.elapsed() < Duration::from_secs(30));
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
        let begun = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        assert!(begun.elapsed() < Duration::from_secs(20));
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
    scratch.trained("begun", &["--games", "1"]);
    let other = scratch
        .train("begun", &["--set", "run.seed=9"])
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
