//! From text to a checked configuration, with everything that is wrong in one report.

use std::fs;
use std::path::Path;

use garuda_model::{Architecture, ArchitectureError, ConvShape, NetworkKind, sparse::SparseShape};
use garuda_rules::{RuleSet, with_rule_set};
use serde::Deserialize;
use thiserror::Error;
use toml::{Table, Value};

use super::problems::Problems;
use super::settings::{Config, NetworkSettings};
use crate::PlayerSpec;

/// Why there is no configuration: every problem, not just the first.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{source_name}: {}", list(problems))]
pub struct ConfigError {
    source_name: String,
    problems: Vec<String>,
}

impl ConfigError {
    pub(crate) fn new(source_name: impl Into<String>, problems: Vec<String>) -> ConfigError {
        ConfigError {
            source_name: source_name.into(),
            problems,
        }
    }

    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

fn list(problems: &[String]) -> String {
    match problems {
        [only] => only.clone(),
        _ => {
            let lines: String = problems.iter().map(|p| format!("\n  - {p}")).collect();
            format!("{} problems{lines}", problems.len())
        }
    }
}

impl Config {
    /// Reads a file and applies `settings`, each of the form `section.key=value`, over it.
    pub fn read(path: &Path, settings: &[String]) -> Result<Config, ConfigError> {
        let name = path.display().to_string();
        Config::parse(&name, &read_text(path, &name)?, settings)
    }

    /// Reads a file that has every key. Of a run's own configuration a key that is missing was
    /// lost: its default need not be what the run was started with.
    pub(crate) fn read_complete(path: &Path) -> Result<Config, ConfigError> {
        let name = path.display().to_string();
        parse(&name, &read_text(path, &name)?, &[], MissingKeys::Refused)
    }

    /// The same from a text that `name` stands for in messages.
    pub fn parse(name: &str, text: &str, settings: &[String]) -> Result<Config, ConfigError> {
        parse(name, text, settings, MissingKeys::Default)
    }

    /// This configuration with `settings`, each of the form `section.key=value`, applied over it.
    pub fn with_settings(&self, settings: &[String]) -> Result<Config, ConfigError> {
        Config::parse("--set", &self.to_toml(), settings)
    }

    /// The whole configuration as text.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a configuration of plain values has a TOML form")
    }

    pub(super) fn to_table(&self) -> Table {
        Table::try_from(self).expect("a configuration of plain values has a TOML form")
    }

    pub fn rule_set(&self) -> RuleSet {
        self.game.rules.parse().expect("a checked configuration")
    }

    /// What no range of a single key can say.
    fn check_sense(&self, problems: &mut Problems) {
        match self.game.rules.parse::<RuleSet>() {
            Err(e) => problems.add(format!("game.rules: {e}")),
            Ok(rule_set) if !self.game.start.is_empty() => {
                let start = &self.game.start;
                if let Err(e) = with_rule_set!(rule_set, P => start.parse::<P>().map(drop)) {
                    problems.add(format!("game.start: {e}"));
                }
            }
            Ok(_) => {}
        }
        let search = &self.search;
        if search.simulations.is_empty() {
            problems.add("search.simulations must have at least one entry");
        }
        if search.simulations.len() != search.simulations_from.len() {
            problems.add(format!(
                "search.simulations has {} entries and search.simulations_from {}: they must be as many",
                search.simulations.len(),
                search.simulations_from.len()
            ));
        }
        if search.simulations_from.first().is_some_and(|&n| n != 0) {
            problems.add("search.simulations_from must begin with 0");
        }
        if !search.simulations_from.is_sorted_by(|a, b| a < b) {
            problems.add("search.simulations_from must rise");
        }
        if !self.training.lr_drops.is_sorted_by(|a, b| a < b) {
            problems.add("training.lr_drops must rise");
        }
        if self.selfplay.varied_start_prob_end > self.selfplay.varied_start_prob {
            problems.add(format!(
                "selfplay.varied_start_prob_end ({}) must not exceed selfplay.varied_start_prob ({})",
                self.selfplay.varied_start_prob_end, self.selfplay.varied_start_prob
            ));
        }
        if !self.evaluation.games.is_multiple_of(2) {
            problems.add(format!(
                "evaluation.games must be even, for games are played in pairs, not {}",
                self.evaluation.games
            ));
        }
        if u64::from(self.training.batch) > self.replay.window_min {
            problems.add(format!(
                "training.batch ({}) must not exceed replay.window_min ({})",
                self.training.batch, self.replay.window_min
            ));
        }
        if self.evaluation.regression_elo > 0.0
            && self.checkpoint.keep_optimizer_states <= self.evaluation.every
        {
            problems.add(format!(
                "checkpoint.keep_optimizer_states ({}) must exceed evaluation.every ({}), or there is nothing to return to after a regression",
                self.checkpoint.keep_optimizer_states, self.evaluation.every
            ));
        }
        if let Err(e) = self.network.architecture() {
            problems.add(format!("network: {e}"));
        }
        let judge = &self.bootstrap.evaluator;
        if !["uniform", "material"].contains(&judge.as_str()) {
            problems.add(format!(
                "bootstrap.evaluator must be \"uniform\" or \"material\", not {judge:?}"
            ));
        }
        let phases = &self.machine.phases;
        if !["auto", "alternate", "overlap"].contains(&phases.as_str()) {
            problems.add(format!(
                "machine.phases must be \"auto\", \"alternate\" or \"overlap\", not {phases:?}"
            ));
        }
        for anchor in &self.evaluation.anchors {
            match anchor.parse() {
                Ok(PlayerSpec::Random | PlayerSpec::AlphaBeta(_)) => {}
                Ok(PlayerSpec::Uci(engine)) if engine.limit.is_some() => {}
                Ok(PlayerSpec::Uci(_)) => problems.add(format!(
                    "evaluation.anchors: {anchor:?} must say how long it may think, as in \"uci:<command>?nodes=1000\""
                )),
                Ok(PlayerSpec::Model(_)) => problems.add(format!(
                    "evaluation.anchors: there is no player {anchor:?}; there are \"random\", \"alphabeta\", \"alphabeta:<nodes>\" and \"uci:<command>?nodes=<nodes>\""
                )),
                Err(e) => problems.add(format!("evaluation.anchors: {anchor:?}: {e:#}")),
            }
        }
    }
}

impl NetworkSettings {
    pub fn architecture(&self) -> Result<Architecture, ArchitectureError> {
        match self.kind {
            NetworkKind::Conv => Ok(ConvShape::new(self.blocks, self.channels)?.into()),
            NetworkKind::Sparse => Ok(SparseShape::new(self.width, self.hidden)?.into()),
        }
    }
}

/// What becomes of keys that a file does not have.
#[derive(Copy, Clone, PartialEq, Eq)]
enum MissingKeys {
    Default,
    Refused,
}

fn read_text(path: &Path, name: &str) -> Result<String, ConfigError> {
    let bytes =
        fs::read(path).map_err(|e| ConfigError::new(name, vec![format!("not read: {e}")]))?;
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        ConfigError::new(name, vec![format!("not UTF-8 from byte {at} on")])
    })
}

fn parse(
    name: &str,
    text: &str,
    settings: &[String],
    missing: MissingKeys,
) -> Result<Config, ConfigError> {
    let mut problems = Problems::default();
    let mut table = match text.parse::<Table>() {
        Ok(table) => table,
        Err(e) => {
            let e = e.to_string();
            return Err(ConfigError::new(name, vec![e.trim_end().to_owned()]));
        }
    };
    if missing == MissingKeys::Refused {
        report_missing(&table, &mut problems);
    }
    for setting in settings {
        if let Err(problem) = apply(&mut table, setting) {
            problems.add(problem);
        }
    }
    let config = resolve(table, &mut problems);
    config.check_ranges(&mut problems);
    config.check_sense(&mut problems);
    match problems.into_vec() {
        problems if problems.is_empty() => Ok(config),
        problems => Err(ConfigError::new(name, problems)),
    }
}

fn report_missing(table: &Table, problems: &mut Problems) {
    for (section, entries) in Config::default().to_table() {
        let Some(found) = table.get(&section).and_then(Value::as_table) else {
            problems.add(format!("the section [{section}] is missing"));
            continue;
        };
        for (key, _) in entries.as_table().into_iter().flatten() {
            if !found.contains_key(key) {
                problems.add(format!("{section}.{key} is missing"));
            }
        }
    }
}

/// Sets one key, given as `section.key=value`. A value that is not TOML is taken as a string.
fn apply(table: &mut Table, setting: &str) -> Result<(), String> {
    let shape = || format!("--set {setting:?} must look like section.key=value");
    let (path, text) = setting.split_once('=').ok_or_else(shape)?;
    let (section, key) = path.trim().split_once('.').ok_or_else(shape)?;
    let text = text.trim();
    let value = format!("value = {text}")
        .parse::<Table>()
        .ok()
        .and_then(|mut parsed| parsed.remove("value"))
        .unwrap_or_else(|| Value::String(text.to_owned()));
    table
        .entry(section)
        .or_insert_with(|| Value::Table(Table::new()))
        .as_table_mut()
        .ok_or_else(|| format!("{section} must be a section, [{section}]"))?
        .insert(key.to_owned(), value);
    Ok(())
}

/// Takes every sound key of `table` over the defaults and reports the others.
fn resolve(table: Table, problems: &mut Problems) -> Config {
    let known = Config::default().to_table();
    let mut resolved = known.clone();
    for (section, entries) in table {
        let Some(known_entries) = known.get(&section).and_then(Value::as_table) else {
            let near = nearest(&section, known.keys().map(String::as_str));
            problems.add(format!("there is no section [{section}]{near}"));
            continue;
        };
        let Value::Table(entries) = entries else {
            problems.add(format!("{section} must be a section, [{section}]"));
            continue;
        };
        for (key, value) in entries {
            let path = format!("{section}.{key}");
            let Some(default) = known_entries.get(&key) else {
                let all = keys(&known).map(|(s, k, _)| format!("{s}.{k}"));
                let all: Vec<_> = all.collect();
                let near = nearest(&path, all.iter().map(String::as_str));
                problems.add(format!("there is no key {path}{near}"));
                continue;
            };
            match typed(&section, &key, value, default) {
                Ok(value) => resolved[&section][&key] = value,
                Err(problem) => problems.add(format!("{path} {problem}")),
            }
        }
    }
    Config::deserialize(resolved).expect("every key was tried alone")
}

/// The value, if it has the type of the key's default.
fn typed(section: &str, key: &str, value: Value, default: &Value) -> Result<Value, String> {
    let value = match (value, default) {
        (Value::Integer(n), Value::Float(_)) => Value::Float(n as f64),
        (value, _) => value,
    };
    let wrong = |value: &Value| format!("must be {}, not {value}", kind(default));
    if !value.same_type(default) {
        return Err(wrong(&value));
    }
    let mut keys = Table::new();
    keys.insert(key.to_owned(), value.clone());
    let mut sections = Table::new();
    sections.insert(section.to_owned(), Value::Table(keys));
    match Config::deserialize(sections) {
        Ok(_) => Ok(value),
        // A string of the wrong content is one of an enum.
        Err(e) if value.is_str() => Err(format!("is {value}: {}", e.message())),
        Err(_) => Err(wrong(&value)),
    }
}

fn kind(default: &Value) -> &'static str {
    match default {
        Value::String(_) => "a string",
        Value::Integer(_) => "a whole number, not negative",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Array(items) if items.iter().all(Value::is_str) => "a list of strings",
        Value::Array(_) => "a list of whole numbers, none negative",
        Value::Datetime(_) | Value::Table(_) => "of another kind",
    }
}

/// A hint at the known name most like `name`, if any is like it.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    known
        .map(|k| (strsim::damerau_levenshtein(name, k), k))
        .min()
        .filter(|(distance, k)| *distance <= 2 + k.len() / 4)
        .map_or_else(String::new, |(_, k)| format!("; did you mean {k}?"))
}

/// Section, key and value of everything in a two-level table.
pub(super) fn keys(table: &Table) -> impl Iterator<Item = (&str, &str, &Value)> {
    table.iter().flat_map(|(section, entries)| {
        entries
            .as_table()
            .into_iter()
            .flatten()
            .map(move |(key, value)| (section.as_str(), key.as_str(), value))
    })
}
