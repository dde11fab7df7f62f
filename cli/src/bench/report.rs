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

    /// The value of a name, set to `default` if there is none.
    #[cfg(feature = "torch")]
    pub(super) fn entry(&mut self, name: &str, default: impl FnOnce() -> Value) -> &mut Value {
        self.values.entry(name).or_insert_with(default)
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        if self.json {
            writeln!(stdout(), "{}", Value::Object(self.values))?;
        }
        Ok(())
    }
}
