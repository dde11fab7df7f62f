use std::fmt;

use garuda_rules::{Color, GameState, Occupant, Planes, Position, Square};

use crate::View;

/// Goes through the planes of an encoding in order, either to fill them or to list their names:
/// so a plane's name and its contents cannot drift apart.
#[derive(Debug)]
pub(super) struct PlaneWriter<'a>(Mode<'a>);

#[derive(Debug)]
enum Mode<'a> {
    Names(&'a mut Vec<String>),
    Values { view: View, rest: &'a mut [f32] },
}

/// The mover's side, then the other one.
const SIDES: [&str; 2] = ["own", "enemy"];

impl<'a> PlaneWriter<'a> {
    pub(super) fn names(names: &'a mut Vec<String>) -> Self {
        PlaneWriter(Mode::Names(names))
    }

    /// Fills planes that hold zeros.
    pub(super) fn values(view: View, planes: &'a mut [f32]) -> Self {
        PlaneWriter(Mode::Values { view, rest: planes })
    }

    /// All planes must have been written.
    pub(super) fn finish(self) {
        if let Mode::Values { rest, .. } = self.0 {
            assert!(rest.is_empty(), "{} numbers left unwritten", rest.len());
        }
    }

    /// Writes all planes of a game's position.
    pub(super) fn write<P: Position>(&mut self, game: &GameState<P>) {
        let position = game.position();
        for planes in P::PLANES {
            match planes {
                Planes::Pieces => self.pieces(position),
                Planes::Hands(units) => self.hands(position, units),
                Planes::Stones => self.stones(position),
                Planes::Points => self.points(position),
                Planes::Deported => {
                    let name = format_args!("piece to deport");
                    self.squares::<P>(name, position.piece_to_deport());
                }
                Planes::Pending => self.pending(position),
                Planes::MoveRule => self.move_rule(position),
                Planes::Counting => self.counting(position),
                Planes::Occurrences => self.occurrences(game),
            }
        }
    }

    /// A plane for each side and type of piece, with ones where such pieces stand.
    fn pieces<P: Position>(&mut self, position: &P) {
        let squares = P::BOARD.squares();
        match &mut self.0 {
            Mode::Names(names) => {
                for side in SIDES {
                    names.extend(
                        P::PIECE_TYPES
                            .iter()
                            .map(|piece_type| format!("{side} {}", piece_type.letter)),
                    );
                }
            }
            Mode::Values { view, rest } => {
                let planes = take(rest, SIDES.len() * P::PIECE_TYPES.len() * squares);
                for square in P::BOARD.all() {
                    if let Some(Occupant::Piece(piece)) = position.occupant(square) {
                        let side = usize::from(piece.color != view.color);
                        let seen_type = view.piece_type(position, piece.piece_type);
                        let plane = side * P::PIECE_TYPES.len() + usize::from(seen_type);
                        let seen = view.square(P::BOARD, square);
                        planes[plane * squares + seen.index()] = 1.0;
                    }
                }
            }
        }
    }

    /// A plane for each side and placeable type, filled with the number in hand in its unit.
    fn hands<P: Position>(&mut self, position: &P, units: &[u8]) {
        assert_eq!(units.len(), P::PLACEABLE.len());
        for (side, name) in SIDES.into_iter().enumerate() {
            for (&piece_type, &unit) in P::PLACEABLE.iter().zip(units) {
                let letter = P::PIECE_TYPES[usize::from(piece_type)].letter;
                let value = |view: View| {
                    let color = if side == 0 { view.color } else { !view.color };
                    let count = position.hand(color, view.piece_type(position, piece_type));
                    f32::from(count) / f32::from(unit)
                };
                let name = format_args!("{name} hand {letter} per {unit}");
                self.plane(P::BOARD.squares(), name, |view, plane| {
                    plane.fill(value(view));
                });
            }
        }
    }

    /// A plane with ones where stones stand.
    fn stones<P: Position>(&mut self, position: &P) {
        let stones =
            (P::BOARD.all()).filter(|&square| position.occupant(square) == Some(Occupant::Stone));
        self.squares::<P>(format_args!("stones"), stones);
    }

    /// A plane for each number of points that does not win and each side, filled with ones if the
    /// side has scored as many.
    fn points<P: Position>(&mut self, position: &P) {
        let points = position.points().unwrap_or_default();
        for n in 1..P::WINNING_POINTS {
            self.both::<P>(format_args!("points at least {n}"), |color| {
                f32::from(u8::from(points[color] >= n))
            });
        }
    }

    /// A plane for each type of piece and side, filled with ones if such a piece is pending.
    fn pending<P: Position>(&mut self, position: &P) {
        let pending = position.pending();
        for (index, piece_type) in P::PIECE_TYPES.iter().enumerate() {
            self.both::<P>(format_args!("{} to place", piece_type.letter), |color| {
                let is_such = pending.is_some_and(|piece| {
                    piece.color == color && usize::from(piece.piece_type) == index
                });
                f32::from(u8::from(is_such))
            });
        }
    }

    /// A plane for each number of occurrences, from the second to the last that does not end the
    /// game, filled with ones when the position has occurred so often.
    fn occurrences<P: Position>(&mut self, game: &GameState<P>) {
        for n in 2..P::REPETITION.occurrences() {
            let name = format_args!("occurrence {n}");
            self.flag::<P>(name, game.occurrences() >= n);
        }
    }

    /// Two planes, zero while nothing is counted: the count as a share of its limit, and the limit
    /// as a share of the greatest.
    fn counting<P: Position>(&mut self, position: &P) {
        let greatest = P::COUNTING_LIMIT.expect("a game that shows counting has a limit");
        let count = position.counting();
        let progress = count.map_or(0.0, |count| share(count.plies, count.limit));
        self.fill::<P>(format_args!("count of its limit"), progress);
        let limit = count.map_or(0.0, |count| share(count.limit, greatest));
        self.fill::<P>(format_args!("counting limit of {greatest}"), limit);
    }

    /// A plane filled with the plies of the move rule as a share of their limit.
    fn move_rule<P: Position>(&mut self, position: &P) {
        let value = position
            .move_rule()
            .map_or(0.0, |rule| share(rule.plies, rule.limit));
        self.fill::<P>(format_args!("move rule of its limit"), value);
    }

    /// A plane filled with one value.
    fn fill<P: Position>(&mut self, name: fmt::Arguments<'_>, value: f32) {
        self.plane(P::BOARD.squares(), name, |_, plane| plane.fill(value));
    }

    /// A plane filled with ones if something is the case.
    fn flag<P: Position>(&mut self, name: fmt::Arguments<'_>, is: bool) {
        self.fill::<P>(name, f32::from(u8::from(is)));
    }

    /// Two planes, each filled with the value of one side.
    fn both<P: Position>(&mut self, name: fmt::Arguments<'_>, value: impl Fn(Color) -> f32) {
        for (side, word) in SIDES.into_iter().enumerate() {
            self.plane(
                P::BOARD.squares(),
                format_args!("{word} {name}"),
                |view, plane| {
                    plane.fill(value(if side == 0 { view.color } else { !view.color }));
                },
            );
        }
    }

    /// A plane with ones on some squares.
    fn squares<P: Position>(
        &mut self,
        name: fmt::Arguments<'_>,
        squares: impl IntoIterator<Item = Square>,
    ) {
        self.plane(P::BOARD.squares(), name, |view, plane| {
            for square in squares {
                plane[view.square(P::BOARD, square).index()] = 1.0;
            }
        });
    }

    fn plane(
        &mut self,
        squares: usize,
        name: fmt::Arguments<'_>,
        write: impl FnOnce(View, &mut [f32]),
    ) {
        match &mut self.0 {
            Mode::Names(names) => names.push(name.to_string()),
            Mode::Values { view, rest } => write(*view, take(rest, squares)),
        }
    }
}

fn share(part: u16, whole: u16) -> f32 {
    f32::from(part) / f32::from(whole)
}

/// Splits the first `length` numbers off.
fn take<'a>(rest: &mut &'a mut [f32], length: usize) -> &'a mut [f32] {
    rest.split_off_mut(..length)
        .expect("the planes have room for what the encoding writes")
}
