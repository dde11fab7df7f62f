//! What can be counted of a position, game by game.

use garuda_rules::eternal::{EternalPosition, Phase as TurnPhase};
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Occupant, Piece, Position};
use serde::Serialize;

/// Something of which a side can have more than the other.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Feature {
    pub name: &'static str,
    /// The letter of its kind; empty for what is no piece.
    pub letter: &'static str,
    pub place: FeaturePlace,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeaturePlace {
    Board,
    Hand,
    /// Beyond the river, in the enemy's half (Eternal chess).
    Across,
    /// In the own zone, where it cannot be captured (Eternal chess).
    Zone,
    /// Not a piece but a point (Eternal chess).
    Score,
}

/// Part of a game, told by what has happened in it so far, never by what is still to come.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GamePhase {
    Opening,
    Middle,
    End,
}

impl GamePhase {
    pub const ALL: [GamePhase; 3] = [GamePhase::Opening, GamePhase::Middle, GamePhase::End];

    pub const fn name(self) -> &'static str {
        match self {
            GamePhase::Opening => "opening",
            GamePhase::Middle => "middle",
            GamePhase::End => "end",
        }
    }

    /// The phase when something that grows has passed none, one or both of two bounds.
    const fn after(grown: u32, bounds: [u32; 2]) -> GamePhase {
        match grown {
            n if n < bounds[0] => GamePhase::Opening,
            n if n < bounds[1] => GamePhase::Middle,
            _ => GamePhase::End,
        }
    }
}

/// A game whose positions can be counted.
pub trait MaterialFeatures: Position {
    /// How [`phase`](MaterialFeatures::phase) tells the phases apart, for people to read.
    const PHASES: &'static str;

    /// All that can be counted, the unit (a swallow, a pawn, a point) first.
    fn features() -> Vec<Feature>;

    /// How many more of each feature `color` has than the other side, into `out`, which is as long
    /// as there are features.
    fn count(&self, color: Color, out: &mut [i8]);

    /// Whether counting makes sense here: not amid a set-up or a turn.
    fn is_settled(&self) -> bool {
        true
    }

    /// The phase after so many captures since the start.
    fn phase(&self, captures: u32) -> GamePhase;
}

const fn board(name: &'static str, letter: &'static str) -> Feature {
    Feature {
        name,
        letter,
        place: FeaturePlace::Board,
    }
}

const fn hand(name: &'static str, letter: &'static str) -> Feature {
    Feature {
        name,
        letter,
        place: FeaturePlace::Hand,
    }
}

fn sign(color: Color, of: Color) -> i8 {
    if color == of { 1 } else { -1 }
}

/// All pieces of a position on the board.
fn pieces<P: Position>(position: &P) -> impl Iterator<Item = (Piece, garuda_rules::Square)> + '_ {
    P::BOARD
        .all()
        .filter_map(|square| match position.occupant(square) {
            Some(Occupant::Piece(piece)) => Some((piece, square)),
            Some(Occupant::Stone) | None => None,
        })
}

/// PieceBoard that were there in the beginning, in games where captured pieces stay away.
const FULL_BOARD: u32 = 32;

/// The order of kinds is the same in Makruk and Sittuyin, pawn first and king last.
fn count_chaturanga<P: Position>(position: &P, color: Color, out: &mut [i8]) {
    out.fill(0);
    for (piece, _) in pieces(position) {
        if let Some(count) = out.get_mut(usize::from(piece.piece_type)) {
            *count += sign(color, piece.color);
        }
    }
}

fn chaturanga_features<P: Position>() -> Vec<Feature> {
    let kinds = P::PIECE_TYPES.iter().filter(|kind| kind.letter != "K");
    kinds.map(|kind| board(kind.name, kind.letter)).collect()
}

const CHATURANGA_PHASES: &str =
    "opening while 26 or more pieces are on the board, middle down to 16, then end";

fn chaturanga_phase<P: Position>(position: &P) -> GamePhase {
    GamePhase::after(FULL_BOARD - pieces(position).count() as u32, [7, 17])
}

impl MaterialFeatures for MakrukPosition {
    const PHASES: &'static str = CHATURANGA_PHASES;

    fn features() -> Vec<Feature> {
        chaturanga_features::<Self>()
    }

    fn count(&self, color: Color, out: &mut [i8]) {
        count_chaturanga(self, color, out);
    }

    fn phase(&self, _captures: u32) -> GamePhase {
        chaturanga_phase(self)
    }
}

impl<const BOOKLET: bool> MaterialFeatures for SittuyinPosition<BOOKLET>
where
    SittuyinPosition<BOOKLET>: Position,
{
    const PHASES: &'static str = CHATURANGA_PHASES;

    fn features() -> Vec<Feature> {
        chaturanga_features::<Self>()
    }

    fn count(&self, color: Color, out: &mut [i8]) {
        count_chaturanga(self, color, out);
    }

    /// PieceBoard in hand are there to be set up, and both sides have the same.
    fn is_settled(&self) -> bool {
        Color::ALL
            .into_iter()
            .all(|color| Self::PLACEABLE.iter().all(|&k| self.hand(color, k) == 0))
    }

    fn phase(&self, _captures: u32) -> GamePhase {
        chaturanga_phase(self)
    }
}

/// Left and right quails are mirror images and worth the same.
const TORI: [Feature; 12] = [
    board("swallow", "S"),
    board("pheasant", "P"),
    board("crane", "C"),
    board("quail", "L"),
    board("falcon", "F"),
    board("goose", "+S"),
    board("eagle", "+F"),
    hand("swallow", "S"),
    hand("pheasant", "P"),
    hand("crane", "C"),
    hand("quail", "L"),
    hand("falcon", "F"),
];

fn tori_feature(kind: u8, place: FeaturePlace) -> Option<usize> {
    let letter = match ToriPosition::PIECE_TYPES[usize::from(kind)].letter {
        "R" => "L",
        letter => letter,
    };
    (TORI.iter()).position(|feature| feature.letter == letter && feature.place == place)
}

impl MaterialFeatures for ToriPosition {
    const PHASES: &'static str = "opening until the 5th capture, middle until the 15th, then end (pieces come back, so captures are counted)";

    fn features() -> Vec<Feature> {
        TORI.to_vec()
    }

    fn count(&self, color: Color, out: &mut [i8]) {
        out.fill(0);
        for (piece, _) in pieces(self) {
            if let Some(feature) = tori_feature(piece.piece_type, FeaturePlace::Board) {
                out[feature] += sign(color, piece.color);
            }
        }
        for side in Color::ALL {
            for &kind in Self::PLACEABLE {
                let held = self.hand(side, kind) as i8;
                if let Some(feature) = tori_feature(kind, FeaturePlace::Hand) {
                    out[feature] += sign(color, side) * held;
                }
            }
        }
    }

    fn phase(&self, captures: u32) -> GamePhase {
        GamePhase::after(captures, [5, 15])
    }
}

const POINT: usize = 0;
const GUARDIAN: usize = 1;
const FIRST_ACROSS: usize = 2;

/// PieceBoard never leave this game: what differs is the points, whether a guardian stands in the zone,
/// and who has come across the river.
impl MaterialFeatures for EternalPosition {
    const PHASES: &'static str =
        "opening until a point is scored, end once a side is one point short of winning";

    fn features() -> Vec<Feature> {
        let other = |name, place| Feature {
            name,
            letter: "",
            place,
        };
        let across = Self::PIECE_TYPES.iter().map(|kind| Feature {
            name: kind.name,
            letter: kind.letter,
            place: FeaturePlace::Across,
        });
        [
            other("point", FeaturePlace::Score),
            other("guardian", FeaturePlace::Zone),
        ]
        .into_iter()
        .chain(across)
        .collect()
    }

    fn count(&self, color: Color, out: &mut [i8]) {
        out.fill(0);
        let points = self.points().unwrap_or_default();
        out[POINT] = points[color] as i8 - points[!color] as i8;
        for (piece, square) in pieces(self) {
            let (file, rank) = (Self::BOARD.file(square), Self::BOARD.rank(square));
            let advance = match piece.color {
                Color::White => rank,
                Color::Black => Self::BOARD.ranks - 1 - rank,
            };
            if advance > Self::BOARD.ranks / 2 {
                out[FIRST_ACROSS + usize::from(piece.piece_type)] += sign(color, piece.color);
            } else if advance < 2 && [3, 4].contains(&file) {
                out[GUARDIAN] += sign(color, piece.color);
            }
        }
    }

    /// A piece that has just scored still stands where it will not stay.
    fn is_settled(&self) -> bool {
        EternalPosition::phase(self) == TurnPhase::Move
    }

    fn phase(&self, _captures: u32) -> GamePhase {
        let points = self.points().unwrap_or_default();
        let most = u32::from(points.white.max(points.black));
        GamePhase::after(most, [1, u32::from(Self::WINNING_POINTS) - 1])
    }
}
