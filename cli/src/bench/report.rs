use std::io::{Write, stdout};

use serde_json::{Map, Value};

/// Lines as they are measured, or one JSON object at the end.
pub(crate) struct BenchReport {
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

    pub(crate) fn line(&self, line: &str) -> anyhow::Result<()> {
        if !self.json {
            writeln!(stdout(), "{line}")?;
        }
        Ok(())
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.into(), value);
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        if self.json {
            writeln!(stdout(), "{}", Value::Object(self.values))?;
        }
        Ok(())
    }
}
