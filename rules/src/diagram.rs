use crate::{Color, Occupant, Piece, Position};

/// The board as text, from White's side, with its coordinates: upper case for White's pieces,
/// `.` for an empty square, `#` for a stone. Ends with a line break.
///
/// ```
/// use garuda_rules::tori::ToriPosition;
/// use garuda_rules::{Position, diagram};
///
/// let text = diagram(&ToriPosition::start());
/// assert_eq!(text.lines().next(), Some(" 7  r  p  c  k  c  p  l"));
/// assert_eq!(text.lines().last(), Some("    a  b  c  d  e  f  g"));
/// ```
pub fn diagram<P: Position>(position: &P) -> String {
    let board = P::BOARD;
    let mut text = String::new();
    for rank in (0..board.ranks).rev() {
        text += &format!("{:>2} ", rank + 1);
        let squares = (0..board.files).map(|file| board.square(file, rank));
        let letters =
            squares.map(|square| format!("{:>2}", letter::<P>(position.occupant(square))));
        text += &letters.collect::<Vec<_>>().join(" ");
        text.push('\n');
    }
    let files = (0..board.files).map(|file| format!(" {}", char::from(b'a' + file)));
    text + "   " + &files.collect::<Vec<_>>().join(" ") + "\n"
}

fn letter<P: Position>(occupant: Option<Occupant>) -> String {
    match occupant {
        None => ".".to_owned(),
        Some(Occupant::Stone) => "#".to_owned(),
        Some(Occupant::Piece(Piece { color, piece_type })) => {
            let letter = P::PIECE_TYPES[usize::from(piece_type)].letter;
            match color {
                Color::White => letter.to_owned(),
                Color::Black => letter.to_ascii_lowercase(),
            }
        }
    }
}
