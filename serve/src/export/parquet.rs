//! Two tables: `games.parquet`, a row per game, and `decisions.parquet`, a row per decision with the
//! search's policy as a list. `checkpoint` and `number` name a game in both.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use garuda_rules::{Color, with_rule_set};
use garuda_run::RunDir;
use garuda_run::records::{GameRecord, ScanProgress};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{Exported, GameRow, scan_run, write_whole};

const GAMES: &str = "message games {
    REQUIRED INT32 checkpoint;
    REQUIRED INT64 number;
    REQUIRED BINARY rules (UTF8);
    REQUIRED BINARY start (UTF8);
    REQUIRED INT32 white;
    REQUIRED INT32 black;
    REQUIRED INT64 seed;
    REQUIRED INT32 result;
    REQUIRED BINARY termination (UTF8);
    REQUIRED INT32 plies;
}";

const DECISIONS: &str = "message decisions {
    REQUIRED INT32 checkpoint;
    REQUIRED INT64 number;
    REQUIRED INT32 ply;
    REQUIRED BINARY turn (UTF8);
    REQUIRED BINARY move (UTF8);
    REQUIRED BINARY kind (UTF8);
    OPTIONAL FLOAT win;
    OPTIONAL FLOAT draw;
    OPTIONAL FLOAT loss;
    REQUIRED GROUP policy (LIST) { REPEATED GROUP list { REQUIRED GROUP element {
        REQUIRED BINARY move (UTF8);
        REQUIRED FLOAT share;
    } } }
}";

/// Decisions per row group: some ten megabytes in memory.
const GROUP_ROWS: usize = 200_000;

/// Columns of both tables, in the order of the schemas.
#[derive(Default)]
struct Columns {
    games: Games,
    decisions: Decisions,
}

#[derive(Default)]
struct Games {
    checkpoint: Vec<i32>,
    number: Vec<i64>,
    rules: Vec<ByteArray>,
    start: Vec<ByteArray>,
    white: Vec<i32>,
    black: Vec<i32>,
    seed: Vec<i64>,
    result: Vec<i32>,
    termination: Vec<ByteArray>,
    plies: Vec<i32>,
}

#[derive(Default)]
struct Decisions {
    checkpoint: Vec<i32>,
    number: Vec<i64>,
    ply: Vec<i32>,
    turn: Vec<ByteArray>,
    mv: Vec<ByteArray>,
    kind: Vec<ByteArray>,
    /// Values of the searched decisions, and for every decision whether it has one.
    wdl: [Vec<f32>; 3],
    searched: Vec<i16>,
    policy_moves: Vec<ByteArray>,
    policy_shares: Vec<f32>,
    /// Of the entries of all policies, an empty one counting as an entry that is not there.
    defined: Vec<i16>,
    repeated: Vec<i16>,
}

impl Columns {
    fn add(&mut self, game: &GameRow<'_>) {
        let record = game.record;
        let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        let (checkpoint, number) = (record.checkpoint() as i32, record.number().cast_signed());
        let games = &mut self.games;
        games.checkpoint.push(checkpoint);
        games.number.push(number);
        games.rules.push(text(record.rules()));
        games.start.push(text(record.start()));
        games.white.push(record.side(Color::White) as i32);
        games.black.push(record.side(Color::Black) as i32);
        games.seed.push(record.seed().cast_signed());
        games.result.push(game.result());
        games.termination.push(text(record.termination_name()));
        games.plies.push(record.plies() as i32);
        let all = &mut self.decisions;
        for (ply, decision) in game.decisions.iter().enumerate() {
            all.checkpoint.push(checkpoint);
            all.number.push(number);
            all.ply.push(ply as i32);
            all.turn.push(text(&decision.turn.to_string()));
            all.mv.push(text(&decision.mv));
            all.kind.push(text(decision.kind));
            all.searched.push(i16::from(decision.wdl.is_some()));
            if let Some(wdl) = decision.wdl {
                for (column, value) in all.wdl.iter_mut().zip(wdl) {
                    column.push(value);
                }
            }
            for (place, (mv, share)) in decision.policy.iter().enumerate() {
                all.policy_moves.push(text(mv));
                all.policy_shares.push(*share);
                all.defined.push(1);
                all.repeated.push(i16::from(place > 0));
            }
            if decision.policy.is_empty() {
                all.defined.push(0);
                all.repeated.push(0);
            }
        }
    }

    fn append(&mut self, mut other: Columns) {
        let (a, b) = (&mut self.games, &mut other.games);
        a.checkpoint.append(&mut b.checkpoint);
        a.number.append(&mut b.number);
        a.rules.append(&mut b.rules);
        a.start.append(&mut b.start);
        a.white.append(&mut b.white);
        a.black.append(&mut b.black);
        a.seed.append(&mut b.seed);
        a.result.append(&mut b.result);
        a.termination.append(&mut b.termination);
        a.plies.append(&mut b.plies);
        let (a, b) = (&mut self.decisions, &mut other.decisions);
        a.checkpoint.append(&mut b.checkpoint);
        a.number.append(&mut b.number);
        a.ply.append(&mut b.ply);
        a.turn.append(&mut b.turn);
        a.mv.append(&mut b.mv);
        a.kind.append(&mut b.kind);
        for (to, from) in a.wdl.iter_mut().zip(&mut b.wdl) {
            to.append(from);
        }
        a.searched.append(&mut b.searched);
        a.policy_moves.append(&mut b.policy_moves);
        a.policy_shares.append(&mut b.policy_shares);
        a.defined.append(&mut b.defined);
        a.repeated.append(&mut b.repeated);
    }
}

/// Writes the columns of a row group one after the other.
struct GroupWriter<'a, W: std::io::Write + Send>(SerializedRowGroupWriter<'a, W>);

impl<W: std::io::Write + Send> GroupWriter<'_, W> {
    fn column<T: DataType>(
        &mut self,
        values: &[T::T],
        defined: Option<&[i16]>,
        repeated: Option<&[i16]>,
    ) -> Result<(), ParquetError> {
        let mut column = (self.0.next_column()?).expect("the schema has as many columns");
        column.typed::<T>().write_batch(values, defined, repeated)?;
        column.close()
    }

    fn plain<T: DataType>(&mut self, values: &[T::T]) -> Result<(), ParquetError> {
        self.column::<T>(values, None, None)
    }
}

fn write_games<W: std::io::Write + Send>(
    out: &mut SerializedFileWriter<W>,
    games: &Games,
) -> Result<(), ParquetError> {
    let mut group = GroupWriter(out.next_row_group()?);
    group.plain::<Int32Type>(&games.checkpoint)?;
    group.plain::<Int64Type>(&games.number)?;
    group.plain::<ByteArrayType>(&games.rules)?;
    group.plain::<ByteArrayType>(&games.start)?;
    group.plain::<Int32Type>(&games.white)?;
    group.plain::<Int32Type>(&games.black)?;
    group.plain::<Int64Type>(&games.seed)?;
    group.plain::<Int32Type>(&games.result)?;
    group.plain::<ByteArrayType>(&games.termination)?;
    group.plain::<Int32Type>(&games.plies)?;
    group.0.close()?;
    Ok(())
}

fn write_decisions<W: std::io::Write + Send>(
    out: &mut SerializedFileWriter<W>,
    all: &Decisions,
) -> Result<(), ParquetError> {
    let mut group = GroupWriter(out.next_row_group()?);
    group.plain::<Int32Type>(&all.checkpoint)?;
    group.plain::<Int64Type>(&all.number)?;
    group.plain::<Int32Type>(&all.ply)?;
    group.plain::<ByteArrayType>(&all.turn)?;
    group.plain::<ByteArrayType>(&all.mv)?;
    group.plain::<ByteArrayType>(&all.kind)?;
    for values in &all.wdl {
        group.column::<FloatType>(values, Some(&all.searched), None)?;
    }
    let (defined, repeated) = (Some(&all.defined[..]), Some(&all.repeated[..]));
    group.column::<ByteArrayType>(&all.policy_moves, defined, repeated)?;
    group.column::<FloatType>(&all.policy_shares, defined, repeated)?;
    group.0.close()?;
    Ok(())
}

/// Writes all games of a run as two tables into a directory.
pub fn export_parquet(
    run: &RunDir,
    directory: &Path,
    progress: impl FnMut(ScanProgress),
) -> anyhow::Result<Exported> {
    let schema = |text| parse_message_type(text).map(Arc::new);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let properties = Arc::new(properties);
    let map = |records: &[GameRecord]| -> Columns {
        let mut columns = Columns::default();
        for record in records {
            let row = with_rule_set!(run.config().game.rules, P => GameRow::new::<P>(record));
            columns.add(&row);
        }
        columns
    };
    write_whole(&directory.join("games.parquet"), |games_out| {
        let games_schema = schema(GAMES).context("the schema of games")?;
        let mut games =
            SerializedFileWriter::new(games_out, games_schema, Arc::clone(&properties))?;
        let exported = write_whole(&directory.join("decisions.parquet"), |out| {
            let decisions_schema = schema(DECISIONS).context("the schema of decisions")?;
            let mut decisions =
                SerializedFileWriter::new(out, decisions_schema, Arc::clone(&properties))?;
            let mut waiting = Columns::default();
            let mut total = 0;
            let mut result = Ok(());
            let mut write = |columns: &Columns| -> Result<(), ParquetError> {
                write_games(&mut games, &columns.games)?;
                write_decisions(&mut decisions, &columns.decisions)
            };
            let reduce = |columns: Columns| {
                total += columns.decisions.ply.len() as u64;
                waiting.append(columns);
                if waiting.decisions.ply.len() >= GROUP_ROWS && result.is_ok() {
                    result = write(&std::mem::take(&mut waiting));
                }
            };
            let scanned = scan_run(run, map, reduce, progress)?;
            result?;
            if !waiting.games.number.is_empty() {
                write(&waiting)?;
            }
            decisions.close()?;
            Ok(Exported {
                games: scanned.games,
                decisions: total,
                refused: scanned.refused,
            })
        })?;
        games.close()?;
        Ok(exported)
    })
}
