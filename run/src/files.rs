//! Files of a run: written by the routines of `garuda_model::files`, with errors that name the path.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context;
use garuda_model::files::{self, UNFINISHED};

/// Replaces or creates a file, see [`files::write_atomically`].
pub fn write_atomically(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    files::write_atomically(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Makes a directory and all above it.
pub fn create_dir(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create directory {}", path.display()))
}

/// Removes what unfinished writes left in a directory, and returns how many.
pub(crate) fn sweep(dir: &Path) -> anyhow::Result<usize> {
    let sweep = || -> io::Result<usize> {
        let mut swept = 0;
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == UNFINISHED) {
                if path.is_dir() {
                    fs::remove_dir_all(&path)?;
                } else {
                    fs::remove_file(&path)?;
                }
                swept += 1;
            }
        }
        Ok(swept)
    };
    sweep().with_context(|| format!("cannot sweep {}", dir.display()))
}
