use std::fmt;
use std::str::FromStr;

use rand::Rng;

use super::counting::{self, BOARD_HONOUR, PIECES_HONOUR};
use crate::chaturanga::{
    BOARD, Census, Checks, Count, GENERAL, GUIDE, LONGEST_GAME, PAWN, PHASES, Safety, Sink, State,
    attack_map, first_name, generate, is_attacked, neither_can_win, phase, piece_types, rank_of,
    validate,
};
use crate::fen::{self, Field};
use crate::{
    AttackMap, Bits, Board, Clock, Color, FenError, GamePhase, Move, MoveList, Occupant, Origin,
    Outcome, Piece, PieceType, Planes, Position, Repetition, Square, Termination, varied_start,
};

/// A position of Makruk.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MakrukPosition {
    state: State,
}

const CENSUS: Census = Census {
    of_piece_type: [8, 9, 2, 2, 2, 1],
    pawns_and_generals: 9,
};

/// Where a pawn becomes a Met: its sixth rank.
const fn promotion_rank(color: Color) -> u64 {
    match color {
        Color::White => rank_of(Square(40)),
        Color::Black => rank_of(Square(16)),
    }
}

/// Where a pawn can still stand: before its sixth rank.
const fn pawn_squares(color: Color) -> u64 {
    match color {
        Color::White => u64::MAX >> 24,
        Color::Black => u64::MAX << 24,
    }
}

impl MakrukPosition {
    #[inline(always)]
    fn king(&self, color: Color) -> Square {
        self.state
            .pieces
            .king(color)
            .expect("each side has a king on the board")
    }

    #[inline(always)]
    fn generate(&self, sink: &mut impl Sink) {
        // One copy of the code for each side, so that directions are constants.
        match self.state.turn {
            Color::White => self.generate_for(Color::White, sink),
            Color::Black => self.generate_for(Color::Black, sink),
        }
    }

    #[inline(always)]
    fn generate_for(&self, color: Color, sink: &mut impl Sink) {
        let pieces = &self.state.pieces;
        let safety = Safety::of(pieces, color, self.king(color));
        generate(pieces, color, &safety, sink);
    }

    fn promotes(&self, mv: Move) -> bool {
        let Origin::Board(from) = mv.origin() else {
            return false;
        };
        self.state.pieces.piece_type(from) == Some(PAWN)
            && promotion_rank(self.state.turn).has(mv.to())
    }
}

impl Position for MakrukPosition {
    const NAME: &'static str = "makruk";
    const TITLE: &'static str = "Makruk";
    const BOARD: Board = BOARD;
    const PIECE_TYPES: &'static [PieceType] = &piece_types([
        ("P", "Bia"),
        ("M", "Met"),
        ("S", "Khon"),
        ("N", "Ma"),
        ("R", "Ruea"),
        ("K", "Khun"),
    ]);
    const STARTS: &'static [(&'static str, &'static str)] = &[(
        "standard",
        "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
    )];
    const REPETITION: Repetition = Repetition::Draw(3);
    const COUNTING_LIMIT: Option<u16> = Some(BOARD_HONOUR);
    const PLANES: &'static [Planes] = &[Planes::Pieces, Planes::Counting, Planes::Occurrences];
    const PERFT_DEPTH: u32 = 6;
    const GUIDE: Option<&'static str> = Some(GUIDE);
    /// Nothing: that is when few moves are left to mate in.
    const BARE_KING_BONUS: f32 = 0.0;
    const PHASES: &'static str = PHASES;
    /// Captures are rare before the tenth move.
    const FORMATION_PLIES: Option<usize> = Some(20);

    fn turn(&self) -> Color {
        self.state.turn
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        self.generate(moves);
    }

    fn count_legal_moves(&self) -> usize {
        let mut count = Count(0);
        self.generate(&mut count);
        count.0
    }

    fn play(&mut self, mv: Move) {
        let Origin::Board(from) = mv.origin() else {
            return;
        };
        let (mover, to) = (self.state.turn, mv.to());
        let pieces = &mut self.state.pieces;
        let Some(piece_type) = pieces.take(from) else {
            return;
        };
        let captured = pieces.take(to);
        let promoted = piece_type == PAWN && promotion_rank(mover).has(to);
        pieces.put(to, mover, if promoted { GENERAL } else { piece_type });
        self.state
            .pass_to(!mover, captured.is_some() || piece_type == PAWN);
        let State {
            pieces, counting, ..
        } = &mut self.state;
        counting::update(counting, pieces, mover, captured, promoted);
    }

    fn varied_start<R: Rng>(&self, rng: &mut R) -> Self {
        varied_start::endgame_or_thinned(self, rng)
    }

    fn is_check(&self) -> bool {
        let turn = self.state.turn;
        is_attacked(&self.state.pieces, self.king(turn), turn)
    }

    fn attack_map(&self, color: Color) -> AttackMap {
        attack_map(&self.state.pieces, color)
    }

    fn terminal_outcome(&self, legal: &MoveList) -> Option<Outcome> {
        let State {
            pieces,
            turn,
            counting,
            ..
        } = &self.state;
        if legal.is_empty() {
            return Some(if self.is_check() {
                Outcome::win(!*turn, Termination::Checkmate)
            } else {
                Outcome::draw(Termination::Stalemate)
            });
        }
        if neither_can_win(pieces) {
            return Some(Outcome::draw(Termination::Material));
        }
        if counting.is_over() {
            let bare = Color::ALL.into_iter().any(|color| pieces.is_bare(color));
            return Some(Outcome::draw(if bare {
                Termination::PiecesHonour
            } else {
                Termination::BoardHonour
            }));
        }
        None
    }

    /// Only mate wins.
    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        let State { pieces, turn, .. } = &self.state;
        let checks = Checks::of(pieces, *turn, self.king(!*turn));
        checks.find_mate(pieces, legal, |mv| self.wins_at_once(mv))
    }

    fn length_limit(&self, plies: u32, _turns: u32) -> Option<Outcome> {
        (plies >= LONGEST_GAME).then(|| Outcome::draw(Termination::LengthLimit))
    }

    fn key(&self) -> u64 {
        self.state.key()
    }

    fn key_from_scratch(&self) -> u64 {
        self.state.key_from_scratch()
    }

    fn clock_key(&self) -> u64 {
        self.state.counting.key()
    }

    fn counting(&self) -> Option<Clock> {
        self.state.counting.clock()
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

    fn hand(&self, _color: Color, _piece_type: u8) -> u8 {
        0
    }

    fn mirrored(&self) -> Option<Self> {
        let state = self.state.mirrored();
        Some(MakrukPosition { state })
    }

    fn rotated(&self) -> Self {
        let state = self.state.rotated();
        MakrukPosition { state }
    }

    fn uci(&self, mv: Move) -> String {
        let Origin::Board(from) = mv.origin() else {
            return String::new();
        };
        let promotion = if self.promotes(mv) { "m" } else { "" };
        format!("{}{}{promotion}", BOARD.name(from), BOARD.name(mv.to()))
    }

    /// A pawn is worth more the nearer it is to its promotion.
    fn placement_value(piece: Piece, square: Square) -> f32 {
        match piece.piece_type {
            PAWN => 0.1 * f32::from(BOARD.advance(piece.color, square)),
            _ => 0.0,
        }
    }

    fn phase(&self, _captures: u32) -> GamePhase {
        phase(self)
    }
}

impl fmt::Display for MakrukPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.write_board(f, Self::PIECE_TYPES)?;
        self.state.write_fields(f)
    }
}

impl FromStr for MakrukPosition {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        let fields = fen::fields(text, 6, 6)?;
        let state = State::read(fields[0], &fields, Self::PIECE_TYPES)?;
        validate(&state, &fields, Self::PIECE_TYPES, &CENSUS, |_, _| 0)?;
        validate_pawns(&state, fields[0])?;
        validate_counting(&state, fields[3])?;
        Ok(MakrukPosition { state })
    }
}

fn validate_pawns(state: &State, board: Field<'_>) -> Result<(), FenError> {
    for color in Color::ALL {
        let pawns = state.pieces.pawns() & state.pieces.of(color);
        if let Some(square) = first_name(pawns & !pawn_squares(color)) {
            let what = format!("a {color} pawn on {square} would have been promoted");
            return Err(board.error(what));
        }
    }
    Ok(())
}

fn validate_counting(state: &State, field: Field<'_>) -> Result<(), FenError> {
    let (pieces, limit) = (&state.pieces, state.counting.limit);
    if limit == 0 {
        return Ok(());
    }
    if pieces.pawns() != 0 {
        return Err(field.error("there is no counting while there are pawns"));
    }
    let bare = Color::ALL.into_iter().any(|color| pieces.is_bare(color));
    if limit == BOARD_HONOUR || bare && PIECES_HONOUR.contains(&limit) {
        return Ok(());
    }
    let mut what = format!("the counting limit cannot be {limit} here, only {BOARD_HONOUR}");
    if bare {
        what += &format!(" or one of {PIECES_HONOUR:?}");
    }
    Err(field.error(what))
}
