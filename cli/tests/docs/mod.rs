//! Every command in the documentation is one that the programs accept: pages, the comments of
//! configurations, and the examples in help texts.

mod snippets;

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory};
use garuda_rules::{RuleSet, with_rule_set};
use garuda_run::config::Config;

use snippets::{Snippet, commands, snippets};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const PROGRAMS: [&str; 3] = ["garuda", "garuda-train", "garuda-engine"];
/// What programs make, and pages of others.
const SKIPPED: [&str; 5] = ["target", "native", "runs", "labels", "node_modules"];
/// It names options that earlier versions had.
const CHANGES: &str = "CHANGELOG.md";

#[test]
fn every_command_in_the_documentation_is_accepted() {
    let mut texts = Vec::new();
    for page in pages(Path::new(ROOT)) {
        let text = fs::read_to_string(&page).unwrap();
        let name = page.strip_prefix(ROOT).unwrap().display().to_string();
        let found = match page.extension() {
            Some(extension) if extension == "toml" => snippets(&comments(&text), 4),
            _ => snippets(&text, 4),
        };
        texts.push((name, found));
    }
    let mut help = garuda_cli::command();
    for command in [&mut help]
        .into_iter()
        .chain(garuda_cli::command().get_subcommands_mut())
    {
        let name = format!("garuda {} --help", command.get_name());
        texts.push((
            name,
            examples(&command.get_after_long_help().unwrap().to_string()),
        ));
    }
    let (count, faults) = check(&texts);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    // They are found at all.
    assert!(count > 200, "{count} commands");
}

#[test]
fn a_command_that_would_be_refused_is_found() {
    let page = "\
Text with `garuda match random
alphabeta --game` and `garuda openings --visit 0` in it.

    scripts/garuda train configs/tori.toml --set network.width=256 # a comment
    scripts/garuda train configs/tori.toml --set \\
        network.widht=256
    for i in 1 2; do scripts/garuda perft makruk $i; done
    scripts/garuda perft | head
    ls && exec target/release/garuda-engine bench --thread 2

```text
garuda perft makurk 3
garuda perft makruk 3 --fen '8/8 w'
```
";
    let (count, faults) = check(&[("page".to_owned(), snippets(page, 4))]);
    let expected = [
        "page:2: garuda openings --visit 0: unexpected argument '--visit'",
        "page:5: garuda train",
        "page:8: garuda perft: the following required arguments",
        "page:9: garuda-engine bench --thread 2: unexpected argument '--thread'",
        "page:12: garuda perft makurk 3: invalid value 'makurk'",
        "page:13: garuda perft makruk 3 --fen 8/8 w: ",
    ];
    assert_eq!(count, 9);
    assert_eq!(faults.len(), expected.len(), "{faults:#?}");
    for (fault, expected) in faults.iter().zip(expected) {
        assert!(fault.starts_with(expected), "{fault}");
    }
}

fn pages(directory: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_config = path
            .extension()
            .is_some_and(|extension| extension == "toml")
            && directory.ends_with("configs");
        if name.starts_with('.') || SKIPPED.contains(&name.as_str()) || name == CHANGES {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            found.extend(pages(&path));
        } else if name.ends_with(".md") || is_config {
            found.push(path);
        }
    }
    found
}

/// The comments of a configuration, in the same lines.
fn comments(text: &str) -> String {
    text.lines()
        .map(|line| line.strip_prefix("# ").unwrap_or_default().to_owned() + "\n")
        .collect()
}

/// The examples at the end of a help text: indented by two spaces, and explained after two more.
fn examples(text: &str) -> Vec<Snippet> {
    let mut found = snippets(text, 2);
    for snippet in found.iter_mut().filter(|snippet| snippet.is_whole) {
        let end = snippet.code.find("  ").unwrap_or(snippet.code.len());
        snippet.code.truncate(end);
    }
    found
}

/// How many commands the texts have, and what is wrong with them.
fn check(texts: &[(String, Vec<Snippet>)]) -> (usize, Vec<String>) {
    let mut count = 0;
    let mut faults = Vec::new();
    for (name, snippets) in texts {
        for snippet in snippets {
            let place = format!("{name}:{}", snippet.line);
            match commands(&snippet.code, &PROGRAMS) {
                Ok(commands) => {
                    for words in commands {
                        count += 1;
                        if let Err(fault) = accept(&words, snippet.is_whole) {
                            faults.push(format!("{place}: {}: {fault}", words.join(" ")));
                        }
                    }
                }
                Err(fault) => faults.push(format!("{place}: {}: {fault}", snippet.code)),
            }
        }
    }
    (count, faults)
}

/// Whether the program would take these words, with something sensible for what only stands for a value.
fn accept(words: &[String], is_whole: bool) -> Result<(), String> {
    let mut filled: Vec<String> = words.iter().filter_map(|word| fill(word)).collect();
    let command = match words[0].as_str() {
        "garuda-engine" => garuda_engine::Arguments::command(),
        _ => garuda_cli::command(),
    };
    // `garuda COMMAND --help`
    if filled.get(1).is_some_and(|name| name == "COMMAND") {
        filled[1] = "status".to_owned();
    }
    for word in &filled[1..] {
        let is_ours = word.starts_with("configs/") || word.starts_with("nets/");
        if is_ours && !Path::new(ROOT).join(word).exists() {
            return Err(format!("{word} does not exist"));
        }
    }
    let matches = match command.try_get_matches_from(&filled) {
        Ok(matches) => matches,
        Err(error) => {
            let lacks = |kind| matches!(error.get(kind), Some(ContextValue::String(value)) if value.is_empty());
            let is_left_out = match error.kind() {
                ErrorKind::MissingRequiredArgument
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => true,
                ErrorKind::InvalidValue => lacks(ContextKind::InvalidValue),
                _ => false,
            };
            let is_help = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            if is_help || is_left_out && !is_whole {
                return Ok(());
            }
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            return Err(line.trim_start_matches("error: ").to_owned());
        }
    };
    match matches.subcommand() {
        Some(("train", train)) => accept_settings(train),
        Some(("perft", perft)) => accept_fen(perft),
        _ => Ok(()),
    }
}

/// A word without what stands for something else: N is a number, a variable of the shell may be one, and
/// an ellipsis is nothing.
fn fill(word: &str) -> Option<String> {
    match word {
        "…" => None,
        "N" => Some("1".to_owned()),
        // As in `nodes=N`.
        _ if word.ends_with("=N") => Some(word[..word.len() - 1].to_owned() + "1"),
        _ if word.starts_with('$') => Some("1".to_owned()),
        _ => Some(word.to_owned()),
    }
}

fn accept_fen(perft: &ArgMatches) -> Result<(), String> {
    let rules: RuleSet = *perft.get_one("game").expect("the argument is required");
    let Some(fen) = perft.get_one::<String>("fen") else {
        return Ok(());
    };
    with_rule_set!(rules, P => fen.parse::<P>().map(drop).map_err(|error| error.to_string()))
}

/// The overrides of a configuration name keys that it has, and values that these can have: in the file
/// that is named, or in any if that is a run or stands for one.
fn accept_settings(train: &ArgMatches) -> Result<(), String> {
    let settings: Vec<String> = (train.get_many("settings").into_iter().flatten())
        .cloned()
        .collect();
    let named: &PathBuf = train.get_one("config").expect("the argument is required");
    let named = Path::new(ROOT).join(named);
    let configs = if named.is_file() {
        vec![named]
    } else {
        let mut all = pages(&Path::new(ROOT).join("configs"));
        all.retain(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        });
        all
    };
    let mut fault = String::new();
    for config in configs {
        match Config::read(&config, &settings) {
            Ok(_) => return Ok(()),
            Err(error) => fault = error.to_string(),
        }
    }
    Err(fault)
}
