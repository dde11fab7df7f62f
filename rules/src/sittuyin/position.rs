use super::hands::Hands;
use super::{PLACEABLE, booklet, is_promotion, modern};
use crate::chaturanga::{
    BOARD, Count, GENERAL, LONGEST_GAME, PAWN, ROOK, Safety, Sink, State, generate, is_attacked,
    kinds, neither_can_win, stream,
};
use crate::{
    Board, Clock, Color, Kind, Mark, Move, MoveList, Occupant, Origin, Outcome, Position, Reason,
    Repetition, Square, zobrist,
};

/// A position of Sittuyin; by the booklet's rules or by those played online.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SittuyinPosition<const BOOKLET: bool> {
    pub(super) state: State,
    pub(super) hands: Hands,
}

impl<const BOOKLET: bool> SittuyinPosition<BOOKLET> {
    /// The squares where the side to move may place men of a kind.
    pub(super) fn places(&self, kind: u8) -> u64 {
        let State { men, turn, .. } = &self.state;
        let zone = if !BOOKLET {
            modern::zone(*turn, kind)
        } else if kind == ROOK {
            booklet::zone(*turn, kind) & !booklet::facing_king(men, *turn)
        } else {
            booklet::zone(*turn, kind)
        };
        zone & !men.occupied()
    }

    fn king(&self, color: Color) -> Square {
        self.state
            .men
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
        for (index, kind) in PLACEABLE.into_iter().enumerate() {
            if hand[index] > 0 {
                sink.place(index as u8, self.places(kind));
            }
        }
    }

    #[inline(always)]
    fn generate_for(&self, color: Color, sink: &mut impl Sink) {
        let men = &self.state.men;
        let safety = Safety::of(men, color, self.king(color));
        generate(men, color, &safety, sink);
        if BOOKLET {
            booklet::promotions(men, color, &safety, sink);
        } else {
            modern::promotions(men, color, &safety, sink);
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
            && !booklet::is_mobile(&self.state.men, enemy, self.king(enemy))
    }

    fn stalemates(&self, mv: Move) -> bool {
        let mut next = *self;
        next.play(mv);
        !next.is_check() && !next.has_ordinary_move()
    }

    fn play_placing(&mut self, index: u8, to: Square) {
        let turn = self.state.turn;
        let Some(&kind) = PLACEABLE.get(usize::from(index)) else {
            return;
        };
        self.hands.take(turn, index);
        self.state.men.put(to, turn, kind);
        let goes_on = BOOKLET && !self.hands.is_empty(turn);
        self.state.pass_to(if goes_on { turn } else { !turn }, true);
    }

    #[inline(always)]
    fn play_on_board(&mut self, from: Square, to: Square) {
        let turn = self.state.turn;
        let men = &mut self.state.men;
        let pawn = men.kind(from) == Some(PAWN);
        let promoted = pawn && is_promotion(men, from, to);
        let Some(kind) = men.take(from) else {
            return;
        };
        let captured = men.take(to);
        men.put(to, turn, if promoted { GENERAL } else { kind });
        self.state.pass_to(!turn, pawn || captured.is_some());
        if !BOOKLET {
            let State { men, counting, .. } = &mut self.state;
            modern::update_counting(counting, men, turn);
        }
    }
}

impl<const BOOKLET: bool> Position for SittuyinPosition<BOOKLET> {
    const BOARD: Board = BOARD;
    const KINDS: &'static [Kind] = &kinds([
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

    fn is_check(&self) -> bool {
        let State { men, turn, .. } = &self.state;
        men.king(*turn)
            .is_some_and(|king| is_attacked(men, king, *turn))
    }

    fn verdict(&self, legal: &MoveList) -> Option<Outcome> {
        let State { men, turn, .. } = &self.state;
        if !self.hands.are_empty() {
            return None;
        }
        if legal.is_empty() {
            // By the booklet there may be moves, all of which would give stalemate.
            let mated = self.is_check() && !(BOOKLET && self.has_ordinary_move());
            return Some(if mated {
                Outcome::win(!*turn, Reason::Checkmate)
            } else {
                Outcome::draw(Reason::Stalemate)
            });
        }
        let reason = if neither_can_win(men) {
            Reason::Material
        } else if self.state.counting.is_over() {
            Reason::PiecesHonour
        } else if self.state.clock >= MOVE_RULE {
            Reason::MoveRule
        } else if !BOOKLET && modern::can_only_promote(men, *turn, legal) && !self.is_check() {
            Reason::PromotionOnly
        } else {
            return None;
        };
        Some(Outcome::draw(reason))
    }

    fn cap(&self, plies: u32, _turns: u32) -> Option<Outcome> {
        (plies >= LONGEST_GAME).then(|| Outcome::draw(Reason::Cap))
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

    fn lookback(&self) -> usize {
        usize::from(self.state.clock)
    }

    fn occupant(&self, square: Square) -> Option<Occupant> {
        self.state.men.man(square).map(Occupant::Man)
    }

    fn hand(&self, color: Color, kind: u8) -> u8 {
        PLACEABLE
            .iter()
            .position(|&placeable| placeable == kind)
            .map_or(0, |index| self.hands.of(color)[index])
    }

    /// There is none while men are placed: left and right differ in the pawns' places.
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
                let kind = PLACEABLE.get(usize::from(index)).copied().unwrap_or(PAWN);
                format!("{}@{to}", Self::KINDS[usize::from(kind)].letter)
            }
            Origin::Board(from) => {
                let men = &self.state.men;
                let promoted = men.kind(from) == Some(PAWN) && is_promotion(men, from, mv.to());
                let promotion = if promoted { "f" } else { "" };
                format!("{}{to}{promotion}", BOARD.name(from))
            }
        }
    }
}

/// Plies without capture, pawn move, promotion or placing after which the game is drawn.
const MOVE_RULE: u16 = 100;
