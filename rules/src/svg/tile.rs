//! Tiles, and the marks on them that tell how a piece moves.
//!
//! A mark lies in the direction of its step. Its shape tells how the piece goes: a disc is a step
//! (as many as there are discs), a triangle a slide, a diamond a jump. It is filled where the piece
//! both moves and captures, hollow where it only moves, and a cross where it only captures. A bar
//! before the mark is a piece that must stand there, to be jumped (soldier) or fired over (cannon).
//! Hollow squares are the neighbours that lend their moves (advisor).

use super::{Drawing, tenth};
use crate::{Color, Piece, PieceType, Purpose, Step};

/// How far marks lie from the middle of a tile, counted along files or ranks.
const OUTER: f32 = 13.0;
/// The same for what lies before a mark.
const INNER: f32 = 9.0;

pub(super) struct Colours {
    pub(super) face: &'static str,
    pub(super) edge: &'static str,
    pub(super) ink: &'static str,
}

/// White's tiles are light and Black's dark: greys are enough to tell them apart.
pub(super) const fn colours(side: Color) -> Colours {
    match side {
        Color::White => Colours {
            face: "#fffaf0",
            edge: "#7a2a1d",
            ink: "#a02c1c",
        },
        Color::Black => Colours {
            face: "#37424e",
            edge: "#161b21",
            ink: "#f4ecd8",
        },
    }
}

/// The edge of promoted pieces.
const GOLD: &str = "#e0a526";

/// Opens the group of a side's pieces, with all that they have in common.
pub(super) fn open_side(out: &mut Drawing, side: Color) {
    let ink = colours(side).ink;
    out.add(format_args!(
        r#"<g class="{side}" fill="{ink}" stroke="{ink}" stroke-linecap="round" stroke-linejoin="round" text-anchor="middle" font-weight="bold">"#
    ));
    out.add(format_args!("\n"));
}

/// Draws a piece around `(x, y)` at a scale.
pub(super) fn piece(
    out: &mut Drawing,
    piece_types: &[PieceType],
    piece: Piece,
    (x, y, scale): (f32, f32, f32),
    forward_is_up: bool,
) {
    let piece_type = &piece_types[usize::from(piece.piece_type)];
    let (x, y) = (tenth(x), tenth(y));
    out.add(format_args!(
        r#"<g class="piece" transform="translate({x} {y})"#
    ));
    if scale != 1.0 {
        out.add(format_args!(" scale({scale})"));
    }
    out.add(format_args!(r#"">"#));
    let Colours { face, edge, .. } = colours(piece.color);
    let promoted = piece_type.letter.starts_with('+');
    let (edge, width) = if promoted { (GOLD, 2.2) } else { (edge, 1.2) };
    let up = if forward_is_up { 1.0 } else { -1.0 };
    out.add(format_args!(
        r#"<path fill="{face}" stroke="{edge}" stroke-width="{width}" d="M0 {}L18.2 {}L20 {}H-20L-18.2 {}Z"/>"#,
        -21.5 * up,
        -16.0 * up,
        20.0 * up,
        -16.0 * up,
    ));
    let size = if promoted { 14 } else { 18 };
    let base = if promoted { 5 } else { 6 };
    out.add(format_args!(
        r#"<text y="{base}" font-size="{size}" stroke="none">{}</text>"#,
        piece_type.letter
    ));
    let mut marks = TileMarks::default();
    for step in piece_type.steps {
        marks.add(step, up);
    }
    marks.write(out);
    out.add(format_args!("</g>\n"));
}

/// Path data of the marks on one tile, around the middle of the tile and with forward up. The side
/// at the top has them turned by half a turn.
///
/// ```
/// use garuda_rules::tori::ToriPosition;
/// use garuda_rules::{Position, TileMarks};
///
/// let swallow = TileMarks::of(&ToriPosition::PIECE_TYPES[0]);
/// assert_eq!(swallow.discs, "M0 -13h0.01");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TileMarks {
    /// Points that a round pen with the width 4.2 makes discs.
    pub discs: String,
    /// Filled shapes.
    pub filled: String,
    /// Shapes drawn with a pen of the width 1.1.
    pub outlined: String,
}

impl TileMarks {
    /// The marks of a type of piece.
    pub fn of(piece_type: &PieceType) -> TileMarks {
        let mut marks = TileMarks::default();
        for step in piece_type.steps {
            marks.add(step, 1.0);
        }
        marks
    }

    fn add(&mut self, step: &Step, up: f32) {
        let (files, ranks) = (f32::from(step.files) * up, -f32::from(step.ranks) * up);
        let far = files.abs().max(ranks.abs());
        let at = |radius: f32| Place {
            x: files / far * radius,
            y: ranks / far * radius,
            angle: ranks.atan2(files),
        };
        let slides = step.reach == Step::SLIDE;
        let jumps = far > 1.0;
        match step.purpose {
            Purpose::Any if slides => self.filled += &at(OUTER).polygon(&TRIANGLE),
            Purpose::Any if jumps => self.filled += &at(OUTER).upright().polygon(&DIAMOND),
            Purpose::Any => {
                self.discs += &at(OUTER).dot();
                for further in 1..step.reach {
                    let back = 5.2 * f32::from(further);
                    self.discs += &at(OUTER - back).dot();
                }
            }
            Purpose::MoveOnly if slides => self.outlined += &at(OUTER).polygon(&TRIANGLE),
            Purpose::MoveOnly => self.outlined += &at(OUTER).polygon(&OCTAGON),
            Purpose::CaptureOnly => self.outlined += &at(OUTER).upright().cross(),
            Purpose::OverScreen => self.outlined += &at(INNER).bar(),
            Purpose::Hop => {
                self.outlined += &at(INNER).bar();
                self.filled += &at(OUTER).upright().polygon(&DIAMOND);
            }
            Purpose::Copy => self.outlined += &at(OUTER).upright().polygon(&SQUARE),
        }
    }

    fn write(&self, out: &mut Drawing) {
        let TileMarks {
            discs,
            filled,
            outlined,
        } = self;
        if !discs.is_empty() {
            out.add(format_args!(r#"<path stroke-width="4.2" d="{discs}"/>"#));
        }
        if !filled.is_empty() {
            out.add(format_args!(r#"<path stroke-width="0.6" d="{filled}"/>"#));
        }
        if !outlined.is_empty() {
            out.add(format_args!(
                r#"<path fill="none" stroke-width="1.1" d="{outlined}"/>"#
            ));
        }
    }
}

// Shapes of marks; the triangle looks to the right.
const TRIANGLE: [(f32, f32); 3] = [(3.4, 0.0), (-2.4, 3.2), (-2.4, -3.2)];
const DIAMOND: [(f32, f32); 4] = [(2.6, 0.0), (0.0, 2.6), (-2.6, 0.0), (0.0, -2.6)];
const SQUARE: [(f32, f32); 4] = [(1.8, 1.8), (-1.8, 1.8), (-1.8, -1.8), (1.8, -1.8)];
const OCTAGON: [(f32, f32); 8] = [
    (2.0, 0.8),
    (0.8, 2.0),
    (-0.8, 2.0),
    (-2.0, 0.8),
    (-2.0, -0.8),
    (-0.8, -2.0),
    (0.8, -2.0),
    (2.0, -0.8),
];

/// Where a mark lies on a tile, and the direction it looks.
struct Place {
    x: f32,
    y: f32,
    angle: f32,
}

impl Place {
    /// For shapes that look nowhere.
    fn upright(self) -> Place {
        Place { angle: 0.0, ..self }
    }

    fn point(&self, (forward, aside): (f32, f32)) -> String {
        let (sin, cos) = self.angle.sin_cos();
        let x = tenth(self.x + forward * cos - aside * sin);
        let y = tenth(self.y + forward * sin + aside * cos);
        format!("{x} {y}")
    }

    fn polygon(&self, corners: &[(f32, f32)]) -> String {
        let points: Vec<String> = corners.iter().map(|&c| self.point(c)).collect();
        format!("M{}Z", points.join("L"))
    }

    fn line(&self, from: (f32, f32), to: (f32, f32)) -> String {
        format!("M{}L{}", self.point(from), self.point(to))
    }

    fn dot(&self) -> String {
        format!("M{}h0.01", self.point((0.0, 0.0)))
    }

    fn bar(&self) -> String {
        self.line((0.0, 2.4), (0.0, -2.4))
    }

    fn cross(&self) -> String {
        let (a, b) = (1.9, -1.9);
        self.line((a, a), (b, b)) + &self.line((a, b), (b, a))
    }
}
