//! From a table of any content to typed settings.

use serde::Deserialize;
use toml::{Table, Value};

use super::problems::Problems;
use super::settings::Config;

/// Sets one key, given as `section.key=value`. A value that is not TOML is taken as a string.
pub(super) fn apply(table: &mut Table, setting: &str) -> Result<(), String> {
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
pub(super) fn resolve(table: Table, problems: &mut Problems) -> Config {
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
            if let Some(value) = typed(&section, &key, value, default, problems) {
                resolved[&section][&key] = value;
            }
        }
    }
    Config::deserialize(resolved).expect("every key was tried alone")
}

/// The value as the key's default has it: of a list all elements that can be used. Reports the rest.
fn typed(
    section: &str,
    key: &str,
    value: Value,
    default: &Value,
    problems: &mut Problems,
) -> Option<Value> {
    let value = match (value, default) {
        (Value::Integer(n), Value::Float(_)) => Value::Float(n as f64),
        (value, _) => value,
    };
    let wrong_type = |value: &Value| {
        let kind = kind(default);
        format!("{section}.{key} must be {kind}, not {value}")
    };
    if !value.same_type(default) {
        problems.add(wrong_type(&value));
        return None;
    }
    let Err(error) = try_alone(section, key, value.clone()) else {
        return Some(value);
    };
    match value {
        // A string that is not the name of something.
        Value::String(_) => {
            problems.add(format!("{section}.{key}: {}", error.message()));
            None
        }
        Value::Array(mut items) if is_of_strings(default) && items.iter().all(Value::is_str) => {
            items.retain(|item| {
                let alone = Value::Array(vec![item.clone()]);
                let error = try_alone(section, key, alone).err();
                if let Some(error) = &error {
                    problems.add(format!("{section}.{key}: {}", error.message()));
                }
                error.is_none()
            });
            Some(Value::Array(items))
        }
        value => {
            problems.add(wrong_type(&value));
            None
        }
    }
}

fn try_alone(section: &str, key: &str, value: Value) -> Result<Config, toml::de::Error> {
    let keys = Table::from_iter([(key.to_owned(), value)]);
    Config::deserialize(Table::from_iter([(section.to_owned(), Value::Table(keys))]))
}

fn is_of_strings(default: &Value) -> bool {
    matches!(default, Value::Array(items) if items.iter().all(Value::is_str))
}

fn kind(default: &Value) -> &'static str {
    match default {
        Value::String(_) => "a string",
        Value::Integer(_) => "a whole number, not negative",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Array(_) if is_of_strings(default) => "a list of strings",
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
