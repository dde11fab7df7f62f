//! A game as the page draws it.

use anyhow::{Context, ensure};
use garuda_arena::players::GameLine;
use garuda_rules::{Color, Game, Move, MoveList, Occupant, Origin, Piece, Position};
use serde::{Deserialize, Serialize};

/// More moves than any game has.
const MAX_MOVES: usize = 4096;

/// Which game, as requests name it: the rule set, a start and the moves since.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PositionQuery {
    pub(crate) rules: String,
    /// A FEN, the name of a start, or nothing for the ordinary start.
    #[serde(default)]
    pub(crate) start: String,
    /// In UCI notation, separated by spaces or commas.
    #[serde(default)]
    pub(crate) moves: String,
}

/// The start that a request names.
pub(crate) fn start_of<P: Position>(text: &str, ordinary: P) -> anyhow::Result<P> {
    match text.trim() {
        "" => Ok(ordinary),
        text => match P::STARTS.iter().find(|(name, _)| *name == text) {
            Some((_, fen)) => Ok(fen.parse().expect("a built-in start position is valid")),
            None => Ok(text.parse::<P>()?),
        },
    }
}

/// The game that a request names.
pub(crate) fn line_of<P: Position>(
    start: &str,
    moves: &str,
    ordinary: P,
) -> anyhow::Result<GameLine<P>> {
    let mut line = GameLine::new(start_of(start, ordinary)?);
    let words = moves.split([' ', ',']).filter(|word| !word.is_empty());
    for (i, uci) in words.enumerate() {
        ensure!(i < MAX_MOVES, "no game has more than {MAX_MOVES} moves");
        let number = i + 1;
        ensure!(
            line.game().outcome().is_none(),
            "move {number} comes after the end of the game"
        );
        let mv = (line.position().parse_uci(uci)).with_context(|| format!("move {number}"))?;
        line.play(mv);
    }
    Ok(line)
}

/// A position with all that is shown of it.
#[derive(Debug, Serialize)]
pub(crate) struct PositionView {
    rules: &'static str,
    fen: String,
    start: String,
    /// Moves since the start, in UCI notation.
    moves: Vec<String>,
    /// The same as people of this game write them.
    shown: Vec<String>,
    /// Who made each of them.
    movers: Vec<Color2>,
    turn: Color2,
    /// What stands on each square, a1 first: the index of the type of piece and whose it is,
    /// `[-1, -1]` for a stone, null for nothing.
    squares: Vec<Option<[i8; 2]>>,
    /// Pieces in hand by side and place among those that can be placed.
    hands: [Vec<u8>; 2],
    /// The captured piece that must be placed now: type and side.
    pending: Option<[i8; 2]>,
    /// The square of the piece that must be put elsewhere now.
    deport: Option<u8>,
    points: Option<[u8; 2]>,
    check: bool,
    counting: Option<[u16; 2]>,
    move_rule: Option<[u16; 2]>,
    occurrences: u8,
    turns: u32,
    last: Option<MoveView>,
    legal: Vec<MoveView>,
    outcome: Option<OutcomeView>,
}

/// 0 for White, 1 for Black.
type Color2 = u8;

pub(crate) fn side(color: Color) -> u8 {
    u8::from(color == Color::Black)
}

/// A move by its squares.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MoveView {
    pub(crate) uci: String,
    /// As people of this game write it.
    display: String,
    /// The square it starts from, or nothing for a piece from off the board.
    from: Option<u8>,
    /// The place of the piece among those that can be placed.
    hand: Option<u8>,
    to: u8,
}

impl MoveView {
    pub(crate) fn new<P: Position>(position: &P, mv: Move) -> MoveView {
        let (from, hand) = match mv.origin() {
            Origin::Board(from) => (Some(from.0), None),
            Origin::Hand(place) => (None, Some(place)),
        };
        MoveView {
            uci: position.uci(mv),
            display: position.display_move(mv),
            from,
            hand,
            to: mv.to().0,
        }
    }
}

#[derive(Debug, Serialize)]
struct OutcomeView {
    /// null for a draw.
    winner: Option<Color2>,
    termination: &'static str,
}

impl PositionView {
    pub(crate) fn new<P: Position>(line: &GameLine<P>) -> PositionView {
        let (game, position) = (line.game(), line.position());
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        let outcome = game.outcome_given(&legal).map(|outcome| OutcomeView {
            winner: outcome.winner.map(side),
            termination: outcome.termination.name(),
        });
        let legal = match outcome {
            Some(_) => Vec::new(),
            None => (legal.iter())
                .map(|&mv| MoveView::new(position, mv))
                .collect(),
        };
        let piece = |piece: Piece| [piece.piece_type as i8, side(piece.color) as i8];
        let hand = |color| {
            let held = P::PLACEABLE.iter();
            held.map(|&piece_type| position.hand(color, piece_type))
                .collect()
        };
        let (shown, movers) = written_moves(line);
        PositionView {
            rules: P::NAME,
            fen: position.to_string(),
            start: line.start().to_string(),
            moves: line.uci_moves(),
            shown,
            movers,
            turn: side(position.turn()),
            squares: (P::BOARD.all())
                .map(|square| {
                    position.occupant(square).map(|occupant| match occupant {
                        Occupant::Piece(p) => piece(p),
                        Occupant::Stone => [-1, -1],
                    })
                })
                .collect(),
            hands: [hand(Color::White), hand(Color::Black)],
            pending: position.pending().map(piece),
            deport: position.piece_to_deport().map(|square| square.0),
            points: position.points().map(|points| [points.white, points.black]),
            check: position.is_check(),
            counting: position.counting().map(|c| [c.plies, c.limit]),
            move_rule: position.move_rule().map(|c| [c.plies, c.limit]),
            occurrences: game.occurrences(),
            turns: game.turns(),
            last: last_move(line),
            legal,
            outcome,
        }
    }
}

/// The moves as people write them, and who made each.
fn written_moves<P: Position>(line: &GameLine<P>) -> (Vec<String>, Vec<Color2>) {
    let mut position = *line.start();
    (line.moves().iter())
        .map(|&mv| {
            let written = (position.display_move(mv), side(position.turn()));
            position.play(mv);
            written
        })
        .unzip()
}

fn last_move<P: Position>(line: &GameLine<P>) -> Option<MoveView> {
    let (&last, before) = line.moves().split_last()?;
    let mut position = *line.start();
    for &mv in before {
        position.play(mv);
    }
    Some(MoveView::new(&position, last))
}
