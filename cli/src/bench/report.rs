use std::io::{Write, stdout};

use serde_json::{Map, Value};

/// Lines as they are measured, or one JSON object at the end.
#[derive(Debug)]
pub struct BenchReport {
    json: bool,
    values: Map<String, Value>,
}

impl BenchReport {
    pub(crate) fn new(json: bool) -> BenchReport {
        BenchReport {
            json,
            values: Map::new(),
        }
    }

    /// A line for people.
    pub fn line(&self, line: &str) -> anyhow::Result<()> {
        if !self.json {
            writeln!(stdout(), "{line}")?;
        }
        Ok(())
    }

    /// Sets a value of the JSON object.
    pub fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.into(), value);
    }

    /// Sets `name.game.kind`, or `name.game` without a kind.
    pub fn set_in(&mut self, name: &str, game: &str, kind: &str, value: Value) {
        let entry = self.values.entry(name).or_insert_with(|| Map::new().into());
        let mut at = &mut entry[game];
        if !kind.is_empty() {
            at = &mut at[kind];
        }
        *at = value;
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        if self.json {
            writeln!(stdout(), "{}", Value::Object(self.values))?;
        }
        Ok(())
    }
}
