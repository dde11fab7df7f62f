//! Files that are either whole or not there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The ending of names that are not finished; whatever has it may be swept.
pub(crate) const UNFINISHED: &str = "tmp";

/// Replaces or creates a file: a reader sees the old content or the new one, also after a crash
/// at any moment, and once this returns the new one survives a loss of power.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let write = || -> io::Result<()> {
        let unfinished = unfinished(path);
        let mut file = File::create(&unfinished)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        if let Err(e) = written {
            // A full disk must not be made fuller by what is left of the attempt.
            let _ = fs::remove_file(&unfinished);
            return Err(e);
        }
        fs::rename(&unfinished, path)?;
        sync_dir(parent(path))
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Makes a directory and all above it.
pub fn create_dir(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create directory {}", path.display()))
}

/// Makes the entries of a directory survive a loss of power.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
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

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(UNFINISHED);
    name.into()
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
