use std::collections::HashMap;

use garuda_rules::{ByColor, Color, Occupant, Piece, Position, Square};
use garuda_run::records::GameRecord;
use serde::{Deserialize, Serialize};

use crate::GameResults;

/// Largest number of formations of a side in a report.
const MAX_FORMATIONS: usize = 12;

/// Where the pieces of the first and the second mover stood at the end of the set-up phase
/// (Sittuyin) or after the first moves (Makruk).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SetUps {
    pub games: u64,
    /// Plies after which formations were compared; `None` where there is a set-up phase.
    #[serde(default)]
    pub plies: Option<usize>,
    pub first: SideSetUps,
    pub second: SideSetUps,
}

impl SetUps {
    pub(super) fn title(&self) -> String {
        match self.plies {
            None => "Set-ups".to_owned(),
            Some(plies) => format!("Formations after {plies} plies"),
        }
    }
}

/// One side's set-ups.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SideSetUps {
    pub pieces: Vec<PieceMap>,
    /// Number of different formations.
    pub distinct: u64,
    /// The most frequent ones, most frequent first.
    pub formations: Vec<Formation>,
}

/// Where the pieces of a type were placed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PieceMap {
    pub letter: String,
    pub name: String,
    /// Squares, and the number of games with that piece there; most frequent first.
    pub squares: Vec<(String, u32)>,
}

/// All placed pieces of one side.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Formation {
    /// Letter and squares, as in `Kb2 Fc3 Sd2,e3 …`.
    pub pieces: String,
    /// For the side that has it.
    #[serde(flatten)]
    pub results: GameResults,
    pub games: u32,
    pub score: Option<f64>,
    /// FEN of a position it occurred in, at the end of the set-up phase.
    pub example: String,
}

/// The squares of all pieces a side has placed, sorted by piece type, then square.
type Places = Vec<(u8, Square)>;

/// Set-ups being counted.
pub(super) struct SetUpCounts<P> {
    games: u64,
    formations: ByColor<HashMap<Places, (GameResults, P)>>,
}

/// The position of a verified game at the end of its set-up phase, if it has one, or where the
/// formations stand.
pub(super) fn set_up<P: Position>(record: &GameRecord, start: P) -> Option<P> {
    let mut position = start;
    if let Some(plies) = P::FORMATION_PLIES {
        record.moves().take(plies).for_each(|mv| position.play(mv));
        return (record.plies() > plies).then_some(position);
    }
    if !P::HAS_SETUP || !has_hand(&start) {
        return None;
    }
    record.moves().find_map(|mv| {
        position.play(mv);
        (!has_hand(&position)).then_some(position)
    })
}

fn has_hand<P: Position>(position: &P) -> bool {
    (Color::ALL.into_iter()).any(|color| {
        P::PLACEABLE
            .iter()
            .any(|&piece_type| position.hand(color, piece_type) > 0)
    })
}

impl<P: Position> SetUpCounts<P> {
    pub(super) fn new() -> SetUpCounts<P> {
        SetUpCounts {
            games: 0,
            formations: ByColor::default(),
        }
    }

    pub(super) fn add(&mut self, position: &P, winner: Option<Color>) {
        self.games += 1;
        for color in Color::ALL {
            let formation = self.formations[color].entry(places(position, color));
            let (results, _) = formation.or_insert((GameResults::default(), *position));
            *results += GameResults::of(winner, color);
        }
    }

    /// `None` if no game was counted.
    pub(super) fn finish(self) -> Option<SetUps> {
        let ByColor { white, black } = self.formations;
        (self.games > 0).then(|| SetUps {
            games: self.games,
            plies: P::FORMATION_PLIES,
            first: side(white),
            second: side(black),
        })
    }
}

/// The types of pieces that make a formation, which are all but pawns.
fn types<P: Position>() -> Vec<u8> {
    match P::PLACEABLE {
        [] => (1..P::PIECE_TYPES.len() as u8).collect(),
        placeable => placeable.to_vec(),
    }
}

/// The squares of a side's pieces in its formation.
fn places<P: Position>(position: &P, color: Color) -> Places {
    let types = types::<P>();
    let placed = |square: Square| match position.occupant(square) {
        Some(Occupant::Piece(Piece {
            color: of,
            piece_type,
        })) if of == color => types.contains(&piece_type).then_some((piece_type, square)),
        _ => None,
    };
    let rank = |piece_type: u8| types.iter().position(|&other| other == piece_type);
    let mut places: Places = P::BOARD.all().filter_map(placed).collect();
    places.sort_unstable_by_key(|&(piece_type, square)| (rank(piece_type), square));
    places
}

fn side<P: Position>(formations: HashMap<Places, (GameResults, P)>) -> SideSetUps {
    let pieces = (types::<P>().into_iter())
        .map(|index| {
            let mut counts = vec![0; P::BOARD.squares()];
            for (places, (results, _)) in &formations {
                for (_, square) in places.iter().filter(|(of, _)| *of == index) {
                    counts[square.index()] += results.games();
                }
            }
            let mut squares: Vec<_> = (P::BOARD.all())
                .filter(|square| counts[square.index()] > 0)
                .map(|square| (P::BOARD.name(square), counts[square.index()]))
                .collect();
            squares.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
            let piece_type = &P::PIECE_TYPES[usize::from(index)];
            PieceMap {
                letter: piece_type.letter.to_owned(),
                name: piece_type.name.to_owned(),
                squares,
            }
        })
        .collect();
    let distinct = formations.len() as u64;
    let mut sorted: Vec<_> = formations.into_iter().collect();
    sorted.sort_by(|(a, (ours, _)), (b, (theirs, _))| {
        let by_games = theirs.games().cmp(&ours.games());
        by_games.then_with(|| a.cmp(b))
    });
    sorted.truncate(MAX_FORMATIONS);
    let formations = (sorted.into_iter())
        .map(|(places, (results, example))| Formation {
            pieces: describe::<P>(&places),
            results,
            games: results.games(),
            score: results.score(),
            example: example.to_string(),
        })
        .collect();
    SideSetUps {
        pieces,
        distinct,
        formations,
    }
}

fn describe<P: Position>(places: &Places) -> String {
    let groups: Vec<_> = (places.chunk_by(|(a, _), (b, _)| a == b))
        .map(|pieces| {
            let squares: Vec<_> = pieces.iter().map(|&(_, sq)| P::BOARD.name(sq)).collect();
            let letter = P::PIECE_TYPES[usize::from(pieces[0].0)].letter;
            format!("{letter}{}", squares.join(","))
        })
        .collect();
    groups.join(" ")
}
