use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{Move, Position};

/// Good moves of positions, with weights.
///
/// As text it is an EPD file with a line per position: the FEN, the moves in UCI notation behind the
/// opcode `bm`, and their weights behind `weight`. Empty lines and lines that start with `#` are
/// ignored; without `weight` all moves weigh the same.
///
/// ```
/// use garuda_rules::tori::ToriPosition;
/// use garuda_rules::{OpeningBook, Position};
///
/// let start = ToriPosition::start();
/// let book: OpeningBook<ToriPosition> = format!("{start} bm a3a4 e4e5; weight 3 1;").parse()?;
/// let moves: Vec<_> = (book.moves(&start).iter()).map(|&(mv, weight)| (start.uci(mv), weight)).collect();
/// assert_eq!(moves, [("a3a4".to_owned(), 3), ("e4e5".to_owned(), 1)]);
/// # Ok::<(), garuda_rules::BookError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningBook<P> {
    /// By key; positions that differ only in move counts are one.
    positions: BTreeMap<u64, BookPosition<P>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct BookPosition<P> {
    position: P,
    /// Weights are positive.
    moves: Vec<(Move, u32)>,
}

/// What is wrong with a line of a book.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line} of the book: {problem}")]
pub struct BookError {
    line: usize,
    problem: String,
}

impl<P> Default for OpeningBook<P> {
    fn default() -> Self {
        OpeningBook {
            positions: BTreeMap::new(),
        }
    }
}

impl<P: Position> OpeningBook<P> {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether it has no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds a legal move, or adds to its weight. A weight of 0 adds nothing.
    pub fn add(&mut self, position: &P, mv: Move, weight: u32) {
        if weight == 0 {
            return;
        }
        let new = BookPosition {
            position: *position,
            moves: Vec::new(),
        };
        let moves = &mut self.positions.entry(position.key()).or_insert(new).moves;
        match moves.iter_mut().find(|(known, _)| *known == mv) {
            Some((_, sum)) => *sum = sum.saturating_add(weight),
            None => moves.push((mv, weight)),
        }
    }

    /// The moves of a position with their weights; empty if it is not in the book.
    pub fn moves(&self, position: &P) -> &[(Move, u32)] {
        (self.positions.get(&position.key())).map_or(&[], |found| &found.moves)
    }

    /// A move of a position, drawn by weight. `random` is any number, all being equally likely.
    pub fn choose(&self, position: &P, random: u64) -> Option<Move> {
        let moves = self.moves(position);
        let total: u64 = moves.iter().map(|&(_, weight)| u64::from(weight)).sum();
        let mut left = random.checked_rem(total)?;
        let chosen = moves
            .iter()
            .find(|&&(_, weight)| match left.checked_sub(weight.into()) {
                Some(rest) => {
                    left = rest;
                    false
                }
                None => true,
            });
        chosen.map(|&(mv, _)| mv)
    }

    fn add_line(&mut self, line: &str) -> Result<(), String> {
        let (fen, operations) = line
            .split_once(" bm ")
            .ok_or("no opcode \"bm\" behind the position")?;
        let position: P = fen.trim().parse().map_err(|e| format!("{e}"))?;
        let mut operations = operations.split(';').map(str::trim);
        let moves: Vec<_> = (operations.next().unwrap_or_default())
            .split_whitespace()
            .map(|uci| position.parse_uci(uci).map_err(|e| e.to_string()))
            .collect::<Result<_, _>>()?;
        let mut weights = vec![1; moves.len()];
        for operation in operations {
            if let Some(list) = operation.strip_prefix("weight ") {
                weights = (list.split_whitespace())
                    .map(|weight| {
                        weight
                            .parse::<u32>()
                            .map_err(|e| format!("{weight:?}: {e}"))
                    })
                    .collect::<Result<_, _>>()?;
            }
        }
        if weights.len() != moves.len() {
            return Err(format!(
                "{} moves have {} weights",
                moves.len(),
                weights.len()
            ));
        }
        for (mv, weight) in moves.into_iter().zip(weights) {
            self.add(&position, mv, weight);
        }
        Ok(())
    }
}

impl<P: Position> FromStr for OpeningBook<P> {
    type Err = BookError;

    fn from_str(text: &str) -> Result<OpeningBook<P>, BookError> {
        let mut book = OpeningBook::default();
        for (i, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            book.add_line(line).map_err(|problem| BookError {
                line: i + 1,
                problem,
            })?;
        }
        Ok(book)
    }
}

impl<P: Position> fmt::Display for OpeningBook<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for BookPosition { position, moves } in self.positions.values() {
            write!(f, "{position} bm")?;
            for &(mv, _) in moves {
                write!(f, " {}", position.uci(mv))?;
            }
            write!(f, "; weight")?;
            for (_, weight) in moves {
                write!(f, " {weight}")?;
            }
            writeln!(f, ";")?;
        }
        Ok(())
    }
}
