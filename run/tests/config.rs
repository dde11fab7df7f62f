//! Configurations: strict, and all problems in one report.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use garuda_rules::RuleSet;
use garuda_run::config::Config;
use proptest::prelude::*;
use toml::{Table, Value};

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs")
}

fn problems(text: &str, settings: &[&str]) -> Vec<String> {
    let settings: Vec<_> = settings.iter().map(|&s| s.to_owned()).collect();
    Config::parse("test", text, &settings)
        .expect_err("it has problems")
        .problems()
        .to_vec()
}

fn keys(table: &Table) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (section, entries) in table {
        for key in entries.as_table().expect("all keys are in sections").keys() {
            out.insert(format!("{section}.{key}"));
        }
    }
    out
}

#[test]
fn reference_is_complete_and_has_the_defaults() {
    let text = fs::read_to_string(configs().join("reference.toml")).unwrap();
    let reference: Table = text.parse().unwrap();
    let defaults: Table = Config::default().to_toml().parse().unwrap();
    assert_eq!(keys(&reference), keys(&defaults));
    assert_eq!(
        Config::parse("reference", &text, &[]).unwrap(),
        Config::default()
    );
    // Each key is explained, alone or with the one above it.
    let lines: Vec<_> = text.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        if line.contains('=') && !line.starts_with('#') {
            let explained = lines[i - 1].starts_with('#') || lines[i - 2].starts_with('#');
            assert!(explained, "{line} has no comment");
        }
    }
}

#[test]
fn every_configuration_is_valid_and_plays_what_its_name_says() {
    let mut seen = 0;
    for entry in fs::read_dir(configs()).unwrap() {
        let path = entry.unwrap().path();
        let config = Config::read(&path, &[]).unwrap_or_else(|e| panic!("{e}"));
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let named = stem.split_once("-quick").map_or(stem, |(name, _)| name);
        if let Ok(rules) = named.parse() {
            seen += 1;
            assert_eq!(config.game.rules, rules, "{stem}");
        }
    }
    assert_eq!(seen, 7, "five rule sets, one quick run, and the example");
}

#[test]
fn all_problems_come_in_one_report() {
    let text = r#"
        [game]
        rules = "chess"
        [training]
        bach_size = 256
        learning_rate = "fast"
        grad_clip_norm = -1.0
        batch_size = 0
        [search]
        simulations = [24, 32]
        simulations_from = [5]
        [selfplay]
        varied_start_prob = 0.1
        varied_start_prob_end = 0.2
        [evaluation]
        games = 7
        anchors = ["stockfish", "uci:engine", "uci:engine?nodes=few", "uci:engine?nodes=5"]
        [bootstrap]
        evaluator = "me"
        [machine]
        phases = "both"
        [replai]
        mirror = true
    "#;
    let found = problems(text, &["network.chanels=64", "nonsense", "run.seed=-1"]);
    for expected in [
        "chess",
        "training.bach_size; did you mean training.batch_size?",
        "training.learning_rate must be a number",
        "training.grad_clip_norm must be from",
        "training.batch_size must be from",
        "search.simulations has 2 entries",
        "search.simulations_from must start with 0",
        "selfplay.varied_start_prob_end",
        "evaluation.games must be even",
        "\"stockfish\"",
        "\"uci:engine\" must say how long it may think",
        "\"uci:engine?nodes=few\": nodes=few: \"few\" is not a whole number above 0",
        "bootstrap.evaluator: unknown variant `me`, expected `uniform` or `material`",
        "machine.phases: unknown variant `both`, expected one of `auto`, `alternate`, `overlap`",
        "[replai]; did you mean replay?",
        "network.chanels; did you mean network.channels?",
        "\"nonsense\" must look like",
        "run.seed must be a whole number, not negative",
    ] {
        let hits = found.iter().filter(|p| p.contains(expected)).count();
        assert_eq!(hits, 1, "{expected} in {found:#?}");
    }
    assert_eq!(found.len(), 18, "{found:#?}");
}

#[test]
fn settings_win_over_the_file_and_strings_need_no_quotes() {
    let settings = [
        "game.rules=makruk",
        "training.batch_size=64",
        "training.grad_clip_norm=2",
    ];
    let settings: Vec<_> = settings.map(str::to_owned).into();
    let config = Config::parse("test", "[training]\nbatch_size = 128\n", &settings).unwrap();
    assert_eq!(config.game.rules, RuleSet::Makruk);
    assert_eq!(config.training.batch_size, 64);
    assert_eq!(config.training.grad_clip_norm, 2.0);
}

#[test]
fn what_cannot_be_read_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.toml");
    let missing = Config::read(&path, &[]).unwrap_err().to_string();
    assert!(
        missing.contains("bad.toml") && missing.contains("not read"),
        "{missing}"
    );
    fs::write(&path, b"[game]\nrules = \"\xff\xfe\"\n").unwrap();
    let binary = Config::read(&path, &[]).unwrap_err().to_string();
    assert!(binary.contains("not UTF-8 from byte 16"), "{binary}");
    fs::write(&path, "[game\n").unwrap();
    assert!(Config::read(&path, &[]).is_err());
    assert!(Config::read(dir.path(), &[]).is_err());
}

#[test]
fn a_start_must_be_a_position_of_the_game() {
    let found = problems("[game]\nrules = \"makruk\"\nstart = \"8/8 w\"\n", &[]);
    assert!(found[0].starts_with("game.start: "), "{found:?}");
}

#[test]
fn a_resolved_configuration_reads_back_equal() {
    let settings = [
        "run.seed=7".to_owned(),
        "selfplay.temperature=0.5".to_owned(),
    ];
    let config = Config::parse("test", "", &settings).unwrap();
    assert_eq!(
        Config::parse("test", &config.to_toml(), &[]).unwrap(),
        config
    );
    let differences = Config::default().differences(&config);
    assert_eq!(differences.len(), 2, "{differences:?}");
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,200}", settings in prop::collection::vec(".{0,40}", 0..3)) {
        let _ = Config::parse("test", &text, &settings);
    }

    #[test]
    fn no_value_panics(
        key in 0usize..200,
        value in prop_oneof![
            any::<i64>().prop_map(Value::Integer),
            any::<f64>().prop_map(Value::Float),
            any::<bool>().prop_map(Value::Boolean),
            ".{0,20}".prop_map(Value::String),
            prop::collection::vec(any::<i64>().prop_map(Value::Integer), 0..4).prop_map(Value::Array),
        ],
    ) {
        let defaults: Table = Config::default().to_toml().parse().unwrap();
        let keys: Vec<_> = keys(&defaults).into_iter().collect();
        let key = &keys[key % keys.len()];
        if let Ok(config) = Config::parse("test", "", &[format!("{key}={value}")]) {
            prop_assert_eq!(Config::parse("test", &config.to_toml(), &[]).unwrap(), config);
        }
    }
}
