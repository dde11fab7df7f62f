//! Drawings of positions as SVG: self-contained, with no ids that could clash on a page, and no
//! font beyond Latin letters.
//!
//! A piece is a tile that points forward for its owner and carries its letter, with little marks
//! around it that tell how the piece moves: see `tile.rs`.

mod board;
mod tile;

use std::fmt::{Arguments, Write};

use crate::{Color, Move, Occupant, Position};
use board::Layout;

pub use tile::TileMarks;

/// What a drawing shows besides the position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SvgOptions {
    /// A move whose squares are highlighted.
    pub last_move: Option<Move>,
    /// Whether files and ranks are named.
    pub coordinates: bool,
    /// The side at the bottom.
    pub bottom: Color,
}

impl Default for SvgOptions {
    fn default() -> Self {
        SvgOptions {
            last_move: None,
            coordinates: true,
            bottom: Color::White,
        }
    }
}

/// Draws a position as an SVG document.
pub fn svg<P: Position>(position: &P, options: &SvgOptions) -> String {
    let layout = Layout::new::<P>(options);
    let mut out = Drawing(String::with_capacity(1 << 14));
    layout.open(&mut out, position);
    layout.board(&mut out, P::MARKS);
    if let Some(mv) = options.last_move {
        layout.highlight(&mut out, mv);
    }
    if options.coordinates {
        layout.coordinates(&mut out);
    }
    layout.turn(&mut out, position.turn());
    layout.stones(&mut out, position);
    for side in Color::ALL {
        tile::open_side(&mut out, side);
        let forward_is_up = side == options.bottom;
        for square in P::BOARD.all() {
            if let Some(Occupant::Piece(piece)) = position.occupant(square)
                && piece.color == side
            {
                let (x, y) = layout.centre(square);
                tile::piece(&mut out, P::PIECE_TYPES, piece, (x, y, 1.0), forward_is_up);
            }
        }
        layout.off_board(&mut out, position, side);
        out.add(format_args!("</g>\n"));
    }
    if let Some(points) = position.points() {
        layout.points(&mut out, points, P::WINNING_POINTS);
    }
    out.add(format_args!("</svg>\n"));
    out.0
}

/// An SVG document being written.
struct Drawing(String);

impl Drawing {
    fn add(&mut self, text: Arguments<'_>) {
        self.0.write_fmt(text).expect("a string takes any text");
    }
}

/// A coordinate to a tenth, without a sign on zero.
fn tenth(x: f32) -> f32 {
    (x * 10.0).round() / 10.0 + 0.0
}
