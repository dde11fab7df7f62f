use std::fmt;

use garuda_rules::{Color, GameState, Occupant, Position, Square};

use crate::View;

/// Goes through the planes of an encoding in order, either to fill them or to learn what they
/// are called: so a plane's name and its contents cannot drift apart.
#[derive(Debug)]
pub struct PlaneWriter<'a>(Mode<'a>);

#[derive(Debug)]
enum Mode<'a> {
    Names(&'a mut Vec<String>),
    Canvas { view: View, rest: &'a mut [f32] },
}

/// The mover's side, then the other one.
const SIDES: [&str; 2] = ["own", "enemy"];

impl<'a> PlaneWriter<'a> {
    pub(super) fn names(names: &'a mut Vec<String>) -> Self {
        PlaneWriter(Mode::Names(names))
    }

    /// Paints on zeroed planes.
    pub(super) fn canvas(view: View, planes: &'a mut [f32]) -> Self {
        PlaneWriter(Mode::Canvas { view, rest: planes })
    }

    /// All planes must have been painted.
    pub(super) fn finish(self) {
        if let Mode::Canvas { rest, .. } = self.0 {
            assert!(rest.is_empty(), "{} numbers left unpainted", rest.len());
        }
    }

    /// A plane for each side and type of piece, with ones where such pieces stand.
    pub(super) fn pieces<P: Position>(&mut self, position: &P) {
        let squares = P::BOARD.squares();
        match &mut self.0 {
            Mode::Names(names) => {
                for side in SIDES {
                    names.extend(
                        P::PIECE_TYPES
                            .iter()
                            .map(|kind| format!("{side} {}", kind.letter)),
                    );
                }
            }
            Mode::Canvas { view, rest } => {
                let planes = take(rest, SIDES.len() * P::PIECE_TYPES.len() * squares);
                for square in P::BOARD.all() {
                    if let Some(Occupant::Piece(piece)) = position.occupant(square) {
                        let side = usize::from(piece.color != view.color);
                        let kind = usize::from(view.kind(position, piece.piece_type));
                        let plane = side * P::PIECE_TYPES.len() + kind;
                        let seen = view.square(P::BOARD, square);
                        planes[plane * squares + seen.index()] = 1.0;
                    }
                }
            }
        }
    }

    /// A plane for each side and placeable kind, filled with the number in hand in units that
    /// keep it near 1; they are in the order of [`Position::PLACEABLE`].
    pub(super) fn hands<P: Position>(&mut self, position: &P, units: &[u8]) {
        assert_eq!(units.len(), P::PLACEABLE.len());
        for (side, name) in SIDES.into_iter().enumerate() {
            for (&kind, &unit) in P::PLACEABLE.iter().zip(units) {
                let letter = P::PIECE_TYPES[usize::from(kind)].letter;
                let value = |view: View| {
                    let color = if side == 0 { view.color } else { !view.color };
                    let count = position.hand(color, view.kind(position, kind));
                    f32::from(count) / f32::from(unit)
                };
                let name = format_args!("{name} hand {letter} per {unit}");
                self.write_planes(P::BOARD.squares(), name, |view, plane| {
                    plane.fill(value(view));
                });
            }
        }
    }

    /// A plane for each number of occurrences, from the second to the last that does not end the
    /// game, filled with ones when the position has occurred so often.
    pub(super) fn occurrences<P: Position>(&mut self, game: &GameState<P>) {
        for n in 2..P::REPETITION.occurrences() {
            let name = format_args!("occurrence {n}");
            self.flag::<P>(name, game.occurrences() >= n);
        }
    }

    /// Two planes, zero while nothing is counted: the count as a share of its limit, and the limit
    /// as a share of the greatest.
    pub(super) fn counting<P: Position>(&mut self, position: &P) {
        const GREATEST: u16 = 128;
        let count = position.counting();
        let progress = count.map_or(0.0, |count| share(count.plies, count.limit));
        self.fill::<P>(format_args!("count of its limit"), progress);
        let limit = count.map_or(0.0, |count| share(count.limit, GREATEST));
        self.fill::<P>(format_args!("counting limit of {GREATEST}"), limit);
    }

    /// A plane filled with the plies of the move rule as a share of their limit.
    pub(super) fn move_rule<P: Position>(&mut self, position: &P) {
        let value = position
            .move_rule()
            .map_or(0.0, |rule| share(rule.plies, rule.limit));
        self.fill::<P>(format_args!("move rule of its limit"), value);
    }

    /// A plane filled with one value.
    pub(super) fn fill<P: Position>(&mut self, name: fmt::Arguments<'_>, value: f32) {
        self.write_planes(P::BOARD.squares(), name, |_, plane| plane.fill(value));
    }

    /// A plane filled with ones if something is the case.
    pub(super) fn flag<P: Position>(&mut self, name: fmt::Arguments<'_>, is: bool) {
        self.fill::<P>(name, f32::from(u8::from(is)));
    }

    /// Two planes, each filled with the value of one side.
    pub(super) fn both<P: Position>(
        &mut self,
        name: fmt::Arguments<'_>,
        value: impl Fn(Color) -> f32,
    ) {
        for (side, word) in SIDES.into_iter().enumerate() {
            self.write_planes(
                P::BOARD.squares(),
                format_args!("{word} {name}"),
                |view, plane| {
                    plane.fill(value(if side == 0 { view.color } else { !view.color }));
                },
            );
        }
    }

    /// A plane with ones on some squares.
    pub(super) fn squares<P: Position>(
        &mut self,
        name: fmt::Arguments<'_>,
        squares: impl IntoIterator<Item = Square>,
    ) {
        self.write_planes(P::BOARD.squares(), name, |view, plane| {
            for square in squares {
                plane[view.square(P::BOARD, square).index()] = 1.0;
            }
        });
    }

    fn write_planes(
        &mut self,
        squares: usize,
        name: fmt::Arguments<'_>,
        write_planes: impl FnOnce(View, &mut [f32]),
    ) {
        match &mut self.0 {
            Mode::Names(names) => names.push(name.to_string()),
            Mode::Canvas { view, rest } => write_planes(*view, take(rest, squares)),
        }
    }
}

fn share(part: u16, whole: u16) -> f32 {
    f32::from(part) / f32::from(whole)
}

/// Splits the first `length` numbers off.
fn take<'a>(rest: &mut &'a mut [f32], length: usize) -> &'a mut [f32] {
    rest.split_off_mut(..length)
        .expect("the planes have room for what the encoding paints")
}
