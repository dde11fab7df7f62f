//! Files of a run: written by the routines of `garuda_model::files`, with errors that name the path.

use std::path::{Path, PathBuf};
use std::{fs, io, iter};

use anyhow::Context;
use garuda_model::files::{self, UNFINISHED};

/// Replaces or creates a file, see [`files::write_atomically`].
pub fn write_atomically(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    files::write_atomically(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// As [`write_atomically`], but fails if the file exists. Two writers of one name must exclude each
/// other by other means: the check and the creation are two steps.
pub(crate) fn write_new_atomically(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let write = || match path.try_exists()? {
        true => Err(io::ErrorKind::AlreadyExists.into()),
        false => files::write_atomically(path, bytes),
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Renames a file that cannot be used, so that it is out of the way but not lost, and returns the
/// new path.
pub(crate) fn set_aside(path: &Path) -> anyhow::Result<PathBuf> {
    let mut name = path.as_os_str().to_owned();
    name.push(".damaged");
    let free = free_path(Path::new(&name));
    fs::rename(path, &free)
        .with_context(|| format!("cannot rename {} to {}", path.display(), free.display()))?;
    Ok(free)
}

/// The path, or if that exists the first of `path-2`, `path-3` and so on that does not.
pub(crate) fn free_path(path: &Path) -> PathBuf {
    let numbered = (2u64..).map(|i| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!("-{i}"));
        PathBuf::from(name)
    });
    (iter::once(path.to_owned()).chain(numbered))
        .find(|path| fs::symlink_metadata(path).is_err())
        .expect("there are more numbers than files")
}

/// Makes a directory and all above it.
pub fn create_dir(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create directory {}", path.display()))
}

/// Removes what unfinished writes of names that `is_ours` left in a directory, and returns how many
/// files and directories that were. Anything else stays, whatever it is called.
pub(crate) fn sweep(dir: &Path, is_ours: impl Fn(&str) -> bool) -> anyhow::Result<usize> {
    let sweep = || -> io::Result<usize> {
        let mut swept = 0;
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let name = entry.file_name();
            let finished =
                (name.to_str()).and_then(|name| name.strip_suffix(UNFINISHED)?.strip_suffix('.'));
            if !finished.is_some_and(&is_ours) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
            swept += 1;
        }
        Ok(swept)
    };
    sweep().with_context(|| format!("cannot remove unfinished files from {}", dir.display()))
}
