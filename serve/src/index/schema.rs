use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use anyhow::Context;
use garuda_rules::{Game, GameState, MoveList, Position};
use rusqlite::{Connection, ErrorCode, OptionalExtension};

/// Changes whenever the tables or what is counted in them change.
const VERSION: u32 = 1;

/// How long to wait for another process that writes.
pub(super) const BUSY: Duration = Duration::from_secs(10);

/// `moves` is ordered by position, so that all of a position is read at once.
const TABLES: &str = "
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE files (number INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, problem TEXT);
    CREATE TABLE games (
        checkpoint INTEGER, number INTEGER, file INTEGER NOT NULL, winner INTEGER,
        termination TEXT NOT NULL, plies INTEGER NOT NULL, varied INTEGER NOT NULL,
        PRIMARY KEY (checkpoint, number)
    ) WITHOUT ROWID;
    CREATE TABLE moves (
        position INTEGER, move INTEGER, varied INTEGER, checkpoint INTEGER,
        white INTEGER NOT NULL, draws INTEGER NOT NULL, black INTEGER NOT NULL,
        value_sum INTEGER NOT NULL, value_count INTEGER NOT NULL, last_game INTEGER NOT NULL,
        PRIMARY KEY (position, move, varied, checkpoint)
    ) WITHOUT ROWID;
";

/// Opens the index to write it. One that is of another version or damaged is made again; the text
/// says why.
pub(super) fn open<P: Position>(
    path: &Path,
    start: &str,
) -> anyhow::Result<(Connection, Option<String>)> {
    let content = content::<P>(start);
    match try_open(path, &content) {
        Ok(connection) => Ok((connection, None)),
        Err(error) if is_damage(&error) => {
            remove(path)?;
            let connection = try_open(path, &content).with_context(|| cannot(path))?;
            let problem = format!("the position index was damaged ({error}) and is made again");
            Ok((connection, Some(problem)))
        }
        Err(error) => Err(error).with_context(|| cannot(path)),
    }
}

fn cannot(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

/// Removes the index with the files that SQLite keeps beside it.
pub(super) fn remove(path: &Path) -> anyhow::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match fs::remove_file(&name) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                return Err(e).with_context(|| format!("cannot remove {}", name.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn try_open(path: &Path, content: &str) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    // Readers never wait for the writer; a power cut may lose the last transactions, never a part
    // of one.
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "cache_size", -131_072)?;
    // A large transaction leaves a log of its size otherwise.
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let has_meta: bool = transaction.query_row(
        "SELECT count(*) > 0 FROM sqlite_master WHERE name = 'meta'",
        [],
        |row| row.get(0),
    )?;
    let found: Option<String> = match has_meta {
        true => (transaction)
            .query_row("SELECT value FROM meta WHERE name = 'content'", [], |row| {
                row.get(0)
            })
            .optional()?,
        false => None,
    };
    if found.as_deref() != Some(content) {
        transaction.execute_batch(
            "DROP TABLE IF EXISTS meta; DROP TABLE IF EXISTS files;
             DROP TABLE IF EXISTS games; DROP TABLE IF EXISTS moves;",
        )?;
        transaction.execute_batch(TABLES)?;
        transaction.execute("INSERT INTO meta VALUES ('content', ?1)", [content])?;
    }
    transaction.commit()?;
    Ok(connection)
}

/// What the tables hold: equal texts mean equal contents for equal games. Keys of positions are
/// part of it, as they are not meant to stay the same for ever.
fn content<P: Position>(start: &str) -> String {
    let mut game = GameState::<P>::start();
    let mut keys = blake3::Hasher::new();
    let mut legal = MoveList::new();
    for step in 0..40 {
        keys.update(&game.position().key().to_le_bytes());
        game.legal_moves(&mut legal);
        if game.outcome_given(&legal).is_some() {
            break;
        }
        game.play(legal[step * 7 % legal.len()]);
    }
    let keys = &keys.finalize().to_hex()[..16];
    format!("version {VERSION}, {}, start {start}, keys {keys}", P::NAME)
}
