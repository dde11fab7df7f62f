use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};

/// Some of the games that are being played, for people who watch: `live.json` of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LiveGames {
    /// The checkpoint that plays.
    pub checkpoint: u32,
    /// One of each shard.
    pub games: Vec<LiveGame>,
}

/// A game that is being played.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LiveGame {
    pub number: u64,
    /// FEN of its start.
    pub start: String,
    /// The moves so far, in UCI notation, separated by spaces.
    pub moves: String,
}

impl LiveGames {
    /// Replaces the file. It is not synced: after a crash nobody wants it.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let temporary = path.with_extension("json.tmp");
        fs::write(&temporary, serde_json::to_vec(self)?)?;
        fs::rename(&temporary, path)
    }

    /// Reads the file; `None` if there is none.
    pub fn read(path: &Path) -> io::Result<Option<LiveGames>> {
        match fs::read(path) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }
}
