use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use super::{PositionIndex, lock};

/// Number of games that are listed with a position.
const LISTED_GAMES: u32 = 12;
/// Number of answers that are kept.
const KEPT_ANSWERS: usize = 1000;

/// What was played in a position.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayedHere {
    /// The moves, most frequent first.
    pub(crate) moves: Vec<MoveCounts>,
    /// Some of the newest games that came here, and the move of each.
    pub(crate) games: Vec<(u16, GameRow)>,
}

/// A position, a range of checkpoints, and whether games from varied starts count.
type Question = (u64, RangeInclusive<u32>, bool);

/// What was found and still holds.
#[derive(Debug, Default)]
pub(super) struct QueryCache {
    kept: HashMap<Question, Arc<PlayedHere>>,
    /// How often the index has changed.
    time: u64,
}

impl QueryCache {
    pub(super) fn forget(&mut self) {
        self.kept.clear();
        self.time += 1;
    }
}

/// Results of a move in a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct MoveCounts {
    /// The code of the move.
    pub(crate) mv: u16,
    pub(crate) white: u64,
    pub(crate) draws: u64,
    pub(crate) black: u64,
    /// Sum of the search's values for the side to move, in 1/255, and their number.
    pub(crate) value_sum: i64,
    pub(crate) value_count: u64,
}

impl MoveCounts {
    pub(crate) fn games(&self) -> u64 {
        self.white + self.draws + self.black
    }
}

/// Where a game is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct GamePlace {
    pub(crate) checkpoint: u32,
    pub(crate) number: u64,
}

/// A game in a list.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GameRow {
    checkpoint: u32,
    number: u64,
    /// 0 White, 1 Black, null for a draw.
    winner: Option<u8>,
    termination: String,
    plies: u64,
    /// Whether it started elsewhere than the run's games ordinarily do.
    varied: bool,
}

/// Which games are listed.
#[derive(Clone, Debug)]
pub(crate) struct GameFilter {
    pub(crate) checkpoints: RangeInclusive<u32>,
    /// 1 White, 0 a draw, −1 Black; `None` for all.
    pub(crate) result: Option<i8>,
    pub(crate) termination: Option<String>,
    pub(crate) plies: RangeInclusive<u32>,
    pub(crate) varied: bool,
    /// List the games before this one.
    pub(crate) before: Option<GamePlace>,
    pub(crate) limit: u32,
}

impl PositionIndex {
    /// What was played in a position. Positions that many games came through have a row for every
    /// checkpoint and move, up to some hundred thousand: their answers are kept until the index changes.
    pub(crate) fn played(
        &self,
        position: u64,
        checkpoints: &RangeInclusive<u32>,
        varied: bool,
    ) -> rusqlite::Result<Arc<PlayedHere>> {
        self.note_use();
        let question = (position, checkpoints.clone(), varied);
        let (kept, time) = {
            let cache = lock(&self.cache);
            (cache.kept.get(&question).cloned(), cache.time)
        };
        if let Some(answer) = kept {
            return Ok(answer);
        }
        let answer = Arc::new(self.read(|connection| {
            // One transaction: both say the same of a position.
            let connection = connection.unchecked_transaction()?;
            Ok(PlayedHere {
                moves: moves(&connection, position, checkpoints, varied)?,
                games: newest_games(&connection, position, checkpoints, varied)?,
            })
        })?);
        let mut cache = lock(&self.cache);
        // What was read before a change is not kept after it.
        if cache.time == time {
            if cache.kept.len() >= KEPT_ANSWERS {
                cache.kept.clear();
            }
            cache.kept.insert(question, Arc::clone(&answer));
        }
        Ok(answer)
    }

    /// A part of the games, newest first.
    pub(crate) fn games(&self, filter: &GameFilter) -> rusqlite::Result<Vec<GameRow>> {
        let (checkpoints, plies) = (&filter.checkpoints, &filter.plies);
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT checkpoint, number, winner, termination, plies, varied FROM games
                 WHERE checkpoint BETWEEN ?1 AND ?2
                   AND (?3 IS NULL OR ifnull(1 - 2 * winner, 0) = ?3)
                   AND (?4 IS NULL OR termination = ?4)
                   AND plies BETWEEN ?5 AND ?6 AND varied <= ?7
                   AND (?8 IS NULL OR (checkpoint, number) < (?8, ?9))
                 ORDER BY checkpoint DESC, number DESC LIMIT ?10",
            )?;
            let games = statement.query_map(
                params![
                    checkpoints.start(),
                    checkpoints.end(),
                    filter.result,
                    filter.termination,
                    plies.start(),
                    plies.end(),
                    filter.varied,
                    filter.before.map(|game| game.checkpoint),
                    filter.before.map(|game| game.number),
                    filter.limit
                ],
                game_row,
            )?;
            games.collect()
        })
    }

    /// The number of the record file that holds a game.
    pub(crate) fn file_of(&self, game: GamePlace) -> rusqlite::Result<Option<u64>> {
        self.read(|connection| {
            connection
                .query_row(
                    "SELECT file FROM games WHERE checkpoint = ?1 AND number = ?2",
                    params![game.checkpoint, game.number],
                    |row| row.get(0),
                )
                .optional()
        })
    }

    /// All rows as text, to compare two indexes.
    pub fn dump(&self) -> rusqlite::Result<Vec<String>> {
        self.read(|connection| {
            let mut lines = column(
                connection,
                "SELECT concat_ws(' ', 'file', number, bytes, problem) FROM files ORDER BY number",
            )?;
            lines.extend(column(
                connection,
                "SELECT concat_ws(' ', 'game', checkpoint, number, file, ifnull(winner, '-'),
                        termination, plies, varied)
                 FROM games ORDER BY checkpoint, number",
            )?);
            lines.extend(column(
                connection,
                "SELECT concat_ws(' ', 'move', position, move, varied, checkpoint, white, draws,
                        black, value_sum, value_count, last_game)
                 FROM moves ORDER BY position, move, varied, checkpoint",
            )?);
            Ok(lines)
        })
    }
}

/// The moves played in a position, most frequent first.
fn moves(
    connection: &Connection,
    position: u64,
    checkpoints: &RangeInclusive<u32>,
    varied: bool,
) -> rusqlite::Result<Vec<MoveCounts>> {
    let mut statement = connection.prepare(
        "SELECT move, sum(white), sum(draws), sum(black), sum(value_sum), sum(value_count)
         FROM moves
         WHERE position = ?1 AND checkpoint BETWEEN ?2 AND ?3 AND varied <= ?4
         GROUP BY move ORDER BY sum(white + draws + black) DESC, move",
    )?;
    let (first, last) = (checkpoints.start(), checkpoints.end());
    let moves = statement.query_map(
        params![position.cast_signed(), first, last, varied],
        |row| {
            Ok(MoveCounts {
                mv: row.get(0)?,
                white: row.get(1)?,
                draws: row.get(2)?,
                black: row.get(3)?,
                value_sum: row.get(4)?,
                value_count: row.get(5)?,
            })
        },
    )?;
    moves.collect()
}

/// Some of the newest games that came through a position, and the move of each.
fn newest_games(
    connection: &Connection,
    position: u64,
    checkpoints: &RangeInclusive<u32>,
    varied: bool,
) -> rusqlite::Result<Vec<(u16, GameRow)>> {
    let mut statement = connection.prepare(
        "SELECT g.checkpoint, g.number, g.winner, g.termination, g.plies, g.varied, m.move
         FROM (SELECT move, checkpoint, last_game FROM moves
               WHERE position = ?1 AND checkpoint BETWEEN ?2 AND ?3 AND varied <= ?4
               ORDER BY checkpoint DESC, last_game DESC LIMIT ?5) AS m
         JOIN games AS g ON g.checkpoint = m.checkpoint AND g.number = m.last_game
         ORDER BY g.checkpoint DESC, g.number DESC",
    )?;
    let (first, last) = (checkpoints.start(), checkpoints.end());
    let games = statement.query_map(
        params![position.cast_signed(), first, last, varied, LISTED_GAMES],
        |row| Ok((row.get(6)?, game_row(row)?)),
    )?;
    games.collect()
}

fn game_row(row: &Row<'_>) -> rusqlite::Result<GameRow> {
    Ok(GameRow {
        checkpoint: row.get(0)?,
        number: row.get(1)?,
        winner: row.get(2)?,
        termination: row.get(3)?,
        plies: row.get(4)?,
        varied: row.get(5)?,
    })
}

fn column(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    statement.query_map([], |row| row.get(0))?.collect()
}
