//! From text to a checked configuration, with everything that is wrong in one report.

use std::fs;
use std::path::Path;

use garuda_model::{Architecture, ArchitectureError, ConvShape, NetworkKind, sparse::SparseShape};
use garuda_rules::Position;
use thiserror::Error;
use toml::{Table, Value};

use super::problems::Problems;
use super::resolve::{apply, resolve};
use super::settings::{Config, NetworkSettings};
use crate::text::one_line;

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
            // It may be a path, with any characters.
            source_name: one_line(&source_name.into()).into_owned(),
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

    /// The position that games start from. `P` must be of the configuration's rule set.
    pub fn start<P: Position>(&self) -> P {
        match self.game.start.as_str() {
            "" => P::start(),
            text => text
                .parse()
                .unwrap_or_else(|_| unreachable!("a checked configuration has a valid start")),
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
