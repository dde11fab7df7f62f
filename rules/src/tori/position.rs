use super::hand::Hand;
use super::keys;
use super::kinds::{self, KINDS, PHOENIX, PLACEABLE, SWALLOW, demoted, promoted};
use super::leaps::leap_targets;
use super::squares::{BOARD, promotion_zone};
use crate::{
    Bits, Board, ByColor, Color, Kind, Man, Mark, Move, MoveList, Occupant, Origin, Outcome,
    Position, Reason, Repetition, Square,
};

/// A position of Tori Shogi.
#[derive(Copy, Clone, Debug)]
pub struct ToriPosition {
    pub(super) by_kind: [u64; kinds::COUNT],
    pub(super) by_color: ByColor<u64>,
    pub(super) hands: ByColor<Hand>,
    pub(super) key: u64,
    pub(super) turn: Color,
    /// Whether the last move was a swallow's drop that gave check. If it is mate, it loses. No
    /// text can tell, so it does not count in comparisons.
    dropped_check: bool,
    /// Plies since the last capture, drop or promotion.
    pub(super) quiet_plies: u16,
    /// The number of the move, counted as in chess.
    pub(super) number: u16,
}

impl PartialEq for ToriPosition {
    fn eq(&self, other: &Self) -> bool {
        let all = |p: &Self| {
            (
                p.by_kind,
                p.by_color,
                p.hands,
                p.turn,
                p.quiet_plies,
                p.number,
            )
        };
        all(self) == all(other)
    }
}

impl Eq for ToriPosition {}

impl ToriPosition {
    /// Both counters of the text form stop here.
    pub(super) const MAX_COUNTER: u16 = 9999;
    /// Games that are not decided by then are drawn.
    const CAP: u32 = 400;

    pub(super) const EMPTY: ToriPosition = ToriPosition {
        by_kind: [0; kinds::COUNT],
        by_color: ByColor::new(0, 0),
        hands: ByColor::new(Hand::EMPTY, Hand::EMPTY),
        key: 0,
        turn: Color::White,
        dropped_check: false,
        quiet_plies: 0,
        number: 1,
    };

    /// The kind of the man on a square where there is one.
    #[inline]
    pub(super) fn kind_at(&self, square: Square) -> usize {
        // The sets are disjoint: adding up is faster than searching.
        (1..kinds::COUNT)
            .map(|kind| kind * usize::from(self.by_kind[kind].has(square)))
            .sum()
    }

    /// Puts a man on an empty square, or takes it away.
    #[inline]
    pub(super) fn toggle(&mut self, color: Color, kind: usize, square: Square) {
        self.by_kind[kind] ^= u64::of(square);
        self.by_color[color] ^= u64::of(square);
        self.key ^= keys::man(color, kind, square);
    }

    #[inline]
    fn add_to_hand(&mut self, color: Color, kind: usize) {
        self.key ^= keys::in_hand(color, kind, self.hands[color].count(kind));
        self.hands[color].add(kind);
    }

    #[inline]
    fn remove_from_hand(&mut self, color: Color, kind: usize) {
        self.hands[color].remove(kind);
        self.key ^= keys::in_hand(color, kind, self.hands[color].count(kind));
    }

    /// The position with its men, on the board and in hands, exchanged as told.
    fn map(
        &self,
        color_of: impl Fn(Color) -> Color,
        kind_of: impl Fn(usize) -> usize,
        square_of: impl Fn(Square) -> Square,
    ) -> ToriPosition {
        let mut image = ToriPosition {
            by_kind: [0; kinds::COUNT],
            by_color: ByColor::new(0, 0),
            hands: ByColor::new(Hand::EMPTY, Hand::EMPTY),
            turn: color_of(self.turn),
            ..*self
        };
        for color in Color::ALL {
            for square in self.by_color[color].squares() {
                let kind = kind_of(self.kind_at(square));
                image.toggle(color_of(color), kind, square_of(square));
            }
            for kind in 0..kinds::IN_HAND {
                for _ in 0..self.hands[color].count(kind) {
                    image.hands[color_of(color)].add(kind_of(kind));
                }
            }
        }
        image.key = image.key_from_scratch();
        image
    }
}

impl Position for ToriPosition {
    const BOARD: Board = BOARD;
    const KINDS: &'static [Kind] = &KINDS;
    const PLACEABLE: &'static [u8] = &PLACEABLE;
    const STARTS: &'static [(&'static str, &'static str)] = &[
        (
            "standard",
            "rpckcpl/3f3/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR[] w - - 0 1",
        ),
        (
            "left-quail",
            "rpckcp1/3f3/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR[] b - - 0 1",
        ),
        (
            "falcon",
            "rpckcpl/7/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR[] b - - 0 1",
        ),
        (
            "falcon-left-quail",
            "rpckcp1/7/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR[] b - - 0 1",
        ),
        (
            "falcon-both-quails",
            "1pckcp1/7/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR[] b - - 0 1",
        ),
    ];
    const REPETITION: Repetition = Repetition::Loses(4);
    const MARKS: &'static [Mark] = &[
        Mark::Line {
            from: (0, 2),
            to: (7, 2),
        },
        Mark::Line {
            from: (0, 5),
            to: (7, 5),
        },
    ];

    fn turn(&self) -> Color {
        self.turn
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        self.list_moves(moves);
    }

    fn count_legal_moves(&self) -> usize {
        self.count_moves()
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        let turn = self.turn;
        let to = mv.to();
        self.dropped_check = false;
        let quiet = match mv.origin() {
            Origin::Board(from) => {
                let kind = self.kind_at(from);
                let captures = self.by_color[!turn].has(to);
                if captures {
                    let captured = self.kind_at(to);
                    self.toggle(!turn, captured, to);
                    self.add_to_hand(turn, demoted(captured));
                }
                let in_zone = (u64::of(from) | u64::of(to)) & promotion_zone(turn) != 0;
                let becomes = if in_zone { promoted(kind) } else { kind };
                self.toggle(turn, kind, from);
                self.toggle(turn, becomes, to);
                !captures && becomes == kind
            }
            Origin::Hand(kind) => {
                let kind = usize::from(kind);
                self.remove_from_hand(turn, kind);
                self.toggle(turn, kind, to);
                if kind == SWALLOW {
                    let ahead = leap_targets(turn, SWALLOW, to);
                    self.dropped_check = ahead & self.by_kind[PHOENIX] & self.by_color[!turn] != 0;
                }
                false
            }
        };
        let next = |n: u16| (n + 1).min(Self::MAX_COUNTER);
        self.quiet_plies = if quiet { next(self.quiet_plies) } else { 0 };
        if turn == Color::Black {
            self.number = next(self.number);
        }
        self.turn = !turn;
        self.key ^= keys::TURN;
    }

    fn is_check(&self) -> bool {
        self.in_check(self.turn)
    }

    fn verdict(&self, legal: &MoveList) -> Option<Outcome> {
        if !legal.is_empty() {
            return None;
        }
        Some(if !self.is_check() {
            Outcome::win(!self.turn, Reason::Stalemate)
        } else if self.dropped_check {
            Outcome::win(self.turn, Reason::SwallowDropMate)
        } else {
            Outcome::win(!self.turn, Reason::Checkmate)
        })
    }

    fn cap(&self, plies: u32, _turns: u32) -> Option<Outcome> {
        (plies >= Self::CAP).then(|| Outcome::draw(Reason::Cap))
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn key_from_scratch(&self) -> u64 {
        let mut key = match self.turn {
            Color::White => 0,
            Color::Black => keys::TURN,
        };
        for color in Color::ALL {
            for square in self.by_color[color].squares() {
                key ^= keys::man(color, self.kind_at(square), square);
            }
            for kind in 0..kinds::IN_HAND {
                for nth in 0..self.hands[color].count(kind) {
                    key ^= keys::in_hand(color, kind, nth);
                }
            }
        }
        key
    }

    fn clock_key(&self) -> u64 {
        if self.dropped_check {
            keys::DROPPED_CHECK
        } else {
            0
        }
    }

    fn lookback(&self) -> usize {
        // Captured men come back: no move is for ever.
        usize::MAX
    }

    fn occupant(&self, square: Square) -> Option<Occupant> {
        let color = Color::ALL
            .into_iter()
            .find(|&color| self.by_color[color].has(square))?;
        let kind = self.kind_at(square) as u8;
        Some(Occupant::Man(Man { color, kind }))
    }

    fn hand(&self, color: Color, kind: u8) -> u8 {
        if usize::from(kind) < kinds::IN_HAND {
            self.hands[color].count(usize::from(kind))
        } else {
            0
        }
    }

    fn mirrored(&self) -> Option<Self> {
        Some(self.map(
            |color| color,
            kinds::mirrored,
            |square| BOARD.mirror(square),
        ))
    }

    fn mirror_move(&self, mv: Move) -> Move {
        match mv.origin() {
            Origin::Board(_) => mv.map(|square| BOARD.mirror(square)),
            Origin::Hand(kind) => Move::place(
                kinds::mirrored(usize::from(kind)) as u8,
                BOARD.mirror(mv.to()),
            ),
        }
    }

    fn rotated(&self) -> Self {
        self.map(|color| !color, |kind| kind, |square| BOARD.rotate(square))
    }

    fn uci(&self, mv: Move) -> String {
        self.write_uci(mv)
    }

    fn display_move(&self, mv: Move) -> String {
        self.write_shogi(mv)
    }
}
