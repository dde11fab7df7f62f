//! Labelling: what comes out does not depend on interruptions, threads, or a run that goes on.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use garuda_model::Network;
use garuda_model::nnue::NnueLayout;
use garuda_rules::RuleSet;
use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;
use garuda_run::labels::LabelDir;
use garuda_run::records::RecordStore;
use garuda_run::{Log, Stop};
use garuda_selfplay::label::{LabelOptions, Labeller, label};

use crate::common;

fn network() -> Network {
    Network::shipped(RuleSet::ToriShogi).unwrap().unwrap()
}

/// A directory of two record files with four games each.
fn games(root: &Path) -> PathBuf {
    let path = root.join("games");
    let mut store = RecordStore::open(&path).unwrap();
    for file in 0..2 {
        let numbers: Vec<u64> = (4 * file..4 * file + 4).collect();
        let games = common::games(&common::config(&[]), 0, &numbers, 1);
        store.write(&games).unwrap();
    }
    path
}

fn options(games: &Path, out: PathBuf, threads: usize, stop: Stop) -> LabelOptions {
    LabelOptions {
        games: vec![games.to_owned()],
        labeller: Labeller::Network {
            network: network(),
            simulations: 4,
        },
        successors: 2,
        out,
        positions_per_file: 50,
        threads,
        stop,
        log: Log::silent(),
    }
}

/// Name and contents of all files of a directory.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn interrupted_labelling_continues_to_the_same_labels() {
    let root = tempfile::tempdir().unwrap();
    let games = games(root.path());
    let whole = root.path().join("whole");
    let never = || Stop::after(None);
    let summary = label::<ToriPosition>(&options(&games, whole.clone(), 1, never())).unwrap();
    // One of the eight was ended by the length limit.
    assert!(summary.complete && summary.games == 7, "{summary:?}");
    assert!(summary.labels > 100 && summary.labels < summary.positions);

    // Each position once, and none without a value.
    let layout = NnueLayout::of::<ToriPosition>().unwrap();
    let dir = LabelDir::open(&whole).unwrap();
    let mut seen = HashSet::new();
    let mut unplayed = 0;
    for number in dir.numbers().unwrap() {
        for label in dir.read(&layout, number).unwrap() {
            assert!((0.0..=1.0).contains(&label.value()));
            // The captures after different moves can lead to the same position.
            match label.result {
                Some(_) => assert!(seen.insert(label.position)),
                None => unplayed += 1,
            }
        }
    }
    assert!(unplayed > seen.len() / 2, "{unplayed} and {}", seen.len());

    // Stopped at once, then again and again after a while, on two threads; with a file cut off and a
    // run that has gone on.
    let parts = root.path().join("parts");
    let stopped = Stop::after(None);
    stopped.signal();
    let summary = label::<ToriPosition>(&options(&games, parts.clone(), 2, stopped)).unwrap();
    assert_eq!((summary.labels, summary.complete), (0, false));
    fs::write(parts.join("00000001.labels.tmp"), "cut off").unwrap();
    let more = common::games(&common::config(&[]), 1, &[0, 1], 1);
    RecordStore::open(&games).unwrap().write(&more).unwrap();
    let mut calls = 0;
    loop {
        let stop = Stop::after(Some(Duration::from_millis(20 << calls)));
        calls += 1;
        let summary = label::<ToriPosition>(&options(&games, parts.clone(), 2, stop)).unwrap();
        if summary.complete {
            break;
        }
    }
    assert_eq!(contents(&parts), contents(&whole));

    // Nothing is left to do, and other settings are refused.
    let again = label::<ToriPosition>(&options(&games, whole.clone(), 1, never())).unwrap();
    assert!(again.complete);
    let other = LabelOptions {
        successors: 1,
        ..options(&games, whole.clone(), 1, never())
    };
    let error = label::<ToriPosition>(&other).unwrap_err().to_string();
    assert!(error.contains("successors 2, not 1"), "{error}");
    fs::remove_file(games.join("00000000.games")).unwrap();
    let error = label::<ToriPosition>(&options(&games, whole, 1, never())).unwrap_err();
    assert!(error.to_string().contains("same games"), "{error}");
}

#[test]
fn what_cannot_be_labelled_is_refused_in_words() {
    let root = tempfile::tempdir().unwrap();
    let games = games(root.path());
    let options = |out: &str| options(&games, root.path().join(out), 1, Stop::after(None));
    let error = label::<EternalPosition>(&options("a"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("no Eternal chess"), "{error}");
    let error = label::<MakrukPosition>(&options("b"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("no game of makruk"), "{error}");
    let teacher = |spec: &str| LabelOptions {
        labeller: Labeller::Teacher(spec.parse().unwrap()),
        ..options("c")
    };
    for (spec, words) in [
        ("engine", "needs a limit"),
        ("engine?movetime=5", "not by movetime=5"),
    ] {
        let error = label::<ToriPosition>(&teacher(spec))
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{error}");
    }
    assert!(!root.path().join("a").exists() && !root.path().join("c").exists());
}
