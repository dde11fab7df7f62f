//! Filling the index. Games are read in parallel; rows of many files are sorted and written in one
//! transaction together with the names of the files, so that a crash can neither lose nor double a
//! game.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context;
use garuda_rules::Position;
use garuda_run::RunDir;
use garuda_run::records::{GameRecord, read_record_file};
use rayon::prelude::*;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::rows::{self, MoveRow};
use super::{IndexStatus, lock, schema};

/// Rows that are sorted and written at a time: inserting unsorted ones is ten times as slow, and
/// every chunk touches most pages of the table.
const CHUNK_ROWS: usize = 4_000_000;
/// Record files read at a time, per thread.
const FILES_PER_THREAD: usize = 4;
/// Number of damaged files that are named.
const MAX_NAMED: usize = 20;

/// A record file that was read.
struct ReadFile {
    number: u64,
    bytes: u64,
    games: Result<Vec<ReadGame>, String>,
}

struct ReadGame {
    checkpoint: u32,
    number: u64,
    winner: Option<u8>,
    termination: String,
    plies: usize,
    varied: bool,
    rows: Vec<MoveRow>,
}

pub(super) fn update<P: Position>(
    run: &RunDir,
    path: &Path,
    files: &[(u64, PathBuf)],
    known: &mut BTreeMap<u64, u64>,
    status: &Mutex<IndexStatus>,
) -> anyhow::Result<()> {
    let start = match run.config().game.start.as_str() {
        "" => P::start(),
        text => text.parse()?,
    };
    let (mut connection, problem) = schema::open::<P>(path, &start.to_string())?;
    lock(status).problem = problem;
    match fill(&mut connection, &start, files, known, status) {
        Err(error) if error.downcast_ref().is_some_and(schema::is_damage) => {
            drop(connection);
            schema::remove(path)?;
            known.clear();
            Err(error.context("the position index is damaged and will be made again"))
        }
        result => result,
    }
}

fn fill<P: Position>(
    connection: &mut Connection,
    start: &P,
    files: &[(u64, PathBuf)],
    known: &mut BTreeMap<u64, u64>,
    status: &Mutex<IndexStatus>,
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
    report(connection, files, known, status)?;
    let new: Vec<_> = (files.iter())
        .filter(|(number, _)| !known.contains_key(number))
        .collect();
    let at_a_time = FILES_PER_THREAD * rayon::current_num_threads();
    let mut chunk = Vec::new();
    let mut rows = 0;
    for (i, batch) in new.chunks(at_a_time).enumerate() {
        let read: Vec<_> = (batch.par_iter())
            .map(|(number, path)| read_file(*number, path, start))
            .collect();
        rows += (read.iter())
            .filter_map(|file| file.games.as_ref().ok())
            .flatten()
            .map(|game| game.rows.len())
            .sum::<usize>();
        chunk.extend(read);
        let is_last = (i + 1) * at_a_time >= new.len();
        if rows >= CHUNK_ROWS || is_last {
            write(connection, std::mem::take(&mut chunk), known)?;
            rows = 0;
            report(connection, files, known, status)?;
        } else {
            lock(status).files_done = known.len() + chunk.len();
        }
    }
    Ok(())
}

fn file_size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|data| data.len())
}

fn indexed_files(connection: &Connection) -> rusqlite::Result<BTreeMap<u64, u64>> {
    let mut statement = connection.prepare("SELECT number, bytes FROM files")?;
    let files = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    files.collect()
}

fn report(
    connection: &Connection,
    files: &[(u64, PathBuf)],
    known: &BTreeMap<u64, u64>,
    status: &Mutex<IndexStatus>,
) -> rusqlite::Result<()> {
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
    let mut status = lock(status);
    status.files = files.len();
    status.files_done = known.len();
    status.games = terminations.values().sum();
    status.terminations = terminations;
    status.damaged = damaged;
    Ok(())
}

fn read_file<P: Position>(number: u64, path: &Path, start: &P) -> ReadFile {
    let name = path.file_name().unwrap_or_default().display().to_string();
    let games = read_record_file::<P>(path)
        .map(|records| records.iter().map(|record| game(record, start)).collect())
        .map_err(|problem| format!("{name}: {problem}"));
    ReadFile {
        number,
        bytes: file_size(path).unwrap_or(0),
        games,
    }
}

fn game<P: Position>(record: &GameRecord, start: &P) -> ReadGame {
    let (varied, rows) = rows::of_game(record, start);
    ReadGame {
        checkpoint: record.checkpoint(),
        number: record.number(),
        winner: record.winner().map(crate::position_view::side),
        termination: record.termination_name().to_owned(),
        plies: record.plies(),
        varied,
        rows,
    }
}

/// Writes what some files hold in one transaction. Files that another process has written in the
/// meantime are left as they are.
fn write(
    connection: &mut Connection,
    files: Vec<ReadFile>,
    known: &mut BTreeMap<u64, u64>,
) -> anyhow::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = indexed_files(&transaction)?;
    let mut rows = Vec::new();
    {
        let mut seen = HashSet::new();
        let mut is_indexed =
            transaction.prepare("SELECT 1 FROM games WHERE checkpoint = ?1 AND number = ?2")?;
        let mut add_game =
            transaction.prepare("INSERT INTO games VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
        let mut add_file = transaction.prepare("INSERT INTO files VALUES (?1, ?2, ?3)")?;
        for file in files {
            known.insert(file.number, file.bytes);
            if done.contains_key(&file.number) {
                continue;
            }
            let problem = file.games.as_ref().err();
            add_file.execute(params![file.number, file.bytes, problem])?;
            for mut game in file.games.into_iter().flatten() {
                // A game that an earlier file has counts once.
                if !seen.insert((game.checkpoint, game.number))
                    || is_indexed.exists(params![game.checkpoint, game.number])?
                {
                    continue;
                }
                add_game.execute(params![
                    game.checkpoint,
                    game.number,
                    file.number,
                    game.winner,
                    game.termination,
                    game.plies,
                    game.varied
                ])?;
                rows.append(&mut game.rows);
            }
        }
    }
    rows::sort_and_merge(&mut rows);
    write_rows(&transaction, &rows)?;
    transaction
        .commit()
        .context("cannot write the position index")?;
    Ok(())
}

fn write_rows(transaction: &Transaction<'_>, rows: &[MoveRow]) -> rusqlite::Result<()> {
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
    for row in rows {
        statement.execute(params![
            row.position.cast_signed(),
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
