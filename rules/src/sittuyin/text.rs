//! Sittuyin's FEN, and which positions it may give.

use std::fmt;
use std::str::FromStr;

use super::hands::{Hand, Hands};
use super::{PLACEABLE, SittuyinPosition, booklet, modern, starting_pawns};
use crate::chaturanga::{Census, State, first_name, parse_letter, validate};
use crate::text::{self, Field};
use crate::{Bits, ByColor, Color, Position, TextError};

const CENSUS: Census = Census {
    of_kind: [8, 1, 2, 2, 2, 1],
    pawns_and_generals: 9,
};

impl<const BOOKLET: bool> fmt::Display for SittuyinPosition<BOOKLET> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.write_board(f, Self::KINDS)?;
        f.write_str("[")?;
        for color in Color::ALL {
            for (index, &count) in self.hands.of(color).iter().enumerate() {
                let letter = Self::KINDS[usize::from(PLACEABLE[index])].letter;
                for _ in 0..count {
                    match color {
                        Color::White => f.write_str(letter)?,
                        Color::Black => f.write_str(&letter.to_lowercase())?,
                    }
                }
            }
        }
        f.write_str("]")?;
        self.state.write_fields(f)
    }
}

impl<const BOOKLET: bool> FromStr for SittuyinPosition<BOOKLET> {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let fields = text::fields(text, 6, 6)?;
        let (board, hand) = text::split_hand(fields[0])?;
        let state = State::read(board, &fields, Self::KINDS)?;
        let hands = match hand {
            Some(field) => Self::read_hands(field)?,
            None => ByColor::default(),
        };
        let hands = Hands::new(hands);
        let position = SittuyinPosition { state, hands };
        validate(&state, &fields, Self::KINDS, &CENSUS, |color, kind| {
            position.hand(color, kind).into()
        })?;
        position.validate_counting(fields[3])?;
        if !hands.are_empty() {
            position.validate_setting_up(&fields)?;
        }
        Ok(position)
    }
}

impl<const BOOKLET: bool> SittuyinPosition<BOOKLET> {
    fn read_hands(field: Field<'_>) -> Result<ByColor<Hand>, TextError> {
        let mut hands = ByColor::<Hand>::default();
        for (i, c) in field.text.chars().enumerate() {
            let man = parse_letter(Self::KINDS, c.encode_utf8(&mut [0; 4]));
            let place = man.and_then(|(color, kind)| {
                let index = PLACEABLE.iter().position(|&placeable| placeable == kind)?;
                Some((color, index))
            });
            let Some((color, index)) = place else {
                return Err(field.error_at(i, format!("there is no man {c:?} to place")));
            };
            let count = &mut hands[color][index];
            *count = count
                .checked_add(1)
                .ok_or_else(|| field.error_at(i, format!("too many men {c:?}")))?;
        }
        Ok(hands)
    }

    fn validate_counting(&self, field: Field<'_>) -> Result<(), TextError> {
        let (men, limit) = (&self.state.men, self.state.counting.limit);
        if limit == 0 {
            return Ok(());
        }
        if BOOKLET {
            return Err(field.error("the booklet knows no counting: the field must be -"));
        }
        if men.pawns() != 0 || !Color::ALL.into_iter().any(|color| men.is_bare(color)) {
            return Err(field.error("counting needs a bare king and no pawns"));
        }
        if !modern::LIMITS.contains(&limit) {
            let limits = modern::LIMITS;
            let what = format!("the counting limit must be one of {limits:?}, not {limit}");
            return Err(field.error(what));
        }
        Ok(())
    }

    /// While men are placed nothing has moved, and the sides have taken their turns.
    fn validate_setting_up(&self, fields: &[Field<'_>]) -> Result<(), TextError> {
        let (men, board) = (&self.state.men, fields[0]);
        for color in Color::ALL {
            let own = men.of(color);
            if men.pawns() & own != starting_pawns(color) {
                let what = format!("{color}'s pawns have moved, but there are men to place");
                return Err(board.error(what));
            }
            for kind in PLACEABLE {
                let zone = if BOOKLET {
                    booklet::zone(color, kind)
                } else {
                    modern::zone(color, kind)
                };
                let misplaced = own & men.of_kind(kind) & !zone;
                if let Some(square) = first_name(misplaced) {
                    let name = Self::KINDS[usize::from(kind)].name;
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
    fn validate_turn(&self, field: Field<'_>) -> Result<(), TextError> {
        let turn = self.state.turn;
        let (to_place, others) = (self.hands.size(turn), self.hands.size(!turn));
        if BOOKLET {
            let begun = (self.state.men.of(!turn) & !self.state.men.pawns()).len();
            if to_place == 0 || others > 0 && begun > 0 {
                let what = "one side places all of its men, then the other";
                return Err(field.error(what));
            }
        } else if to_place != others && to_place != others + 1 {
            let what = format!(
                "the sides place men in turn, but {turn} has {to_place} left and {} {others}",
                !turn
            );
            return Err(field.error(what));
        }
        Ok(())
    }

    /// A rook was placed after the enemy's king if its side is the second to place.
    fn validate_rooks(&self, board: Field<'_>) -> Result<(), TextError> {
        let (men, turn) = (&self.state.men, self.state.turn);
        let facing = men.rooks() & men.of(turn) & booklet::facing_king(men, turn);
        if let Some(square) = first_name(facing) {
            let what = format!("{turn}'s rook on {square} faces the king past pawns only");
            return Err(board.error(what));
        }
        Ok(())
    }
}
