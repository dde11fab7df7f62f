//! Sittuyin's FEN, and which positions it may give.

use std::fmt;
use std::str::FromStr;

use super::hands::{Hand, Hands};
use super::{PLACEABLE, SittuyinPosition, booklet, modern, starting_pawns};
use crate::chaturanga::{Census, State, first_name, validate};
use crate::fen::{self, Field};
use crate::{Bits, ByColor, Color, FenError, Piece, Position};

const CENSUS: Census = Census {
    of_piece_type: [8, 1, 2, 2, 2, 1],
    pawns_and_generals: 9,
};

impl<const BOOKLET: bool> fmt::Display for SittuyinPosition<BOOKLET> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.write_board(f, Self::PIECE_TYPES)?;
        f.write_str("[")?;
        for color in Color::ALL {
            for (index, &count) in self.hands.of(color).iter().enumerate() {
                let piece_type = PLACEABLE[index];
                let letter = fen::letter(Self::PIECE_TYPES, Piece { color, piece_type });
                for _ in 0..count {
                    f.write_str(&letter)?;
                }
            }
        }
        f.write_str("]")?;
        self.state.write_fields(f)
    }
}

impl<const BOOKLET: bool> FromStr for SittuyinPosition<BOOKLET> {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        let fields = fen::fields(text, 6, 6)?;
        let (board, hand) = fen::split_hand(fields[0])?;
        let state = State::read(board, &fields, Self::PIECE_TYPES)?;
        let hands = match hand {
            Some(field) => Self::read_hands(field)?,
            None => ByColor::default(),
        };
        let hands = Hands::new(hands);
        let position = SittuyinPosition { state, hands };
        validate(
            &state,
            &fields,
            Self::PIECE_TYPES,
            &CENSUS,
            |color, piece_type| position.hand(color, piece_type).into(),
        )?;
        position.validate_counting(fields[3])?;
        if !hands.are_empty() {
            position.validate_setting_up(&fields)?;
        }
        Ok(position)
    }
}

impl<const BOOKLET: bool> SittuyinPosition<BOOKLET> {
    fn read_hands(field: Field<'_>) -> Result<ByColor<Hand>, FenError> {
        let mut hands = ByColor::<Hand>::default();
        for (i, c) in field.text.chars().enumerate() {
            let piece = fen::piece(Self::PIECE_TYPES, c.encode_utf8(&mut [0; 4]));
            let place = piece.and_then(|Piece { color, piece_type }| {
                let index = PLACEABLE
                    .iter()
                    .position(|&placeable| placeable == piece_type)?;
                Some((color, index))
            });
            let Some((color, index)) = place else {
                return Err(field.error_at(i, format!("there is no piece {c:?} to place")));
            };
            let count = &mut hands[color][index];
            *count = count
                .checked_add(1)
                .ok_or_else(|| field.error_at(i, format!("too many pieces {c:?}")))?;
        }
        Ok(hands)
    }

    fn validate_counting(&self, field: Field<'_>) -> Result<(), FenError> {
        let (pieces, limit) = (&self.state.pieces, self.state.counting.limit);
        if limit == 0 {
            return Ok(());
        }
        if BOOKLET {
            return Err(field.error("the booklet knows no counting: the field must be -"));
        }
        if pieces.pawns() != 0 || !Color::ALL.into_iter().any(|color| pieces.is_bare(color)) {
            return Err(field.error("counting needs a bare king and no pawns"));
        }
        if !modern::LIMITS.contains(&limit) {
            let limits = modern::LIMITS;
            let what = format!("the counting limit must be one of {limits:?}, not {limit}");
            return Err(field.error(what));
        }
        Ok(())
    }

    /// While pieces are placed nothing has moved, and the sides have taken their turns.
    fn validate_setting_up(&self, fields: &[Field<'_>]) -> Result<(), FenError> {
        let (pieces, board) = (&self.state.pieces, fields[0]);
        for color in Color::ALL {
            let own = pieces.of(color);
            if pieces.pawns() & own != starting_pawns(color) {
                let what = format!("{color}'s pawns have moved, but there are pieces to place");
                return Err(board.error(what));
            }
            for piece_type in PLACEABLE {
                let zone = if BOOKLET {
                    booklet::zone(color, piece_type)
                } else {
                    modern::zone(color, piece_type)
                };
                let misplaced = own & pieces.of_piece_type(piece_type) & !zone;
                if let Some(square) = first_name(misplaced) {
                    let name = Self::PIECE_TYPES[usize::from(piece_type)].name;
                    let what = format!("{color}'s {name} cannot be placed on {square}");
                    return Err(board.error(what));
                }
            }
        }
        self.validate_turn(fields[1])?;
        if BOOKLET {
            self.validate_rooks(board)?;
        }
        Ok(())
    }

    /// Either side may be the one that began: the colours are as good as exchanged.
    fn validate_turn(&self, field: Field<'_>) -> Result<(), FenError> {
        let turn = self.state.turn;
        let (to_place, others) = (self.hands.size(turn), self.hands.size(!turn));
        if BOOKLET {
            let started = (self.state.pieces.of(!turn) & !self.state.pieces.pawns()).len();
            if to_place == 0 || others > 0 && started > 0 {
                let what = "one side places all of its pieces, then the other";
                return Err(field.error(what));
            }
        } else if to_place != others && to_place != others + 1 {
            let what = format!(
                "the sides place pieces in turn, but {turn} has {to_place} left and {} {others}",
                !turn
            );
            return Err(field.error(what));
        }
        Ok(())
    }

    /// A rook was placed after the enemy's king if its side is the second to place.
    fn validate_rooks(&self, board: Field<'_>) -> Result<(), FenError> {
        let (pieces, turn) = (&self.state.pieces, self.state.turn);
        let facing = pieces.rooks() & pieces.of(turn) & booklet::facing_king(pieces, turn);
        if let Some(square) = first_name(facing) {
            let what = format!("{turn}'s rook on {square} faces the king past pawns only");
            return Err(board.error(what));
        }
        Ok(())
    }
}
