//! Files and directories that are complete or absent, and bounded reading of files from outside.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The extension of names that are being written. After a crash, what has it can be removed.
pub const UNFINISHED: &str = "tmp";

/// Replaces or creates a file. A reader sees the old contents or the new ones, also after a crash
/// at any moment; after this returns, the new ones survive a loss of power.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = unfinished(path);
    let result = File::create(&unfinished)
        .and_then(|file| write_and_sync(file, bytes))
        .and_then(|()| fs::rename(&unfinished, path));
    if let Err(error) = result {
        // A full disk must not keep what is left of the attempt.
        let _ = fs::remove_file(&unfinished);
        return Err(error);
    }
    sync_directory(parent(path))
}

/// Creates a directory with these files (name, contents). It appears complete or not at all, also
/// after a crash or a loss of power. An existing directory is an error.
pub fn write_directory<'a>(
    path: &Path,
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> io::Result<()> {
    let unfinished = unfinished(path);
    let result = fill(&unfinished, files).and_then(|()| {
        // Renaming would replace an empty directory.
        if path.exists() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(&unfinished, path)
    });
    if let Err(error) = result {
        let _ = fs::remove_dir_all(&unfinished);
        return Err(error);
    }
    sync_directory(parent(path))
}

fn fill<'a>(
    directory: &Path,
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> io::Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir(directory)?;
    for (name, contents) in files {
        write_and_sync(File::create_new(directory.join(name))?, contents)?;
    }
    sync_directory(directory)
}

fn write_and_sync(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes the entries of a directory survive a loss of power.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// The name under which `path` is written until it is complete.
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

/// Reads a regular file of at most `limit` bytes. Anything else is an error at once: a device or a
/// pipe could block or never end, and a huge file could exhaust memory.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe already blocks, so it must not come first.
    check_bounded(&fs::metadata(path)?, limit)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    check_bounded(&metadata, limit)?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // The file may grow while it is read.
    if file.take(limit + 1).read_to_end(&mut bytes)? as u64 > limit {
        return Err(too_large(bytes.len() as u64, limit));
    }
    Ok(bytes)
}

fn check_bounded(metadata: &fs::Metadata, limit: u64) -> io::Result<()> {
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    if metadata.len() > limit {
        return Err(too_large(metadata.len(), limit));
    }
    Ok(())
}

fn too_large(length: u64, limit: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("it has {length} bytes or more; at most {limit} are read"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_and_failures_leave_nothing() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        for contents in ["first", "second"] {
            write_atomically(&path, contents.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), contents);
        }
        let directory = root.path().join("directory");
        write_directory(&directory, [("a", b"1".as_slice()), ("b", b"2")]).unwrap();
        // A file cannot replace a directory, nor a directory one that exists.
        write_atomically(&directory, b"").unwrap_err();
        let error = write_directory(&directory, []).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        let mut names: Vec<_> = fs::read_dir(root.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["directory", "file"]);
    }

    #[test]
    fn reading_is_bounded() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        fs::write(&path, b"12345").unwrap();
        assert_eq!(read_bounded(&path, 5).unwrap(), b"12345");
        let error = read_bounded(&path, 4).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        let error = read_bounded(root.path(), 5).unwrap_err();
        assert_eq!(error.to_string(), "it is not a regular file");
        let error = read_bounded(&root.path().join("missing"), 5).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
