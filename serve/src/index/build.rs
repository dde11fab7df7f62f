//! Filling the index. Games are read in parallel; rows of many files are sorted and written in one
//! transaction together with the names of the files, so that a crash can neither lose nor double a
//! game.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use anyhow::Context;
use garuda_rules::Position;
use garuda_run::RunDir;
use garuda_run::records::read_record_file;
use rayon::prelude::*;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::rows::{self, IndexedGame, PlayedMove, PlayedMoves};
use super::{PositionIndex, lock, schema};

/// Moves that are sorted and written at a time. Inserting unsorted ones is ten times as slow, and
/// every chunk rewrites most pages of a large table: a million games of 60 moves are five chunks. A
/// move takes 16 bytes, and two chunks are in memory.
pub(super) const CHUNK_MOVES: usize = 12_000_000;
/// Record files read at a time, per thread.
const FILES_PER_THREAD: usize = 4;
/// Number of damaged files that are named.
const MAX_NAMED: usize = 20;

/// A record file that was read.
struct ReadFile {
    number: u64,
    bytes: u64,
    games: Result<Vec<(IndexedGame, Vec<PlayedMove>)>, String>,
}

/// What is written in one transaction.
#[derive(Default)]
struct Chunk {
    files: Vec<ChunkFile>,
    games: Vec<IndexedGame>,
    moves: PlayedMoves,
}

struct ChunkFile {
    number: u64,
    bytes: u64,
    problem: Option<String>,
    /// Where its games end in the chunk.
    games_end: usize,
}

impl Chunk {
    fn add(&mut self, file: ReadFile) {
        let (games, problem) = match file.games {
            Ok(games) => (games, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        for (game, moves) in games {
            self.moves.add(self.games.len(), &moves);
            self.games.push(game);
        }
        self.files.push(ChunkFile {
            number: file.number,
            bytes: file.bytes,
            problem,
            games_end: self.games.len(),
        });
    }
}

pub(super) fn update<P: Position>(
    index: &PositionIndex,
    run: &RunDir,
    files: &[(u64, PathBuf)],
    known: &mut BTreeMap<u64, u64>,
) -> anyhow::Result<()> {
    let start = match run.config().game.start.as_str() {
        "" => P::start(),
        text => text.parse()?,
    };
    let (mut connection, problem) = schema::open::<P>(&index.path, &start.to_string())?;
    lock(&index.status).problem = problem;
    match fill(index, &mut connection, &start, files, known) {
        Err(error) if error.downcast_ref().is_some_and(schema::is_damage) => {
            drop(connection);
            schema::remove(&index.path)?;
            known.clear();
            Err(error.context("the position index is damaged and will be made again"))
        }
        result => result,
    }
}

fn fill<P: Position>(
    index: &PositionIndex,
    connection: &mut Connection,
    start: &P,
    files: &[(u64, PathBuf)],
    known: &mut BTreeMap<u64, u64>,
) -> anyhow::Result<()> {
    *known = indexed_files(connection)?;
    let present: BTreeMap<u64, &PathBuf> = files.iter().map(|(n, path)| (*n, path)).collect();
    let unchanged = (known.iter()).all(|(number, bytes)| {
        (present.get(number)).is_some_and(|path| file_size(path) == Some(*bytes))
    });
    if !unchanged {
        // Record files never change: this is another run, or a part of one. Start again.
        connection.execute_batch(
            "BEGIN IMMEDIATE; DELETE FROM files; DELETE FROM games; DELETE FROM moves; COMMIT;",
        )?;
        known.clear();
    }
    report(index, connection)?;
    {
        let mut status = lock(&index.status);
        (status.files, status.files_done) = (files.len(), known.len());
    }
    let new: Vec<_> = (files.iter())
        .filter(|(number, _)| !known.contains_key(number))
        .collect();
    // Games are read while others are written: a chunk each.
    let (sender, receiver) = mpsc::sync_channel::<Chunk>(0);
    thread::scope(|scope| {
        let writer = scope.spawn(move || -> anyhow::Result<()> {
            for chunk in receiver {
                write(connection, chunk, known)?;
                report(index, connection)?;
            }
            Ok(())
        });
        read_chunks(index, start, &new, &sender);
        drop(sender);
        (writer.join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Reads files and hands them over in chunks, until all are read or nobody takes them.
fn read_chunks<P: Position>(
    index: &PositionIndex,
    start: &P,
    files: &[&(u64, PathBuf)],
    chunks: &mpsc::SyncSender<Chunk>,
) {
    let at_a_time = FILES_PER_THREAD * rayon::current_num_threads();
    let mut chunk = Chunk::default();
    for batch in files.chunks(at_a_time) {
        let read: Vec<_> = (batch.par_iter())
            .map(|(number, path)| read_file(*number, path, start))
            .collect();
        for file in read {
            chunk.add(file);
        }
        lock(&index.status).files_done += batch.len();
        if chunk.moves.len() >= index.chunk_moves
            && chunks.send(std::mem::take(&mut chunk)).is_err()
        {
            return;
        }
    }
    if !chunk.files.is_empty() {
        // If it is not taken, the writer says why.
        let _ = chunks.send(chunk);
    }
}

fn file_size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|data| data.len())
}

fn indexed_files(connection: &Connection) -> rusqlite::Result<BTreeMap<u64, u64>> {
    let mut statement = connection.prepare("SELECT number, bytes FROM files")?;
    let files = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    files.collect()
}

/// Tells readers what the index holds now.
fn report(index: &PositionIndex, connection: &Connection) -> rusqlite::Result<()> {
    lock(&index.cache).forget();
    let mut statement =
        connection.prepare("SELECT termination, count(*) FROM games GROUP BY termination")?;
    let terminations: BTreeMap<String, u64> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut statement = connection
        .prepare("SELECT problem FROM files WHERE problem IS NOT NULL ORDER BY number LIMIT ?1")?;
    let damaged = statement
        .query_map([MAX_NAMED], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut status = lock(&index.status);
    status.games = terminations.values().sum();
    status.terminations = terminations;
    status.damaged = damaged;
    Ok(())
}

fn read_file<P: Position>(number: u64, path: &Path, start: &P) -> ReadFile {
    let name = path.file_name().unwrap_or_default().display().to_string();
    let games = read_record_file::<P>(path)
        .map(|records| {
            let games = records.iter().map(|record| rows::of_game(record, start));
            games.collect()
        })
        .map_err(|problem| format!("{name}: {problem}"));
    ReadFile {
        number,
        bytes: file_size(path).unwrap_or(0),
        games,
    }
}

/// Writes a chunk in one transaction. Files that another process has written in the meantime are
/// left as they are.
fn write(
    connection: &mut Connection,
    mut chunk: Chunk,
    known: &mut BTreeMap<u64, u64>,
) -> anyhow::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = indexed_files(&transaction)?;
    add_games(&transaction, &mut chunk, &done)?;
    add_rows(&transaction, &mut chunk)?;
    transaction
        .commit()
        .context("cannot write the position index")?;
    known.extend(chunk.files.iter().map(|file| (file.number, file.bytes)));
    Ok(())
}

/// Adds files and games, and notes which games count.
fn add_games(
    transaction: &Transaction<'_>,
    chunk: &mut Chunk,
    done: &BTreeMap<u64, u64>,
) -> rusqlite::Result<()> {
    let mut seen = HashSet::new();
    let mut is_indexed =
        transaction.prepare("SELECT 1 FROM games WHERE checkpoint = ?1 AND number = ?2")?;
    let mut add_game =
        transaction.prepare("INSERT INTO games VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut add_file = transaction.prepare("INSERT INTO files VALUES (?1, ?2, ?3)")?;
    let mut games = chunk.games.iter_mut();
    let mut start = 0;
    for file in &chunk.files {
        let is_done = done.contains_key(&file.number);
        if !is_done {
            add_file.execute(params![file.number, file.bytes, file.problem])?;
        }
        for game in games.by_ref().take(file.games_end - start) {
            let place = (game.checkpoint, game.number);
            // A game that an earlier file has counts once.
            game.counts = !is_done
                && seen.insert(place)
                && !is_indexed.exists(params![game.checkpoint, game.number])?;
            if game.counts {
                add_game.execute(params![
                    game.checkpoint,
                    game.number,
                    file.number,
                    game.winner.map(crate::position_view::side),
                    game.termination,
                    game.plies,
                    game.varied
                ])?;
            }
        }
        start = file.games_end;
    }
    Ok(())
}

fn add_rows(transaction: &Transaction<'_>, chunk: &mut Chunk) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare(
        "INSERT INTO moves VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT DO UPDATE SET
             white = white + excluded.white,
             draws = draws + excluded.draws,
             black = black + excluded.black,
             value_sum = value_sum + excluded.value_sum,
             value_count = value_count + excluded.value_count,
             last_game = max(last_game, excluded.last_game)",
    )?;
    for row in chunk.moves.rows(&chunk.games) {
        statement.execute(params![
            row.position,
            row.mv,
            row.varied,
            row.checkpoint,
            row.white,
            row.draws,
            row.black,
            row.value_sum,
            row.value_count,
            row.last_game
        ])?;
    }
    Ok(())
}
