use rand::Rng;

use super::hands::Hands;
use super::{HAND_UNITS, PLACEABLE, booklet, is_promotion, modern};
use crate::chaturanga::{
    BOARD, Checks, Count, GENERAL, GUIDE, LONGEST_GAME, PAWN, PHASES, ROOK, Safety, Sink, State,
    attack_map, generate, is_attacked, neither_can_win, phase, piece_types, stream,
};
use crate::{
    AttackMap, Board, Clock, Color, GamePhase, Mark, Move, MoveList, Occupant, Origin, Outcome,
    PieceType, Planes, Position, Repetition, Square, Termination, varied_start, zobrist,
};

/// A position of Sittuyin; by the booklet's rules or by those played online.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SittuyinPosition<const BOOKLET: bool> {
    pub(super) state: State,
    pub(super) hands: Hands,
}

impl<const BOOKLET: bool> SittuyinPosition<BOOKLET> {
    /// The squares where the side to move may place pieces of a type.
    pub(super) fn places(&self, piece_type: u8) -> u64 {
        let State { pieces, turn, .. } = &self.state;
        let zone = if !BOOKLET {
            modern::zone(*turn, piece_type)
        } else if piece_type == ROOK {
            booklet::zone(*turn, piece_type) & !booklet::facing_king(pieces, *turn)
        } else {
            booklet::zone(*turn, piece_type)
        };
        zone & !pieces.occupied()
    }

    fn king(&self, color: Color) -> Square {
        self.state
            .pieces
            .king(color)
            .expect("a side with an empty hand has its king on the board")
    }

    /// Finds the moves that are legal as far as placing and the own king's safety go.
    #[inline(always)]
    fn generate(&self, sink: &mut impl Sink) {
        if !self.hands.is_empty(self.state.turn) {
            self.generate_places(sink);
            return;
        }
        // One copy of the code for each side, so that directions are constants.
        match self.state.turn {
            Color::White => self.generate_for(Color::White, sink),
            Color::Black => self.generate_for(Color::Black, sink),
        }
    }

    fn generate_places(&self, sink: &mut impl Sink) {
        let hand = self.hands.of(self.state.turn);
        for (index, piece_type) in PLACEABLE.into_iter().enumerate() {
            if hand[index] > 0 {
                sink.place(index as u8, self.places(piece_type));
            }
        }
    }

    #[inline(always)]
    fn generate_for(&self, color: Color, sink: &mut impl Sink) {
        let pieces = &self.state.pieces;
        let safety = Safety::of(pieces, color, self.king(color));
        generate(pieces, color, &safety, sink);
        if BOOKLET {
            booklet::promotions(pieces, color, &safety, sink);
        } else {
            modern::promotions(pieces, color, &safety, sink);
        }
    }

    fn has_ordinary_move(&self) -> bool {
        let mut count = Count(0);
        self.generate(&mut count);
        count.0 > 0
    }

    /// Whether a move may have to be looked at for the stalemate it would give, which the booklet
    /// forbids.
    fn may_stalemate(&self) -> bool {
        let enemy = !self.state.turn;
        BOOKLET
            && self.hands.are_empty()
            && !booklet::is_mobile(&self.state.pieces, enemy, self.king(enemy))
    }

    fn stalemates(&self, mv: Move) -> bool {
        let mut next = *self;
        next.play(mv);
        !next.is_check() && !next.has_ordinary_move()
    }

    fn play_placing(&mut self, index: u8, to: Square) {
        let turn = self.state.turn;
        let Some(&piece_type) = PLACEABLE.get(usize::from(index)) else {
            return;
        };
        self.hands.take(turn, index);
        self.state.pieces.put(to, turn, piece_type);
        let goes_on = BOOKLET && !self.hands.is_empty(turn);
        self.state.pass_to(if goes_on { turn } else { !turn }, true);
    }

    #[inline(always)]
    fn play_on_board(&mut self, from: Square, to: Square) {
        let turn = self.state.turn;
        let pieces = &mut self.state.pieces;
        let pawn = pieces.piece_type(from) == Some(PAWN);
        let promoted = pawn && is_promotion(pieces, from, to);
        let Some(piece_type) = pieces.take(from) else {
            return;
        };
        let captured = pieces.take(to);
        pieces.put(to, turn, if promoted { GENERAL } else { piece_type });
        self.state.pass_to(!turn, pawn || captured.is_some());
        if !BOOKLET {
            let State {
                pieces, counting, ..
            } = &mut self.state;
            modern::update_counting(counting, pieces, turn);
        }
    }
}

impl<const BOOKLET: bool> Position for SittuyinPosition<BOOKLET> {
    const NAME: &'static str = if BOOKLET {
        "sittuyin-booklet"
    } else {
        "sittuyin"
    };
    const TITLE: &'static str = if BOOKLET {
        "Sittuyin by the booklet"
    } else {
        "Sittuyin"
    };
    const BOARD: Board = BOARD;
    const PIECE_TYPES: &'static [PieceType] = &piece_types([
        ("P", "Ne"),
        ("F", "Sit-ke"),
        ("S", "Sin"),
        ("N", "Myin"),
        ("R", "Yahhta"),
        ("K", "Min-gyi"),
    ]);
    const PLACEABLE: &'static [u8] = &PLACEABLE;
    const STARTS: &'static [(&'static str, &'static str)] = &[(
        "standard",
        "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KSSFRRNNkssfrrnn] w - - 0 1",
    )];
    const REPETITION: Repetition = Repetition::Draw(3);
    /// The booklet has no counting.
    const COUNTING_LIMIT: Option<u16> = if BOOKLET {
        None
    } else {
        Some(modern::LONGEST_COUNT)
    };
    const HAS_SETUP: bool = true;
    const PLANES: &'static [Planes] = if BOOKLET {
        &[
            Planes::Pieces,
            Planes::Hands(&HAND_UNITS),
            Planes::MoveRule,
            Planes::Occurrences,
        ]
    } else {
        &[
            Planes::Pieces,
            Planes::Hands(&HAND_UNITS),
            Planes::MoveRule,
            Planes::Occurrences,
            Planes::Counting,
        ]
    };
    const GUIDE: Option<&'static str> = Some(GUIDE);
    const PHASES: &'static str = PHASES;
    const MARKS: &'static [Mark] = &[
        Mark::Line {
            from: (0, 0),
            to: (8, 8),
        },
        Mark::Line {
            from: (0, 8),
            to: (8, 0),
        },
    ];

    fn turn(&self) -> Color {
        self.state.turn
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        self.generate(moves);
        if self.may_stalemate() {
            moves.retain(|mv| !self.stalemates(*mv));
        }
    }

    fn count_legal_moves(&self) -> usize {
        if self.may_stalemate() {
            let mut moves = MoveList::new();
            self.legal_moves(&mut moves);
            return moves.len();
        }
        let mut count = Count(0);
        self.generate(&mut count);
        count.0
    }

    fn play(&mut self, mv: Move) {
        match mv.origin() {
            Origin::Board(from) => self.play_on_board(from, mv.to()),
            Origin::Hand(index) => self.play_placing(index, mv.to()),
        }
    }

    fn varied_start<R: Rng>(&self, rng: &mut R) -> Self {
        varied_start::endgame_or_thinned(self, rng)
    }

    fn is_check(&self) -> bool {
        let State { pieces, turn, .. } = &self.state;
        pieces
            .king(*turn)
            .is_some_and(|king| is_attacked(pieces, king, *turn))
    }

    fn attack_map(&self, color: Color) -> AttackMap {
        attack_map(&self.state.pieces, color)
    }

    fn terminal_outcome(&self, legal: &MoveList) -> Option<Outcome> {
        let State { pieces, turn, .. } = &self.state;
        if !self.hands.are_empty() {
            return None;
        }
        if legal.is_empty() {
            // By the booklet there may be moves, all of which would give stalemate.
            let mated = self.is_check() && !(BOOKLET && self.has_ordinary_move());
            return Some(if mated {
                Outcome::win(!*turn, Termination::Checkmate)
            } else {
                Outcome::draw(Termination::Stalemate)
            });
        }
        let termination = if neither_can_win(pieces) {
            Termination::Material
        } else if self.state.counting.is_over() {
            Termination::PiecesHonour
        } else if self.state.clock >= MOVE_RULE {
            Termination::MoveRule
        } else if !BOOKLET && modern::can_only_promote(pieces, *turn, legal) && !self.is_check() {
            Termination::PromotionOnly
        } else {
            return None;
        };
        Some(Outcome::draw(termination))
    }

    /// Only mate wins, and not before the last piece is placed.
    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        let State { pieces, turn, .. } = &self.state;
        if !self.hands.are_empty() {
            let in_hand = |color| {
                self.hands
                    .of(color)
                    .iter()
                    .map(|&n| u32::from(n))
                    .sum::<u32>()
            };
            let last = in_hand(Color::White) + in_hand(Color::Black) == 1;
            return legal.iter().position(|&mv| last && self.wins_at_once(mv));
        }
        let checks = Checks::of(pieces, *turn, self.king(!*turn));
        checks.find_mate(pieces, legal, |mv| self.wins_at_once(mv))
    }

    fn length_limit(&self, plies: u32, _turns: u32) -> Option<Outcome> {
        (plies >= LONGEST_GAME).then(|| Outcome::draw(Termination::LengthLimit))
    }

    fn key(&self) -> u64 {
        self.state.key() ^ self.hands.key()
    }

    fn key_from_scratch(&self) -> u64 {
        self.state.key_from_scratch() ^ self.hands.key_from_scratch()
    }

    fn clock_key(&self) -> u64 {
        self.state.counting.key() ^ zobrist::number(stream::CLOCK, self.state.clock.into())
    }

    fn counting(&self) -> Option<Clock> {
        self.state.counting.clock()
    }

    fn move_rule(&self) -> Option<Clock> {
        Some(Clock {
            plies: self.state.clock,
            limit: MOVE_RULE,
        })
    }

    fn restart_clocks(&mut self) {
        self.state.restart_clocks();
    }

    fn repetition_horizon(&self) -> usize {
        usize::from(self.state.clock)
    }

    fn occupant(&self, square: Square) -> Option<Occupant> {
        self.state.pieces.piece(square).map(Occupant::Piece)
    }

    #[inline]
    fn pieces(&self, color: Color, piece_type: u8) -> u128 {
        let pieces = &self.state.pieces;
        (pieces.of(color) & pieces.of_piece_type(piece_type)).into()
    }

    fn hand(&self, color: Color, piece_type: u8) -> u8 {
        PLACEABLE
            .iter()
            .position(|&placeable| placeable == piece_type)
            .map_or(0, |index| self.hands.of(color)[index])
    }

    /// There is none while pieces are placed: left and right differ in the pawns' places.
    fn mirrored(&self) -> Option<Self> {
        self.hands.are_empty().then(|| SittuyinPosition {
            state: self.state.mirrored(),
            ..*self
        })
    }

    fn rotated(&self) -> Self {
        SittuyinPosition {
            state: self.state.rotated(),
            hands: self.hands.swapped(),
        }
    }

    fn uci(&self, mv: Move) -> String {
        let to = BOARD.name(mv.to());
        match mv.origin() {
            Origin::Hand(index) => {
                let piece_type = PLACEABLE.get(usize::from(index)).copied().unwrap_or(PAWN);
                format!("{}@{to}", Self::PIECE_TYPES[usize::from(piece_type)].letter)
            }
            Origin::Board(from) => {
                let pieces = &self.state.pieces;
                let promoted =
                    pieces.piece_type(from) == Some(PAWN) && is_promotion(pieces, from, mv.to());
                let promotion = if promoted { "f" } else { "" };
                format!("{}{to}{promotion}", BOARD.name(from))
            }
        }
    }

    fn phase(&self, _captures: u32) -> GamePhase {
        phase(self)
    }
}

/// Plies without capture, pawn move, promotion or placing after which the game is drawn.
const MOVE_RULE: u16 = 100;
