//! What the FENs of all games share: fields, the letters of pieces, the board, square by square, and
//! hands.

use crate::{Board, Color, FenError, Piece, PieceType, Square};

/// One space-separated field of a FEN, and where it begins.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) whole: &'a str,
    pub(crate) text: &'a str,
    /// In characters from the beginning of `whole`.
    pub(crate) at: usize,
}

impl<'a> Field<'a> {
    pub(crate) fn error(self, what: impl Into<String>) -> FenError {
        FenError::new(self.whole, self.at, what)
    }

    pub(crate) fn error_at(self, offset: usize, what: impl Into<String>) -> FenError {
        FenError::new(self.whole, self.at + offset, what)
    }

    /// A whole number from 0 to `max`.
    pub(crate) fn number(self, name: &str, max: u32) -> Result<u32, FenError> {
        let digits = !self.text.is_empty() && self.text.bytes().all(|b| b.is_ascii_digit());
        digits
            .then(|| self.text.parse().ok())
            .flatten()
            .filter(|&n| n <= max)
            .ok_or_else(|| {
                let text = self.text;
                self.error(format!(
                    "{name} must be a number from 0 to {max}, not {text:?}"
                ))
            })
    }

    /// The part of this field from character `from` to before `to`.
    pub(crate) fn part(self, from: usize, to: usize) -> Field<'a> {
        let byte = |n: usize| {
            self.text
                .char_indices()
                .nth(n)
                .map_or(self.text.len(), |(i, _)| i)
        };
        Field {
            text: &self.text[byte(from)..byte(to)],
            at: self.at + from,
            ..self
        }
    }
}

/// Splits a FEN into its fields, which single spaces separate. `min..=max` of them.
pub(crate) fn fields(text: &str, min: usize, max: usize) -> Result<Vec<Field<'_>>, FenError> {
    let mut at = 0;
    let fields: Vec<_> = text
        .split(' ')
        .map(|part| {
            let field = Field {
                whole: text,
                text: part,
                at,
            };
            at += part.chars().count() + 1;
            field
        })
        .collect();
    if let Some(empty) = fields.iter().find(|f| f.text.is_empty()) {
        return Err(empty.error("an empty field: fields are separated by single spaces"));
    }
    if fields.len() < min || fields.len() > max {
        let wanted = if min == max {
            min.to_string()
        } else {
            format!("{min} to {max}")
        };
        let found = fields.len();
        return Err(FenError::new(
            text,
            text.chars().count(),
            format!("{wanted} fields expected, {found} found"),
        ));
    }
    Ok(fields)
}

/// The letter of a piece, with its `+` if it has one: upper case for White.
pub(crate) fn letter(piece_types: &[PieceType], piece: Piece) -> String {
    let letter = piece_types[usize::from(piece.piece_type)].letter;
    match piece.color {
        Color::White => letter.to_owned(),
        Color::Black => letter.to_ascii_lowercase(),
    }
}

/// The piece that a letter, with its `+` if it has one, stands for.
pub(crate) fn piece(piece_types: &[PieceType], letter: &str) -> Option<Piece> {
    let piece_type = (piece_types.iter())
        .position(|piece_type| piece_type.letter.eq_ignore_ascii_case(letter))?;
    let color = if letter == piece_types[piece_type].letter {
        Color::White
    } else {
        Color::Black
    };
    Some(Piece {
        color,
        piece_type: piece_type as u8,
    })
}

/// Reads the side to move, `w` or `b`.
pub(crate) fn turn(field: Field<'_>) -> Result<Color, FenError> {
    match field.text {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        other => Err(field.error(format!("the turn must be 'w' or 'b', not {other:?}"))),
    }
}

/// Reads a board, top rank first. `put` is given each piece's letter, with its `+` if it has one,
/// and its square, and says whether there is such a piece.
pub(crate) fn read_board(
    field: Field<'_>,
    board: Board,
    mut put: impl FnMut(&str, Square) -> bool,
) -> Result<(), FenError> {
    let (files, ranks) = (board.files, board.ranks);
    let mut rank = ranks - 1;
    let mut file = 0;
    let mut promoted = false;
    for (i, c) in field.text.chars().enumerate() {
        if promoted && !c.is_ascii_alphabetic() {
            return Err(field.error_at(i, format!("a letter must follow '+', not {c:?}")));
        }
        match c {
            '/' => {
                if file != files {
                    let name = rank + 1;
                    let what = format!("rank {name} has {file} files instead of {files}");
                    return Err(field.error_at(i, what));
                }
                rank = rank
                    .checked_sub(1)
                    .ok_or_else(|| field.error_at(i, format!("more than {ranks} ranks")))?;
                file = 0;
            }
            '1'..='9' => {
                file += c as u8 - b'0';
                if file > files {
                    let what = format!("rank {} has more than {files} files", rank + 1);
                    return Err(field.error_at(i, what));
                }
            }
            '+' => promoted = true,
            _ => {
                if file >= files {
                    let what = format!("rank {} has more than {files} files", rank + 1);
                    return Err(field.error_at(i, what));
                }
                let letter = if promoted {
                    format!("+{c}")
                } else {
                    c.to_string()
                };
                promoted = false;
                if !put(&letter, board.square(file, rank)) {
                    return Err(field.error_at(i, format!("there is no piece {letter:?}")));
                }
                file += 1;
            }
        }
    }
    let end = field.text.chars().count();
    if promoted {
        return Err(field.error_at(end, "a letter must follow '+'"));
    }
    if rank != 0 || file != files {
        let what = format!("the board ends on rank {} after {file} files", rank + 1);
        return Err(field.error_at(end, what));
    }
    Ok(())
}

/// Where the piece on `square` is in a board that [`read_board`] has accepted: characters from the
/// beginning of the field.
pub(crate) fn square_in_board(field: Field<'_>, board: Board, square: Square) -> usize {
    let mut rank = board.ranks - 1;
    let mut file = 0;
    for (i, c) in field.text.chars().enumerate() {
        match c {
            '/' => {
                rank -= 1;
                file = 0;
            }
            '1'..='9' => file += c as u8 - b'0',
            '+' => {}
            _ if board.square(file, rank) == square => return i,
            _ => file += 1,
        }
    }
    0
}

/// Splits `board[hand]` into its two parts; the hand is without its brackets, and `None` where
/// there are no brackets.
pub(crate) fn split_hand(field: Field<'_>) -> Result<(Field<'_>, Option<Field<'_>>), FenError> {
    let Some(open) = field.text.chars().position(|c| c == '[') else {
        return Ok((field, None));
    };
    let length = field.text.chars().count();
    if !field.text.ends_with(']') {
        return Err(field.error_at(length, "the hand must end with ']'"));
    }
    Ok((field.part(0, open), Some(field.part(open + 1, length - 1))))
}

/// Writes a board, top rank first. `letter` gives the text of what stands on a square.
pub(crate) fn write_board(
    out: &mut impl std::fmt::Write,
    board: Board,
    letter: impl Fn(Square) -> Option<String>,
) -> std::fmt::Result {
    for rank in (0..board.ranks).rev() {
        let mut empty = 0;
        for file in 0..board.files {
            match letter(board.square(file, rank)) {
                None => empty += 1,
                Some(text) => {
                    if empty > 0 {
                        write!(out, "{empty}")?;
                        empty = 0;
                    }
                    out.write_str(&text)?;
                }
            }
        }
        if empty > 0 {
            write!(out, "{empty}")?;
        }
        if rank > 0 {
            out.write_char('/')?;
        }
    }
    Ok(())
}
