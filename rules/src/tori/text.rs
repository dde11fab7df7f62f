//! The FEN of a position.

use std::fmt;
use std::str::FromStr;

use super::kinds::{self, KINDS, PHOENIX, SUPPLY, SWALLOW, demoted};
use super::position::ToriPosition;
use super::squares::{BOARD, files_with, last_rank};
use crate::text::{Field, fields, read_board, split_hand, write_board};
use crate::{Bits, Color, Position, TextError};

impl FromStr for ToriPosition {
    type Err = TextError;

    /// `board[hands] turn - - quiet-plies number`. The dashes may be missing and `[-]` may stand
    /// for empty hands: sites that play shogi write so.
    fn from_str(text: &str) -> Result<ToriPosition, TextError> {
        let all = fields(text, 4, 6)?;
        let (board, turn, dashes, quiet_plies, number) = match *all.as_slice() {
            [board, turn, quiet, number] => (board, turn, None, quiet, number),
            [board, turn, a, b, quiet, number] => (board, turn, Some([a, b]), quiet, number),
            _ => return Err(all[4].error("4 or 6 fields expected, 5 found")),
        };
        let mut position = ToriPosition::EMPTY;
        position.read_men(board)?;
        position.turn = match turn.text {
            "w" => Color::White,
            "b" => Color::Black,
            other => {
                return Err(turn.error(format!("the turn must be 'w' or 'b', not {other:?}")));
            }
        };
        for field in dashes.into_iter().flatten() {
            if field.text != "-" {
                let what = format!("'-' expected, not {:?}", field.text);
                return Err(field.error(what));
            }
        }
        let max = u32::from(ToriPosition::MAX_COUNTER);
        position.quiet_plies = quiet_plies.number("the number of quiet plies", max)? as u16;
        position.number = number.number("the move number", max)?.max(1) as u16;
        position.validate(board, turn)?;
        position.key = position.key_from_scratch();
        Ok(position)
    }
}

impl ToriPosition {
    fn read_men(&mut self, field: Field<'_>) -> Result<(), TextError> {
        let (board, hands) = split_hand(field)?;
        read_board(board, BOARD, |letter, square| {
            let found = read_letter(letter);
            if let Some((color, kind)) = found {
                self.toggle(color, kind, square);
            }
            found.is_some()
        })?;
        let Some(hands) = hands.filter(|hands| hands.text != "-") else {
            return Ok(());
        };
        for (i, c) in hands.text.chars().enumerate() {
            let mut letter = [0; 4];
            match read_letter(c.encode_utf8(&mut letter)) {
                Some((color, kind)) if kind < kinds::IN_HAND => {
                    if self.hands[color].count(kind) >= SUPPLY[kind] {
                        let what = format!("too many men {c:?} in hand");
                        return Err(hands.error_at(i, what));
                    }
                    self.hands[color].add(kind);
                }
                _ => return Err(hands.error_at(i, format!("{c:?} cannot be in hand"))),
            }
        }
        Ok(())
    }

    /// Refuses what no game can come to. (It does not refuse all of it.)
    fn validate(&self, board: Field<'_>, turn: Field<'_>) -> Result<(), TextError> {
        for color in Color::ALL {
            let phoenixes = (self.by_kind[PHOENIX] & self.by_color[color]).len();
            if phoenixes != 1 {
                return Err(board.error(format!("{color} has {phoenixes} phoenixes")));
            }
        }
        for (kind, &supply) in SUPPLY.iter().enumerate() {
            let on_board: usize = (0..kinds::COUNT)
                .filter(|&other| demoted(other) == kind)
                .map(|other| self.by_kind[other].len())
                .sum();
            let held = |color: Color| usize::from(self.hands[color].count(kind));
            let total = on_board + held(Color::White) + held(Color::Black);
            if total > usize::from(supply) {
                let name = KINDS[kind].name;
                let what = format!("{total} men that are or were a {name}; {supply} is the most");
                return Err(board.error(what));
            }
        }
        for color in Color::ALL {
            let swallows = self.by_kind[SWALLOW] & self.by_color[color];
            if let Some(square) = (swallows & last_rank(color)).first() {
                let name = BOARD.name(square);
                let what = format!("{color} has a swallow on {name}, its last rank");
                return Err(board.error(what));
            }
            if let Some(square) = files_with(3, swallows).first() {
                let file = char::from(b'a' + BOARD.file(square));
                let what = format!("{color} has more than two swallows on file {file}");
                return Err(board.error(what));
            }
        }
        if self.in_check(!self.turn) {
            let what = format!("{} is in check, but it is {}'s turn", !self.turn, self.turn);
            return Err(turn.error(what));
        }
        Ok(())
    }
}

/// The man that a letter, `+` included, stands for.
fn read_letter(letter: &str) -> Option<(Color, usize)> {
    let color = if letter.bytes().any(|b| b.is_ascii_uppercase()) {
        Color::White
    } else {
        Color::Black
    };
    KINDS
        .iter()
        .position(|kind| kind.letter.eq_ignore_ascii_case(letter))
        .map(|kind| (color, kind))
}

fn letter_of(color: Color, kind: usize) -> String {
    match color {
        Color::White => KINDS[kind].letter.to_owned(),
        Color::Black => KINDS[kind].letter.to_ascii_lowercase(),
    }
}

impl fmt::Display for ToriPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_board(f, BOARD, |square| {
            Color::ALL
                .into_iter()
                .find(|&color| self.by_color[color].has(square))
                .map(|color| letter_of(color, self.kind_at(square)))
        })?;
        f.write_str("[")?;
        for color in Color::ALL {
            for kind in (0..kinds::IN_HAND).rev() {
                let letter = letter_of(color, kind);
                for _ in 0..self.hands[color].count(kind) {
                    f.write_str(&letter)?;
                }
            }
        }
        let (turn, quiet_plies, number) = (self.turn.letter(), self.quiet_plies, self.number);
        write!(f, "] {turn} - - {quiet_plies} {number}")
    }
}
