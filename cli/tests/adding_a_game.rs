//! `docs/adding-a-game.md`: its code is the example's, and its commands work.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

const PAGE: &str = include_str!("../../docs/adding-a-game.md");

/// Settings that make training a matter of seconds.
const TINY: [&str; 4] = [
    "bootstrap.positions=200",
    "checkpoint.positions=200",
    "replay.window_min=256",
    "evaluation.games=2",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The code blocks of a language.
fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    let opening = format!("\n```{language}\n");
    let parts: Vec<_> = PAGE.split(opening.as_str()).skip(1).collect();
    assert!(!parts.is_empty(), "no {language} on the page");
    parts
        .into_iter()
        .map(|part| part.split_once("\n```").expect("a block ends").0)
}

/// The lines without indentation, which a page may change.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).collect()
}

#[test]
fn the_code_is_in_the_tree() {
    let files = [
        "rules/src/mini_makruk/mod.rs",
        "rules/src/mini_makruk/fen.rs",
        "rules/src/lib.rs",
        "rules/src/rule_set.rs",
        "configs/mini-makruk.toml",
    ];
    let files = files.map(|file| fs::read_to_string(repository().join(file)).unwrap());
    for block in blocks("rust").chain(blocks("toml")) {
        let block_lines = lines(block);
        let is_in = |file: &String| {
            lines(file)
                .windows(block_lines.len())
                .any(|window| window == block_lines)
        };
        assert!(files.iter().any(is_in), "not in the tree:\n{block}");
    }
}

#[test]
fn the_commands_work() {
    let scratch = tempfile::tempdir().unwrap();
    fs::create_dir(scratch.path().join("configs")).unwrap();
    let config = "configs/mini-makruk.toml";
    fs::copy(repository().join(config), scratch.path().join(config)).unwrap();
    let commands = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("    scripts/garuda "));
    let mut outputs = Vec::new();
    for command in commands {
        let arguments: Vec<_> = command.split_whitespace().collect();
        let shortened: &[&str] = match arguments[0] {
            "train" => &TINY,
            _ => &[],
        };
        let output = Command::new(env!("CARGO_BIN_EXE_garuda"))
            .args(&arguments)
            .args(shortened.iter().flat_map(|setting| ["--set", setting]))
            .current_dir(scratch.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {errors}");
        outputs.push(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let [perft, train, played, openings] = outputs.try_into().unwrap();
    assert!(perft.contains("4904"), "{perft}");
    assert!(
        scratch.path().join("runs/mini/checkpoints/000002").is_dir(),
        "{train}"
    );
    assert!(played.contains("20 games"), "{played}");
    assert!(
        openings.contains("Mini-Makruk from the start"),
        "{openings}"
    );
    assert!(scratch.path().join("runs/mini/openings.html").is_file());
}
