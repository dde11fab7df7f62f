use super::hand::Hand;
use super::keys;
use super::leaps::leap_targets;
use super::piece_types::{
    self, HAND_UNITS, MATERIAL_FEATURES, PHOENIX, PIECE_TYPES, PLACEABLE, SWALLOW, demoted,
    promoted,
};
use super::squares::{BOARD, promotion_zone};
use crate::{
    AttackMap, Bits, Board, ByColor, Color, Mark, MaterialFeature, Move, MoveList, Occupant,
    Origin, Outcome, Piece, PieceType, Planes, Position, Repetition, Square, Termination,
};

/// A position of Tori Shogi.
#[derive(Copy, Clone, Debug)]
pub struct ToriPosition {
    pub(super) by_piece_type: [u64; piece_types::COUNT],
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
                p.by_piece_type,
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
    /// Both counters of the FEN stop here.
    pub(super) const MAX_COUNTER: u16 = 9999;
    /// Games that are not decided by then are drawn.
    const LENGTH_LIMIT: u32 = 400;

    pub(super) const EMPTY: ToriPosition = ToriPosition {
        by_piece_type: [0; piece_types::COUNT],
        by_color: ByColor::new(0, 0),
        hands: ByColor::new(Hand::EMPTY, Hand::EMPTY),
        key: 0,
        turn: Color::White,
        dropped_check: false,
        quiet_plies: 0,
        number: 1,
    };

    /// The kind of the piece on a square where there is one.
    #[inline]
    pub(super) fn piece_type_at(&self, square: Square) -> usize {
        // The sets are disjoint: adding up is faster than searching.
        (1..piece_types::COUNT)
            .map(|piece_type| piece_type * usize::from(self.by_piece_type[piece_type].has(square)))
            .sum()
    }

    pub(super) fn piece_at(&self, square: Square) -> Option<Piece> {
        let color = Color::ALL
            .into_iter()
            .find(|&color| self.by_color[color].has(square))?;
        let piece_type = self.piece_type_at(square) as u8;
        Some(Piece { color, piece_type })
    }

    /// Puts a piece on an empty square, or takes it away.
    #[inline]
    pub(super) fn toggle(&mut self, color: Color, piece_type: usize, square: Square) {
        self.by_piece_type[piece_type] ^= u64::of(square);
        self.by_color[color] ^= u64::of(square);
        self.key ^= keys::piece(color, piece_type, square);
    }

    #[inline]
    fn add_to_hand(&mut self, color: Color, piece_type: usize) {
        self.key ^= keys::in_hand(color, piece_type, self.hands[color].count(piece_type));
        self.hands[color].add(piece_type);
    }

    #[inline]
    fn remove_from_hand(&mut self, color: Color, piece_type: usize) {
        self.hands[color].remove(piece_type);
        self.key ^= keys::in_hand(color, piece_type, self.hands[color].count(piece_type));
    }

    /// The position with its pieces, on the board and in hands, exchanged as told.
    fn map(
        &self,
        color_of: impl Fn(Color) -> Color,
        kind_of: impl Fn(usize) -> usize,
        square_of: impl Fn(Square) -> Square,
    ) -> ToriPosition {
        let mut image = ToriPosition {
            by_piece_type: [0; piece_types::COUNT],
            by_color: ByColor::new(0, 0),
            hands: ByColor::new(Hand::EMPTY, Hand::EMPTY),
            turn: color_of(self.turn),
            ..*self
        };
        for color in Color::ALL {
            for square in self.by_color[color].squares() {
                let piece_type = kind_of(self.piece_type_at(square));
                image.toggle(color_of(color), piece_type, square_of(square));
            }
            for piece_type in 0..piece_types::IN_HAND {
                for _ in 0..self.hands[color].count(piece_type) {
                    image.hands[color_of(color)].add(kind_of(piece_type));
                }
            }
        }
        image.key = image.key_from_scratch();
        image
    }
}

impl Position for ToriPosition {
    const NAME: &'static str = "torishogi";
    const TITLE: &'static str = "Tori Shogi";
    const ALIASES: &'static [&'static str] = &["tori"];
    const BOARD: Board = BOARD;
    const PIECE_TYPES: &'static [PieceType] = &PIECE_TYPES;
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
    const HAS_USI: bool = true;
    const PLANES: &'static [Planes] = &[
        Planes::Pieces,
        Planes::Hands(&HAND_UNITS),
        Planes::Occurrences,
    ];
    const PERFT_DEPTH: u32 = 6;
    const GUIDE: Option<&'static str> = Some(
        "the guide's values are those of a Tori Shogi program that the pychess.org guide cites; \
         in hand pieces are worth a little less, but for the swallow. The guide's author thinks \
         the crane worth somewhat more than the quail",
    );
    const LEAD_SCALE: f32 = 4.0;
    const PHASES: &'static str = "opening until the 5th capture, middle until the 15th, then end \
                                  (pieces come back, so captures are counted)";
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
                let piece_type = self.piece_type_at(from);
                let captures = self.by_color[!turn].has(to);
                if captures {
                    let captured = self.piece_type_at(to);
                    self.toggle(!turn, captured, to);
                    self.add_to_hand(turn, demoted(captured));
                }
                let in_zone = (u64::of(from) | u64::of(to)) & promotion_zone(turn) != 0;
                let becomes = if in_zone {
                    promoted(piece_type)
                } else {
                    piece_type
                };
                self.toggle(turn, piece_type, from);
                self.toggle(turn, becomes, to);
                !captures && becomes == piece_type
            }
            Origin::Hand(piece_type) => {
                let piece_type = usize::from(piece_type);
                self.remove_from_hand(turn, piece_type);
                self.toggle(turn, piece_type, to);
                if piece_type == SWALLOW {
                    let ahead = leap_targets(turn, SWALLOW, to);
                    self.dropped_check =
                        ahead & self.by_piece_type[PHOENIX] & self.by_color[!turn] != 0;
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

    fn attack_map(&self, color: Color) -> AttackMap {
        self.attacks_of(color)
    }

    fn terminal_outcome(&self, legal: &MoveList) -> Option<Outcome> {
        if !legal.is_empty() {
            return None;
        }
        Some(if !self.is_check() {
            Outcome::win(!self.turn, Termination::Stalemate)
        } else if self.dropped_check {
            Outcome::win(self.turn, Termination::SwallowDropMate)
        } else {
            Outcome::win(!self.turn, Termination::Checkmate)
        })
    }

    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        self.find_winning_move(legal)
    }

    fn length_limit(&self, plies: u32, _turns: u32) -> Option<Outcome> {
        (plies >= Self::LENGTH_LIMIT).then(|| Outcome::draw(Termination::LengthLimit))
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
                key ^= keys::piece(color, self.piece_type_at(square), square);
            }
            for piece_type in 0..piece_types::IN_HAND {
                for nth in 0..self.hands[color].count(piece_type) {
                    key ^= keys::in_hand(color, piece_type, nth);
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

    fn repetition_horizon(&self) -> usize {
        // Captured pieces come back: no move is for ever.
        usize::MAX
    }

    fn occupant(&self, square: Square) -> Option<Occupant> {
        self.piece_at(square).map(Occupant::Piece)
    }

    #[inline]
    fn pieces(&self, color: Color, piece_type: u8) -> u128 {
        (self.by_piece_type[usize::from(piece_type)] & self.by_color[color]).into()
    }

    fn hand(&self, color: Color, piece_type: u8) -> u8 {
        if usize::from(piece_type) < piece_types::IN_HAND {
            self.hands[color].count(usize::from(piece_type))
        } else {
            0
        }
    }

    fn mirrored(&self) -> Option<Self> {
        Some(self.map(
            |color| color,
            piece_types::mirrored,
            |square| BOARD.mirror(square),
        ))
    }

    fn mirror_move(&self, mv: Move) -> Move {
        match mv.origin() {
            Origin::Board(_) => mv.map(|square| BOARD.mirror(square)),
            Origin::Hand(piece_type) => Move::place(
                piece_types::mirrored(usize::from(piece_type)) as u8,
                BOARD.mirror(mv.to()),
            ),
        }
    }

    fn rotated(&self) -> Self {
        self.map(
            |color| !color,
            |piece_type| piece_type,
            |square| BOARD.rotate(square),
        )
    }

    fn uci(&self, mv: Move) -> String {
        self.write_uci(mv)
    }

    fn display_move(&self, mv: Move) -> String {
        self.write_shogi(mv)
    }

    fn material_features() -> Vec<MaterialFeature> {
        MATERIAL_FEATURES.to_vec()
    }
}
