//! The board and everything around it: where things are, lines, highlights, hands, points.

use super::tile::{self, colours};
use super::{Drawing, SvgOptions, tenth};
use crate::{Board, ByColor, Color, Mark, Move, Occupant, Origin, Piece, Position, Square};

const SQUARE: f32 = 46.0;
/// Around the board.
const MARGIN: f32 = 8.0;
/// Left of the board and below it, for the names of files and ranks.
const NAMES: f32 = 16.0;
/// Height of the strips above and below for pieces off the board and points.
const STRIP: f32 = 42.0;
/// Size of the tiles there.
const STRIP_SCALE: f32 = 0.84;

const LINE: &str = "#8b6b3d";

pub(super) struct Layout {
    board: Board,
    bottom: Color,
    /// The upper left corner of the board.
    left: f32,
    top: f32,
    width: f32,
    height: f32,
}

impl Layout {
    pub(super) fn new<P: Position>(options: &SvgOptions) -> Layout {
        let strips = !P::PLACEABLE.is_empty() || P::WINNING_POINTS > 0;
        let strip = if strips { STRIP } else { 0.0 };
        let names = if options.coordinates { NAMES } else { 0.0 };
        let board = P::BOARD;
        Layout {
            board,
            bottom: options.bottom,
            left: MARGIN + names,
            top: MARGIN + strip,
            width: 2.0 * MARGIN + names + SQUARE * f32::from(board.files),
            height: 2.0 * (MARGIN + strip) + names + SQUARE * f32::from(board.ranks),
        }
    }

    /// The point `files` and `ranks` from the board's lower left corner, as White sees it.
    fn corner(&self, (files, ranks): (u8, u8)) -> (f32, f32) {
        let (files, ranks) = match self.bottom {
            Color::White => (files, self.board.ranks - ranks),
            Color::Black => (self.board.files - files, ranks),
        };
        (
            self.left + SQUARE * f32::from(files),
            self.top + SQUARE * f32::from(ranks),
        )
    }

    /// The middle of a square.
    pub(super) fn centre(&self, square: Square) -> (f32, f32) {
        let (file, rank) = (self.board.file(square), self.board.rank(square));
        let (x, y) = self.corner((file, rank));
        let (x2, y2) = self.corner((file + 1, rank + 1));
        (f32::midpoint(x, x2), f32::midpoint(y, y2))
    }

    fn bottom_edge(&self) -> f32 {
        self.top + SQUARE * f32::from(self.board.ranks)
    }

    fn right_edge(&self) -> f32 {
        self.left + SQUARE * f32::from(self.board.files)
    }

    /// The middle height of a side's strip.
    fn strip(&self, side: Color) -> f32 {
        if side == self.bottom {
            self.height - MARGIN - STRIP / 2.0
        } else {
            MARGIN + STRIP / 2.0
        }
    }

    pub(super) fn open<P: Position>(&self, out: &mut Drawing, position: &P) {
        let (width, height) = (self.width, self.height);
        out.add(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif">"#
        ));
        out.add(format_args!("\n<title>{position}</title>\n"));
    }

    fn area(&self, out: &mut Drawing, from: (u8, u8), to: (u8, u8), attributes: &str) {
        let (x1, y1) = self.corner(from);
        let (x2, y2) = self.corner(to);
        let (x, y) = (x1.min(x2), y1.min(y2));
        let (width, height) = ((x1 - x2).abs(), (y1 - y2).abs());
        out.add(format_args!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" {attributes}/>"#
        ));
        out.add(format_args!("\n"));
    }

    pub(super) fn board(&self, out: &mut Drawing, marks: &[Mark]) {
        let (files, ranks) = (self.board.files, self.board.ranks);
        self.area(out, (0, 0), (files, ranks), r##"fill="#f2deb0""##);
        for mark in marks {
            match *mark {
                Mark::River { from, to } => self.area(out, from, to, r##"fill="#c3d3cf""##),
                Mark::Zone { from, to } => self.area(out, from, to, r##"fill="#e2bf82""##),
                Mark::Line { .. } => {}
            }
        }
        let mut lines = String::new();
        for file in 1..files {
            lines += &self.line((file, 0), (file, ranks));
        }
        for rank in 1..ranks {
            lines += &self.line((0, rank), (files, rank));
        }
        out.add(format_args!(
            r#"<path fill="none" stroke="{LINE}" d="{lines}"/>"#
        ));
        let mut lines = String::new();
        for mark in marks {
            match *mark {
                Mark::Line { from, to } => lines += &self.line(from, to),
                Mark::Zone { from, to } => {
                    lines += &self.line(from, to);
                    lines += &self.line((from.0, to.1), (to.0, from.1));
                }
                Mark::River { .. } => {}
            }
        }
        if !lines.is_empty() {
            out.add(format_args!(
                r#"<path fill="none" stroke="{LINE}" stroke-width="2.2" d="{lines}"/>"#
            ));
        }
        let frame = format!(r#"fill="none" stroke="{LINE}" stroke-width="2.4""#);
        self.area(out, (0, 0), (files, ranks), &frame);
    }

    fn line(&self, from: (u8, u8), to: (u8, u8)) -> String {
        let (x1, y1) = self.corner(from);
        let (x2, y2) = self.corner(to);
        format!("M{x1} {y1}L{x2} {y2}")
    }

    pub(super) fn highlight(&self, out: &mut Drawing, mv: Move) {
        let mut square = |square: Square, opacity: &str| {
            let (file, rank) = (self.board.file(square), self.board.rank(square));
            let attributes = format!(
                r##"class="last" fill="#f6b817" fill-opacity="{opacity}" stroke="#b47a00" stroke-width="2""##
            );
            self.area(out, (file, rank), (file + 1, rank + 1), &attributes);
        };
        if let Origin::Board(from) = mv.origin() {
            square(from, "0.35");
        }
        square(mv.to(), "0.6");
    }

    pub(super) fn coordinates(&self, out: &mut Drawing) {
        out.add(format_args!(
            r##"<g fill="#6b5330" font-size="11" text-anchor="middle">"##
        ));
        for file in 0..self.board.files {
            let (x, _) = self.centre(self.board.square(file, 0));
            let y = self.bottom_edge() + 13.0;
            let name = char::from(b'a' + file);
            out.add(format_args!(r#"<text x="{x}" y="{y}">{name}</text>"#));
        }
        for rank in 0..self.board.ranks {
            let (_, y) = self.centre(self.board.square(0, rank));
            let (x, y) = (self.left - 9.0, y + 4.0);
            let name = rank + 1;
            out.add(format_args!(r#"<text x="{x}" y="{y}">{name}</text>"#));
        }
        out.add(format_args!("</g>\n"));
    }

    /// A broad line along the edge of the side to move.
    pub(super) fn turn(&self, out: &mut Drawing, side: Color) {
        let y = if side == self.bottom {
            self.bottom_edge()
        } else {
            self.top
        };
        let (x1, x2) = (self.left, self.right_edge());
        let ink = colours(side).edge;
        out.add(format_args!(
            r#"<path class="turn" stroke="{ink}" stroke-width="4" d="M{x1} {y}H{x2}"/>"#
        ));
        out.add(format_args!("\n"));
    }

    pub(super) fn stones<P: Position>(&self, out: &mut Drawing, position: &P) {
        for square in P::BOARD.all() {
            if position.occupant(square) == Some(Occupant::Stone) {
                let (x, y) = self.centre(square);
                out.add(format_args!(
                    r##"<g class="stone"><circle cx="{x}" cy="{y}" r="16" fill="#8d9191" stroke="#4f5455" stroke-width="1.4"/><path fill="none" stroke="#c9cecd" stroke-width="2" stroke-linecap="round" d="M{} {y}a10 10 0 0 1 10 -10"/></g>"##,
                    x - 10.0
                ));
                out.add(format_args!("\n"));
            }
        }
    }

    /// The pieces of a side that are off the board.
    pub(super) fn off_board<P: Position>(&self, out: &mut Drawing, position: &P, side: Color) {
        let forward_is_up = side == self.bottom;
        if let Some(pending) = position.pending() {
            if pending.color == side {
                let x = self.left + SQUARE / 2.0;
                let y = self.strip(position.turn());
                let at = (x, y, STRIP_SCALE);
                tile::piece(out, P::PIECE_TYPES, pending, at, forward_is_up);
            }
            return;
        }
        let mut x = self.left + SQUARE / 2.0;
        let y = self.strip(side);
        for &piece_type in P::PLACEABLE {
            let count = position.hand(side, piece_type);
            if count == 0 {
                continue;
            }
            let piece = Piece {
                color: side,
                piece_type,
            };
            tile::piece(
                out,
                P::PIECE_TYPES,
                piece,
                (x, y, STRIP_SCALE),
                forward_is_up,
            );
            x += STRIP;
            if count > 1 {
                let (at, y) = (tenth(x - 18.0), tenth(y + 5.0));
                out.add(format_args!(
                    r##"<text class="count" x="{at}" y="{y}" font-size="14" fill="#3a3226" stroke="none">{count}</text>"##
                ));
                x += 12.0;
            }
        }
    }

    pub(super) fn points(&self, out: &mut Drawing, points: ByColor<u8>, winning: u8) {
        for side in Color::ALL {
            let y = self.strip(side);
            let ink = colours(side).edge;
            out.add(format_args!(
                r#"<g class="points" stroke="{ink}" stroke-width="1.6">"#
            ));
            for point in 0..winning {
                let x = self.right_edge() - 10.0 - 18.0 * f32::from(winning - 1 - point);
                let fill = if point < points[side] { ink } else { "none" };
                out.add(format_args!(
                    r#"<circle cx="{x}" cy="{y}" r="6.5" fill="{fill}"/>"#
                ));
            }
            out.add(format_args!("</g>\n"));
        }
    }
}
