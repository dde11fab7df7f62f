use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::Context;
use garuda_rules::Position;
use garuda_run::shown_path;

use super::Pgn;

/// A file of games. Games are added to what it holds.
#[derive(Debug)]
pub struct PgnFile {
    file: File,
    name: String,
}

impl PgnFile {
    /// Opens or creates a file.
    pub fn append(path: &Path) -> anyhow::Result<PgnFile> {
        let name = shown_path(path);
        let cannot = || format!("cannot write {name}");
        let separator = separator(path).with_context(cannot)?;
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .with_context(cannot)?;
        file.write_all(separator.as_bytes()).with_context(cannot)?;
        Ok(PgnFile { file, name })
    }

    /// Adds a game, in one piece, so that no reader finds half of one.
    pub fn write<P: Position>(&mut self, game: &Pgn<'_, P>) -> anyhow::Result<()> {
        (self.file.write_all(game.to_string().as_bytes()))
            .with_context(|| format!("cannot write {}", self.name))
    }
}

/// What must follow the content of a file so that a new game starts after an empty line.
fn separator(path: &Path) -> io::Result<&'static str> {
    match path.metadata() {
        // Opening a pipe to read from it would take what is meant for others.
        Ok(data) if data.is_file() && data.len() > 0 => {}
        Ok(_) => return Ok(""),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(""),
        Err(e) => return Err(e),
    }
    let mut file = File::open(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(2)))?;
    let mut end = Vec::new();
    file.take(2).read_to_end(&mut end)?;
    Ok(match end.as_slice() {
        b"\n\n" => "",
        [.., b'\n'] => "\n",
        _ => "\n\n",
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn content_is_kept_and_ends_with_an_empty_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("games.pgn");
        for (before, after) in [
            ("", ""),
            ("1-0\n\n", "1-0\n\n"),
            ("1-0\n", "1-0\n\n"),
            ("1-0", "1-0\n\n"),
            ("\n", "\n\n"),
        ] {
            fs::write(&path, before).unwrap();
            PgnFile::append(&path).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
        let error = PgnFile::append(dir.path()).unwrap_err();
        assert!(format!("{error:#}").contains("cannot write"), "{error:#}");
    }
}
