//! Whole tiny runs of the program.

mod accidents;
mod fleet;
mod scratch;

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use garuda_model::checkpoint_files::{self, OPTIMIZER, STATE, WEIGHTS};
use garuda_run::Ladder;
use scratch::{Scratch, checkpoint, errors, games, garuda, wait_for, weights};
use serde_json::Value;

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
    let network = fs::read(checkpoint_files::network(&checkpoint(&run, 3))).unwrap();
    assert!(fs::read(&exported).unwrap() == network);

    // TorchScript is made from the weights: the first checkpoint has nothing else to train with.
    let thinned = checkpoint(&run, 0);
    assert!(!thinned.join(OPTIMIZER).exists());
    let script = scratch.path("exported.pt");
    let output = garuda()
        .args(["export", "--format", "torchscript", "--output"])
        .args([&script, &thinned])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(script.is_file());

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
    // By default no games count that no network played.
    let values = json(&["values", run_text, "--json"]);
    assert_eq!(values["checkpoints"]["from"], 1);
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
    let by_move = |report: &Value| -> BTreeMap<String, String> {
        let moves = report["moves"].as_array().unwrap();
        let text = |value: &Value| value.to_string();
        (moves
            .iter()
            .map(|mv| (text(&mv["move"]), text(&mv["value"]))))
        .collect()
    };
    assert_eq!(by_move(&of_run), by_move(&of_model));
    assert!(of_model["moves"][0]["games"].is_null());
    let after = fs::read_dir(scratch.dir.path()).unwrap().count();
    assert_eq!(before, after, "a model's report is written nowhere unasked");

    // A model of another game, and a player that is none.
    for wrong in [
        vec!["match", exported_text, "random", "--game", "makruk"],
        vec!["match", "random", "alphabeta"],
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
        .train(
            "met",
            &["--checkpoints", "1", "--allow-engines", "--set", &anchors],
        )
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
fn records_do_not_depend_on_the_shards() {
    let scratch = Scratch::new();
    for (name, shards) in [("one", "1"), ("three", "3")] {
        let shards = format!("machine.shards={shards}");
        let evaluator = "bootstrap.evaluator=material";
        let settings = ["--set", &shards, "--set", evaluator];
        scratch.trained(name, &[&["--checkpoints", "1"], &settings[..]].concat());
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
    let network = |number| fs::read(checkpoint(&run, number).join(WEIGHTS)).unwrap();
    assert!(network(0) == network(1) && network(1) != network(2));

    // A run may change its ways, and then learns from all that was left over.
    let alternating = scratch.trained("resumed", &["--checkpoints", "5"]);
    assert_eq!(alternating["checkpoints"], 5);
}

/// Everything that a checkpoint holds survives being written and read, to the last bit.
#[test]
fn training_in_steps_equals_training_at_once() {
    let scratch = Scratch::new();
    scratch.trained("at once/run", &["--checkpoints", "8"]);
    for checkpoints in 1..=8 {
        scratch.trained("in steps/run", &["--checkpoints", &checkpoints.to_string()]);
    }
    let state = |name: &str| -> Value {
        let path = checkpoint(&scratch.path(name), 8).join(STATE);
        let mut state: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        // Time passes differently; the checksum covers it.
        state["notes"]["training"]["seconds"].take();
        state["checksum"].take();
        state
    };
    assert_eq!(state("in steps/run"), state("at once/run"));
}

/// Trained at once on one shard, and in two goes on two.
#[test]
fn a_sparse_run_is_reproducible_and_its_network_plays() {
    let scratch = Scratch::new();
    let sparse = ["--set", "network.kind=sparse", "--set", "network.width=32"];
    let one_shard = ["--checkpoints", "3", "--set", "machine.shards=1"];
    scratch.trained("whole", &[&sparse[..], &one_shard].concat());
    for checkpoints in ["1", "3"] {
        let some = ["--checkpoints", checkpoints];
        scratch.trained("parts", &[&sparse[..], &some].concat());
    }
    let [whole, parts] = ["whole", "parts"].map(|name| scratch.path(name));
    assert_eq!(games(&whole), games(&parts));
    assert_eq!(weights(&whole, 3), weights(&parts, 3));

    let exported = scratch.path("tori.safetensors");
    let export = |format: &[&str]| {
        let mut command = garuda();
        command.arg("export").arg(&whole).args(format);
        command.arg("--output").arg(&exported).output().unwrap()
    };
    let refused = export(&["--format", "torchscript"]);
    assert!(errors(&refused).contains("cannot be written as pt"));
    assert!(!exported.exists());
    // ONNX is for other programs: what plays here are the integers.
    assert!(export(&["--format", "onnx"]).status.success());
    let match_with_it = || {
        let mut command = garuda();
        command.args(["match", "random", "--games", "2", "--simulations", "4"]);
        command.arg(&exported).output().unwrap()
    };
    let refused = errors(&match_with_it());
    assert!(
        refused.contains("is played from its .safetensors file"),
        "{refused}"
    );
    assert!(export(&[]).status.success());
    let played = match_with_it();
    assert!(played.status.success(), "{}", errors(&played));

    // Its games can be labelled, but are too few for a network of Fairy-Stockfish.
    let labels = scratch.path("labels");
    let labelled = garuda()
        .args(["label", "--simulations", "2", "--json", "--out"])
        .args([&labels, &whole])
        .output()
        .unwrap();
    assert!(labelled.status.success(), "{}", errors(&labelled));
    let summary: serde_json::Value = serde_json::from_slice(&labelled.stdout).unwrap();
    assert_eq!(summary["complete"], true);
    // Another network can search, a shipped one by the name of its game.
    let shipped = garuda()
        .args([
            "label",
            "--network",
            "torishogi",
            "--simulations",
            "2",
            "--out",
        ])
        .args([&scratch.path("shipped"), &whole])
        .output()
        .unwrap();
    assert!(shipped.status.success(), "{}", errors(&shipped));
    let nnue = |more: &[&str]| {
        let mut command = garuda();
        command.args(["export", "--format", "nnue", "--labels"]);
        command.args([&labels, &whole]).args(more);
        command.current_dir(scratch.path("")).output().unwrap()
    };
    assert!(errors(&nnue(&[])).contains("too few to train a network on"));
    let misnamed = nnue(&["--output", "tori.nnue"]);
    assert!(errors(&misnamed).contains("must begin with \"torishogi\""));
    let decay = nnue(&["--weight-decay", "101"]);
    assert!(errors(&decay).contains("--weight-decay must be from 0 to 100"));
}

#[test]
fn limits_end_a_run() {
    let scratch = Scratch::new();
    let summary = scratch.trained("limited", &["--games", "5"]);
    assert_eq!(summary["games"], 5);
    assert_eq!(games(&scratch.path("limited")).len(), 5);
    let started = Instant::now();
    scratch.trained("limited", &["--minutes", "0.02"]);
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn games_that_wait_for_a_checkpoint_are_counted() {
    let scratch = Scratch::new();
    scratch.trained("waiting", &["--games", "2"]);
    let output = scratch
        .train("waiting", &["--games", "2"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("resuming from checkpoint 000000: 2 games"),
        "{text}"
    );
}

#[test]
fn a_run_can_start_from_a_trained_network() {
    let scratch = Scratch::new();
    let sparse = ["--set", "network.kind=sparse", "--set", "network.width=32"];
    let with = |more: &[&'static str]| -> Vec<&'static str> {
        sparse.iter().chain(more).copied().collect()
    };
    scratch.trained("first", &with(&["--checkpoints", "2"]));
    let first = scratch.path("first");
    let file = scratch.path("net.safetensors");
    fs::copy(checkpoint_files::network(&checkpoint(&first, 2)), &file).unwrap();

    // From the run, whose newest checkpoint is taken, and from a file alone.
    for (name, init) in [("from-run", &first), ("from-file", &file)] {
        let init = init.to_str().unwrap();
        let arguments: Vec<&str> = with(&["--checkpoints", "1", "--init"])
            .into_iter()
            .chain([init])
            .collect();
        scratch.trained(name, &arguments);
        let run = scratch.path(name);
        let config = fs::read_to_string(run.join("config.toml")).unwrap();
        assert!(config.contains(init), "{config}");
        assert!(!games(&run).is_empty());
        assert!(weights(&run, 0) != weights(&run, 1));
    }
    // Of another size it is refused, be it a file or a shipped network, and nothing is written.
    for (name, init) in [("wider", file.to_str().unwrap()), ("shipped", "torishogi")] {
        let arguments = ["--init", init, "--checkpoints", "1"];
        let output = scratch.train(name, &arguments).output().unwrap();
        assert!(!output.status.success());
        assert!(
            errors(&output).contains("the configuration says"),
            "{}",
            errors(&output)
        );
        assert!(!scratch.path(name).exists());
    }
}
