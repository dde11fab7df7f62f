use garuda_rules::{Bits, Color, GameState, Move, Origin, Position, Square};

use super::move_table::{MovingPiece, SeenBoard, captures_otherwise};
use super::network::SparseSizes;
use crate::View;

/// The features of a rule set and their numbers. All are seen from the mover's side, with the
/// board turned so that it moves up.
///
/// | features | how many |
/// |---|---|
/// | piece by side, type, threat state and square | 2 · types · 4 · squares |
/// | stone by square | squares, where there are stones |
/// | at least n pieces of a type in a hand | 2 · placeable types · [`HAND`](Self::HAND) |
/// | piece of a type to be placed, by owner | 2 · types, where captured pieces come back |
/// | a piece to be deported | 1, likewise |
/// | at least n points | 2 · points that win, where points win |
/// | the position occurred before, twice before | 2 |
/// | counting or move rule: at most 2ⁿ plies left | [`CLOCK`](Self::CLOCK) each, where there are any |
///
/// The *threat state* of a piece says whether the enemy attacks it and whether its own side
/// defends it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeatureLayout {
    game: &'static str,
    pub(super) squares: usize,
    pub(super) types: usize,
    pub(super) placeable: usize,
    pub(super) stones: Option<usize>,
    pub(super) hands: usize,
    pending: Option<usize>,
    points: Option<usize>,
    occurrences: usize,
    counting: usize,
    move_rule: usize,
    features: usize,
}

/// The active features of a position, and for each legal move the row of the policy and the entry
/// of the move table that it takes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SparseSample {
    /// In no particular order, none twice.
    pub features: Vec<u16>,
    /// The action of each legal move, in their order.
    pub actions: Vec<u16>,
    /// The move-table entry of each legal move.
    pub moves: Vec<u16>,
}

impl SparseSample {
    /// Forgets everything but keeps its memory.
    pub fn clear(&mut self) {
        self.features.clear();
        self.actions.clear();
        self.moves.clear();
    }
}

pub(super) const THREAT_STATES: usize = 4;

impl FeatureLayout {
    /// Raised whenever the same numbers would mean something else.
    pub const VERSION: u32 = 1;
    /// Pieces of a type in hand are counted up to this.
    pub const HAND: usize = 8;
    /// Plies left are told apart at powers of two: 1, 2, 4 … 128.
    pub const CLOCK: usize = 8;
    /// More features are never active at once: pieces, stones, and a few dozen others.
    pub const MAX_ACTIVE: usize = 56;

    /// The layout of a game.
    pub fn of<P: Position>() -> FeatureLayout {
        let squares = P::BOARD.squares();
        let types = P::PIECE_TYPES.len();
        let start = P::start();
        let has_stones = start.stones() != 0;
        let has_points = start.points().is_some();
        let mut next = 0;
        let mut take = |count: usize| {
            let first = next;
            next += count;
            first
        };
        take(2 * types * THREAT_STATES * squares);
        FeatureLayout {
            game: P::NAME,
            squares,
            types,
            placeable: P::PLACEABLE.len(),
            stones: has_stones.then(|| take(squares)),
            hands: take(2 * P::PLACEABLE.len() * Self::HAND),
            pending: has_points.then(|| take(2 * types + 1)),
            points: has_points.then(|| take(2 * usize::from(P::WINNING_POINTS))),
            occurrences: take(2),
            counting: take(Self::CLOCK),
            move_rule: take(Self::CLOCK),
            features: next,
        }
    }

    /// The name of the game whose features these are.
    pub fn game(&self) -> &'static str {
        self.game
    }

    /// The sizes of a network for these features.
    pub fn sizes(&self) -> SparseSizes {
        SparseSizes {
            features: self.features,
            actions: self.actions(),
            moves: self.moves(),
        }
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The features that say which piece stands on which square; the first ones.
    pub fn piece_features(&self) -> usize {
        2 * self.types * THREAT_STATES * self.squares
    }

    /// Threat states of a piece.
    pub fn threat_states(&self) -> usize {
        THREAT_STATES
    }

    pub fn squares(&self) -> usize {
        self.squares
    }

    /// Rows of the policy: one for each action.
    pub fn actions(&self) -> usize {
        (self.squares + self.placeable) * self.squares
    }

    /// Entries of the move table, by moving piece (on the board or placed), whether it is attacked,
    /// what it captures, and whether the target is attacked and otherwise defended.
    pub fn moves(&self) -> usize {
        2 * self.types * 2 * self.captures() * 4
    }

    /// What a move can take: nothing, a piece of a type, a stone, a piece of its own side.
    pub(super) fn captures(&self) -> usize {
        self.types + 3
    }

    /// What the features are, with the number of the first and how many there are.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> Vec<(&'static str, usize, usize)> {
        let end_of_pending = self.pending.map_or(0, |first| first + 2 * self.types);
        let blocks = [
            ("side, type, threat state and square", Some(0)),
            ("stone on a square", self.stones),
            ("side, type and number in hand", Some(self.hands)),
            ("side and type of the piece to place", self.pending),
            ("not used", self.pending.map(|_| end_of_pending)),
            ("side and points", self.points),
            ("occurrence 2 and 3", Some(self.occurrences)),
            ("counting", Some(self.counting)),
            ("move rule", Some(self.move_rule)),
        ];
        let blocks: Vec<_> = (blocks.into_iter())
            .filter_map(|(name, first)| Some((name, first?)))
            .collect();
        let ends = blocks.iter().skip(1).map(|(_, first)| *first);
        (blocks.iter().zip(ends.chain([self.features])))
            .map(|(&(name, first), end)| (name, first, end - first))
            .filter(|(_, _, count)| *count > 0)
            .collect()
    }

    /// The text that two equal layouts share.
    pub fn describe(&self) -> String {
        format!(
            "sparse {} {} features={} actions={} moves={}",
            Self::VERSION,
            self.game,
            self.features,
            self.actions(),
            self.moves()
        )
    }

    /// Lists a position's features and its legal moves' as `view` sees them, replacing what
    /// `sample` held.
    pub fn fill<P: Position>(
        &self,
        game: &GameState<P>,
        legal: &[Move],
        view: View,
        sample: &mut SparseSample,
    ) {
        sample.clear();
        let position = game.position();
        let turn = view.color;
        let maps = [position.attack_map(turn), position.attack_map(!turn)];
        let seen = |square: Square| view.square(P::BOARD, square).index();
        let mut board = SeenBoard([SeenBoard::EMPTY; 128]);
        let features = &mut sample.features;
        let mut add = |feature: usize| features.push(feature as u16);
        for (side, color) in [turn, !turn].into_iter().enumerate() {
            let (friends, foes) = (maps[side].once, maps[1 - side].once);
            for piece_type in 0..P::PIECE_TYPES.len() as u8 {
                let pieces = position.pieces(color, piece_type);
                if pieces == 0 {
                    continue;
                }
                let kind = side * self.types + usize::from(view.piece_type(position, piece_type));
                for square in pieces.squares() {
                    let state =
                        usize::from(foes.has(square)) + 2 * usize::from(friends.has(square));
                    add((kind * THREAT_STATES + state) * self.squares + seen(square));
                    board.0[square.index()] = kind as u8;
                }
            }
        }
        if let Some(stones) = self.stones {
            for square in position.stones().squares() {
                add(stones + seen(square));
                board.0[square.index()] = SeenBoard::STONE;
            }
        }
        let side = |color: Color| usize::from(color != turn);
        if let (Some(pending), Some(points)) = (self.pending, self.points) {
            if let Some(piece) = position.pending() {
                add(pending + side(piece.color) * self.types + usize::from(piece.piece_type));
            }
            let scored = position.points().unwrap_or_default();
            for color in Color::ALL {
                let first = points + side(color) * usize::from(P::WINNING_POINTS);
                for n in 0..scored[color].min(P::WINNING_POINTS) {
                    add(first + usize::from(n));
                }
            }
        } else {
            for color in Color::ALL {
                for (place, &piece_type) in P::PLACEABLE.iter().enumerate() {
                    let held = usize::from(position.hand(color, piece_type)).min(Self::HAND);
                    if held == 0 {
                        continue;
                    }
                    let seen = view.piece_type(position, piece_type);
                    let place = if seen == piece_type {
                        place
                    } else {
                        let image = P::PLACEABLE.iter().position(|&other| other == seen);
                        image.expect("the mirror image of a placeable type is placeable")
                    };
                    let first = self.hands + (side(color) * self.placeable + place) * Self::HAND;
                    for n in 0..held {
                        add(first + n);
                    }
                }
            }
        }
        for n in 2..=game.occurrences().min(3) {
            add(self.occurrences + usize::from(n) - 2);
        }
        for (clock, first) in [
            (position.counting(), self.counting),
            (position.move_rule(), self.move_rule),
        ] {
            if let Some(clock) = clock {
                let left = clock.limit.saturating_sub(clock.plies);
                for n in 0..Self::CLOCK {
                    if left <= 1 << n {
                        add(first + n);
                    }
                }
            }
        }
        debug_assert!(sample.features.len() <= Self::MAX_ACTIVE);
        let captures_otherwise = captures_otherwise::<P>();
        for &mv in legal {
            let action = if view.mirror {
                view.action(position, mv)
            } else {
                let row = match mv.origin() {
                    Origin::Board(from) => seen(from),
                    Origin::Hand(place) => self.squares + usize::from(place),
                };
                row * self.squares + seen(mv.to())
            };
            sample.actions.push(action as u16);
            let moving = match mv.origin() {
                Origin::Board(from) => MovingPiece {
                    index: usize::from(board.0[from.index()]),
                    is_attacked: maps[1].has(from),
                    attacks_target: board.0[mv.to().index()] != SeenBoard::EMPTY
                        || captures_otherwise >> board.0[from.index()] & 1 == 0,
                    is_in_place: from == mv.to(),
                },
                Origin::Hand(place) => {
                    let piece_type = P::PLACEABLE[usize::from(place)];
                    MovingPiece {
                        index: self.types + usize::from(view.piece_type(position, piece_type)),
                        is_attacked: false,
                        attacks_target: false,
                        is_in_place: false,
                    }
                }
            };
            let entry = self.move_entry(moving, mv.to(), &board, &maps);
            sample.moves.push(entry as u16);
        }
    }
}

/// Where a square of a piece feature is, for tests and tools.
impl FeatureLayout {
    /// Side (0 own, 1 enemy), piece type, threat state and square of a piece feature.
    pub fn piece_of(&self, feature: usize) -> Option<(usize, usize, usize, Square)> {
        (feature < self.piece_features()).then(|| {
            let (rest, square) = (feature / self.squares, feature % self.squares);
            let (rest, state) = (rest / THREAT_STATES, rest % THREAT_STATES);
            (
                rest / self.types,
                rest % self.types,
                state,
                Square(square as u8),
            )
        })
    }
}
