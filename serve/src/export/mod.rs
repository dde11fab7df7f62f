//! The games of a run for other programs: JSON lines, PGN and Parquet.

mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
mod pgn;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use garuda_rules::{Color, Position, with_rule_set};
use garuda_run::RunDir;
use garuda_run::records::{DecisionKind, GameRecord, ScanProgress, Scanned, scan};

#[cfg(feature = "parquet")]
pub use parquet::export_parquet;

/// A format of one file with all games as text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TextFormat {
    /// A JSON object per line and game, with everything that the record holds.
    Jsonl,
    /// Tags and moves, with moves in UCI notation and without numbers.
    Pgn,
}

/// What was exported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    pub games: u64,
    pub decisions: u64,
    /// Record files that were passed over, and why.
    pub refused: Vec<String>,
}

/// Writes all games of a run as text.
pub fn export_text(
    run: &RunDir,
    format: TextFormat,
    out: &mut dyn Write,
    progress: impl FnMut(ScanProgress),
) -> anyhow::Result<Exported> {
    let text = |record: &GameRecord| -> String {
        with_rule_set!(run.config().game.rules, P => match format {
            TextFormat::Jsonl => jsonl::line(&GameRow::new::<P>(record)),
            TextFormat::Pgn => pgn::game::<P>(&GameRow::new::<P>(record)),
        })
    };
    let map = |records: &[GameRecord]| -> (String, u64) {
        let decisions = records.iter().map(|record| record.plies() as u64).sum();
        (records.iter().map(&text).collect(), decisions)
    };
    let mut decisions = 0;
    let mut result = Ok(());
    let reduce = |(text, plies): (String, u64)| {
        decisions += plies;
        if result.is_ok() {
            result = out.write_all(text.as_bytes());
        }
    };
    let scanned = scan_run(run, map, reduce, progress)?;
    result?;
    out.flush()?;
    Ok(Exported {
        games: scanned.games,
        decisions,
        refused: scanned.refused,
    })
}

fn scan_run<T: Send>(
    run: &RunDir,
    map: impl Fn(&[GameRecord]) -> T + Sync,
    reduce: impl FnMut(T),
    progress: impl FnMut(ScanProgress),
) -> anyhow::Result<Scanned> {
    with_rule_set!(run.config().game.rules, P => scan::<P, _>(&run.games(), map, reduce, progress))
}

/// A game in the words of the formats.
struct GameRow<'a> {
    record: &'a GameRecord,
    decisions: Vec<DecisionRow>,
}

struct DecisionRow {
    /// "white" or "black".
    turn: Color,
    mv: String,
    kind: &'static str,
    /// Win, draw and loss for the side to move; `None` without a search.
    wdl: Option<[f32; 3]>,
    policy: Vec<(String, f32)>,
}

impl<'a> GameRow<'a> {
    /// Of a verified record.
    fn new<P: Position>(record: &'a GameRecord) -> GameRow<'a> {
        let mut position: P =
            (record.start().parse()).expect("a verified record has a valid start");
        let decisions = record
            .decisions()
            .map(|decision| {
                let uci = |mv| position.uci(mv);
                let searched = decision.kind != DecisionKind::Unsearched;
                let wdl = decision.wdl;
                let row = DecisionRow {
                    turn: position.turn(),
                    mv: uci(decision.mv),
                    kind: match decision.kind {
                        DecisionKind::Unsearched => "unsearched",
                        DecisionKind::Searched => "searched",
                        DecisionKind::ReducedVisits => "reduced-visits",
                    },
                    wdl: searched.then_some([wdl.win, wdl.draw, wdl.loss]),
                    policy: (decision.policy.iter())
                        .map(|&(mv, share)| (uci(mv), share))
                        .collect(),
                };
                position.play(decision.mv);
                row
            })
            .collect();
        GameRow { record, decisions }
    }

    /// 1 White won, 0 a draw, −1 Black won.
    fn result(&self) -> i32 {
        match self.record.winner() {
            Some(Color::White) => 1,
            None => 0,
            Some(Color::Black) => -1,
        }
    }
}

/// Writes a file under a temporary name and renames it: what has the name is complete.
pub fn write_whole<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let temporary = temporary(path);
    let file = File::create(&temporary)
        .with_context(|| format!("cannot write {}", temporary.display()))?;
    let mut out = BufWriter::new(file);
    let result = write(&mut out).and_then(|value| {
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(&temporary, path)?;
        Ok(value)
    });
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result.with_context(|| format!("cannot write {}", path.display()))
}

fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    name.into()
}
