use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::CheckpointError;

/// Writes a directory of files (names, contents) that is seen whole or not at all, also after a
/// crash or a loss of power.
pub(super) fn write<'a>(
    directory: &Path,
    files: impl Iterator<Item = &'a (&'static str, Vec<u8>)>,
) -> Result<(), CheckpointError> {
    let unfinished = unfinished(directory);
    let result = fill(&unfinished, files).and_then(|()| publish(&unfinished, directory));
    result.map_err(|source| {
        // A full disk must not be made fuller by what is left of the attempt.
        let _ = fs::remove_dir_all(&unfinished);
        CheckpointError::Write {
            path: directory.to_owned(),
            source,
        }
    })
}

fn fill<'a>(
    directory: &Path,
    files: impl Iterator<Item = &'a (&'static str, Vec<u8>)>,
) -> io::Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir(directory)?;
    for (name, contents) in files {
        let mut file = File::create_new(directory.join(name))?;
        file.write_all(contents)?;
        file.sync_all()?;
    }
    File::open(directory)?.sync_all()
}

fn publish(unfinished: &Path, directory: &Path) -> io::Result<()> {
    // Renaming would replace an empty directory.
    if directory.exists() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(unfinished, directory)?;
    let parent = match directory.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    File::open(parent)?.sync_all()
}

fn unfinished(directory: &Path) -> PathBuf {
    let mut name = OsString::from(directory);
    name.push(".tmp");
    name.into()
}
