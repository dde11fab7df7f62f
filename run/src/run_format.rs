//! `run.json`: which version of Garuda made a run directory.

use std::path::Path;
use std::{fs, io};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::files::write_atomically;

pub(crate) const FILE: &str = "run.json";

/// Raised when a run directory is laid out differently, or the same settings mean something else.
/// There is no conversion: a run stays with the version that made it.
const FORMAT: u32 = 2;
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Serialize, Deserialize)]
struct RunFormat {
    format: u32,
    /// Of the program that made the run.
    version: String,
}

pub(crate) fn write(run: &Path) -> anyhow::Result<()> {
    let format = RunFormat {
        format: FORMAT,
        version: VERSION.to_owned(),
    };
    let text = serde_json::to_string_pretty(&format)? + "\n";
    write_atomically(&run.join(FILE), text.as_bytes())
}

/// Refuses a run that a version with another layout made.
pub(crate) fn check(run: &Path) -> anyhow::Result<()> {
    let path = run.join(FILE);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => bail!(
            "{} was made by Garuda 0.1, and this is Garuda {VERSION}: start a new run",
            run.display()
        ),
        Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
    };
    let found: RunFormat = serde_json::from_slice(&text)
        .with_context(|| format!("{} does not say which version made the run", path.display()))?;
    if found.format != FORMAT {
        bail!(
            "{} was made by Garuda {} (run format {}), and this is Garuda {VERSION} (run format \
             {FORMAT}): use that version, or start a new run",
            run.display(),
            found.version.escape_debug(),
            found.format,
        );
    }
    Ok(())
}
