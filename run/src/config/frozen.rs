//! The settings that a run is bound to, and what happens when they change.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use tracing::warn;

use super::read::ConfigError;
use super::resolve::keys;
use super::settings::Config;

/// Sections that may differ each time a run is resumed: they do not change what is learned.
const FREE: [&str; 3] = ["machine", "output", "openings"];

/// Whether a run may continue with settings other than those it was started with.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum ConfigChange {
    #[default]
    Refused,
    /// Accepted and logged, except for what the files of a run depend on.
    Accepted,
}

/// All settings of a run but those of the machine, the output and the statistics. A copy is kept
/// with each checkpoint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrozenSettings(Table);

/// A setting with two values.
struct Difference {
    key: String,
    /// "key is a, not b"
    text: String,
}

impl Difference {
    /// Checkpoints and records are those of one game, and weights those of one network.
    fn is_acceptable(&self) -> bool {
        self.key != "game.rules" && !self.key.starts_with("network.")
    }
}

impl FrozenSettings {
    pub fn of(config: &Config) -> FrozenSettings {
        let mut table = config.to_table();
        table.retain(|section, _| !FREE.contains(&section));
        FrozenSettings(table)
    }

    /// Compares the settings of a run with those it is asked to continue with.
    pub(crate) fn check_asked(
        &self,
        asked: &Config,
        file: &Path,
        change: ConfigChange,
    ) -> Result<(), ConfigError> {
        let advice = "a run continues with the settings it was started with: use another --run \
                      for other settings, or change them by --accept-config-change";
        let differences = differences(&self.0, &FrozenSettings::of(asked).0);
        check(differences, advice, file, change)
    }

    /// Compares these settings, which the checkpoint `name` was made with, with those that
    /// `file`, the run's own, holds now.
    pub fn check_file(
        &self,
        name: &str,
        now: &Config,
        file: &Path,
        change: ConfigChange,
    ) -> Result<(), ConfigError> {
        let advice = format!(
            "the settings were changed after checkpoint {name} was made: put them back, or accept \
             them by --accept-config-change"
        );
        let differences = differences(&FrozenSettings::of(now).0, &self.0);
        check(differences, &advice, file, change)
    }
}

fn check(
    differences: Vec<Difference>,
    advice: &str,
    file: &Path,
    change: ConfigChange,
) -> Result<(), ConfigError> {
    let file = file.display().to_string();
    let refused: Vec<_> = match change {
        ConfigChange::Refused => differences,
        ConfigChange::Accepted => {
            let (accepted, refused) =
                (differences.into_iter()).partition(Difference::is_acceptable);
            for Difference { text, .. } in accepted {
                warn!("{file}: change accepted: {text}");
            }
            refused
        }
    };
    if refused.is_empty() {
        return Ok(());
    }
    let mut problems: Vec<_> = (refused.into_iter().map(|d| d.text)).collect();
    problems.push(match change {
        ConfigChange::Refused => advice.to_owned(),
        ConfigChange::Accepted => {
            "the game and the network of a run cannot be changed: start another run".to_owned()
        }
    });
    Err(ConfigError::new(file, problems))
}

/// The settings whose values in `ours` and `theirs` are not the same.
fn differences(ours: &Table, theirs: &Table) -> Vec<Difference> {
    let value = |table: &Table, section: &str, key: &str| -> String {
        let value = table.get(section).and_then(|entries| entries.get(key));
        value.map_or_else(|| "missing".to_owned(), Value::to_string)
    };
    let only_theirs = keys(theirs).filter(|(section, key, _)| {
        let entries = ours.get(*section);
        entries.and_then(|entries| entries.get(key)).is_none()
    });
    keys(ours)
        .chain(only_theirs)
        .filter_map(|(section, key, _)| {
            let (here, there) = (value(ours, section, key), value(theirs, section, key));
            let key = format!("{section}.{key}");
            (here != there).then(|| Difference {
                text: format!("{key} is {here}, not {there}"),
                key,
            })
        })
        .collect()
}

impl Config {
    /// The settings whose values differ in `other`, with both values.
    pub fn differences(&self, other: &Config) -> Vec<String> {
        let differences = differences(&self.to_table(), &other.to_table());
        differences.into_iter().map(|d| d.text).collect()
    }
}
