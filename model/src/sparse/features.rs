use garuda_rules::{
    AttackMap, Color, GameState, Move, Occupant, Origin, Position, Purpose, Square,
};

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
    squares: usize,
    types: usize,
    placeable: usize,
    stones: Option<usize>,
    hands: usize,
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

const THREAT_STATES: usize = 4;

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
        let has_stones = P::BOARD
            .all()
            .any(|square| start.occupant(square) == Some(Occupant::Stone));
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
    fn captures(&self) -> usize {
        self.types + 3
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
        let (own, enemy) = (position.attack_map(turn), position.attack_map(!turn));
        let features = &mut sample.features;
        let mut add = |feature: usize| features.push(feature as u16);
        for square in P::BOARD.all() {
            let seen = || view.square(P::BOARD, square).index();
            match position.occupant(square) {
                None => {}
                Some(Occupant::Stone) => {
                    if let Some(stones) = self.stones {
                        add(stones + seen());
                    }
                }
                Some(Occupant::Piece(piece)) => {
                    let is_own = piece.color == turn;
                    let (friends, foes) = if is_own {
                        (&own, &enemy)
                    } else {
                        (&enemy, &own)
                    };
                    let state =
                        usize::from(foes.has(square)) + 2 * usize::from(friends.has(square));
                    let piece_type = usize::from(view.piece_type(position, piece.piece_type));
                    let kind = usize::from(!is_own) * self.types + piece_type;
                    add((kind * THREAT_STATES + state) * self.squares + seen());
                }
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
        for &mv in legal {
            sample.actions.push(view.action(position, mv) as u16);
            sample
                .moves
                .push(self.move_entry(position, mv, view, &own, &enemy) as u16);
        }
    }

    /// The entry of the move table that a legal move takes.
    fn move_entry<P: Position>(
        &self,
        position: &P,
        mv: Move,
        view: View,
        own: &AttackMap,
        enemy: &AttackMap,
    ) -> usize {
        let to = mv.to();
        let target = position.occupant(to);
        // A piece that captures the way it moves attacks its target itself.
        let (moving, is_attacked, attacks_target) = match mv.origin() {
            Origin::Hand(place) => {
                let piece_type = view.piece_type(position, P::PLACEABLE[usize::from(place)]);
                (self.types + usize::from(piece_type), false, false)
            }
            Origin::Board(from) => {
                let piece_type = match position.occupant(from) {
                    Some(Occupant::Piece(piece)) => piece.piece_type,
                    Some(Occupant::Stone) | None => 0,
                };
                let steps = P::PIECE_TYPES[usize::from(piece_type)].steps;
                let only_moves = |step: &garuda_rules::Step| step.purpose == Purpose::MoveOnly;
                let attacks = target.is_some() || !steps.iter().any(only_moves);
                let piece_type = usize::from(view.piece_type(position, piece_type));
                (piece_type, enemy.has(from), attacks && own.has(to))
            }
        };
        let captured = match target {
            None => 0,
            Some(_) if mv.origin() == Origin::Board(to) => 0,
            Some(Occupant::Stone) => self.types + 1,
            Some(Occupant::Piece(piece)) if piece.color == view.color => self.types + 2,
            Some(Occupant::Piece(piece)) => {
                1 + usize::from(view.piece_type(position, piece.piece_type))
            }
        };
        let is_defended = if attacks_target {
            own.has_two(to)
        } else {
            own.has(to)
        };
        let mut entry = moving * 2 + usize::from(is_attacked);
        entry = entry * self.captures() + captured;
        entry = entry * 2 + usize::from(enemy.has(to));
        entry * 2 + usize::from(is_defended)
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
