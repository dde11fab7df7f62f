//! The FEN: `board side phase redPoints blackPoints`.

use std::fmt;
use std::str::FromStr;

use super::{BOARD, EternalPosition, OF_A_KIND, PIECE_TYPES, Phase, RIVER, WINNING_POINTS, ZONE};
use crate::fen::{Field, fields, letter, piece, read_board, square_in_board, write_board};
use crate::{Bits, ByColor, Color, FenError, Occupant, Position, Square};

impl fmt::Display for EternalPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_board(f, BOARD, |square| {
            self.occupant(square).map(|occupant| match occupant {
                Occupant::Piece(piece) => letter(&PIECE_TYPES, piece),
                Occupant::Stone => "o".to_owned(),
            })
        })?;
        let side = match self.turn {
            Color::White => 'r',
            Color::Black => 'b',
        };
        write!(f, " {side} ")?;
        match self.phase {
            Phase::Move => write!(f, "-")?,
            Phase::Place(piece) => write!(f, "P:{}", letter(&PIECE_TYPES, piece))?,
            Phase::Deport(square) => write!(f, "D:{}", BOARD.name(square).to_ascii_uppercase())?,
        }
        write!(f, " {} {}", self.points.white, self.points.black)
    }
}

impl FromStr for EternalPosition {
    type Err = FenError;

    fn from_str(text: &str) -> Result<EternalPosition, FenError> {
        let fields: [Field<'_>; 5] = fields(text, 5, 5)?
            .try_into()
            .expect("five fields were asked for");
        let [board, side, phase, red, black] = fields;
        let mut position = EternalPosition::empty();
        read_board(board, BOARD, |letter, square| {
            if letter == "o" {
                position.toggle_stone(square);
            } else if let Some(piece) = piece(&PIECE_TYPES, letter) {
                position.toggle(piece, square);
            } else {
                return false;
            }
            true
        })?;
        position.turn = match side.text {
            "r" => Color::White,
            "b" => Color::Black,
            other => return Err(side.error(format!("the side must be r or b, not {other:?}"))),
        };
        position.phase = read_phase(phase)?;
        let max = u32::from(WINNING_POINTS);
        position.points = ByColor::new(
            red.number("Red's points", max)? as u8,
            black.number("Black's points", max)? as u8,
        );
        position.check_board(board)?;
        position.check_phase(phase)?;
        position.check_points(ByColor::new(red, black))?;
        position.key = position.key_from_scratch();
        Ok(position)
    }
}

fn read_phase(field: Field<'_>) -> Result<Phase, FenError> {
    if field.text == "-" {
        return Ok(Phase::Move);
    }
    if let Some(letter) = field.text.strip_prefix("P:") {
        return piece(&PIECE_TYPES, letter)
            .map(Phase::Place)
            .ok_or_else(|| field.error_at(2, format!("there is no piece {letter:?}")));
    }
    if let Some(square) = field.text.strip_prefix("D:") {
        return BOARD
            .parse(square)
            .map(Phase::Deport)
            .ok_or_else(|| field.error_at(2, format!("there is no square {square:?}")));
    }
    let text = field.text;
    Err(field.error(format!(
        "the phase must be -, P:piece or D:square, not {text:?}"
    )))
}

fn name(color: Color) -> &'static str {
    match color {
        Color::White => "Red",
        Color::Black => "Black",
    }
}

impl EternalPosition {
    fn check_board(&self, field: Field<'_>) -> Result<(), FenError> {
        let error = |square: Square, what: String| {
            let offset = square_in_board(field, BOARD, square);
            field.error_at(offset, what)
        };
        if let Some(square) = (self.stones & !RIVER).first() {
            return Err(error(square, "a stone outside row 5".to_owned()));
        }
        for color in Color::ALL {
            for (piece_type, pieces) in PIECE_TYPES.iter().zip(self.piece_types) {
                if let Some(third) = (pieces & self.sides[color]).squares().nth(OF_A_KIND) {
                    let what = format!("{} has more than two {}s", name(color), piece_type.name);
                    return Err(error(third, what));
                }
            }
            if let Some(second) = (self.sides[color] & ZONE[color]).squares().nth(1) {
                let what = format!("{} has a second piece in its own zone", name(color));
                return Err(error(second, what));
            }
            // A scorer is deported before anything else happens.
            let scorer = match self.phase {
                Phase::Deport(square) => u128::of(square),
                Phase::Move | Phase::Place(_) => 0,
            };
            if let Some(square) = (self.sides[color] & ZONE[!color] & !scorer).first() {
                let what = format!(
                    "a piece in {}'s zone that has not been deported",
                    name(!color)
                );
                return Err(error(square, what));
            }
        }
        Ok(())
    }

    fn check_phase(&self, field: Field<'_>) -> Result<(), FenError> {
        match self.phase {
            Phase::Move => Ok(()),
            Phase::Place(piece) => {
                let on_board =
                    self.piece_types[usize::from(piece.piece_type)] & self.sides[piece.color];
                if on_board.len() < OF_A_KIND {
                    return Ok(());
                }
                let piece_type = PIECE_TYPES[usize::from(piece.piece_type)].name;
                let what = format!("{} has two {piece_type}s on the board", name(piece.color));
                Err(field.error_at(2, what))
            }
            Phase::Deport(square) => {
                let scorers = self.sides[!self.turn] & ZONE[self.turn];
                if scorers.has(square) {
                    return Ok(());
                }
                let what = format!(
                    "no piece of {} stands on {} in {}'s zone",
                    name(!self.turn),
                    BOARD.name(square),
                    name(self.turn)
                );
                Err(field.error_at(2, what))
            }
        }
    }

    fn check_points(&self, fields: ByColor<Field<'_>>) -> Result<(), FenError> {
        for color in Color::ALL {
            let has_scored = color != self.turn && matches!(self.phase, Phase::Deport(_));
            let points = self.points[color];
            if has_scored && points == 0 {
                let what = format!("{} has just scored: it has a point", name(color));
                return Err(fields[color].error(what));
            }
            if !has_scored && points == WINNING_POINTS {
                let what = format!(
                    "{} won with its fourth point: there is no next turn",
                    name(color)
                );
                return Err(fields[color].error(what));
            }
        }
        Ok(())
    }
}
