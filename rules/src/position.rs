use std::fmt::{Debug, Display};
use std::str::FromStr;

use rand::Rng;

use crate::{
    AttackMap, Bits, Board, ByColor, Color, FenError, GamePhase, Mark, MaterialFeature, Move,
    MoveError, MoveList, Occupant, Outcome, Piece, PieceType, Planes, Square, material,
    varied_start,
};

/// The state of a game without its past: all that decides which moves are legal.
///
/// Small and `Copy`: searching means copying a position and playing on the copy. [`Display`] and
/// [`FromStr`] write and read its FEN. A parsed position is validated, so every method
/// may rely on kings being there and on counts being possible.
///
/// ```
/// use garuda_rules::tori::ToriPosition;
/// use garuda_rules::{MoveList, Position};
///
/// let position = ToriPosition::start();
/// let mut moves = MoveList::new();
/// position.legal_moves(&mut moves);
/// assert_eq!(moves.len(), 17);
/// assert_eq!(position.to_string().parse(), Ok(position));
/// ```
pub trait Position:
    Copy + Eq + Debug + Display + FromStr<Err = FenError> + Send + Sync + 'static
{
    /// Name in configurations, commands and files.
    const NAME: &'static str;
    /// Name for people.
    const TITLE: &'static str;
    /// Other names that commands understand.
    const ALIASES: &'static [&'static str] = &[];
    /// Whether it is an example of how to add a game: commands know it but do not list it.
    const IS_EXAMPLE: bool = false;

    /// The size of the board.
    const BOARD: Board;
    /// All types of pieces; [`Piece::piece_type`] is an index into this.
    const PIECE_TYPES: &'static [PieceType];
    /// The types (as indices into `PIECE_TYPES`) that can be put on the board from off it, in the
    /// order of [`Origin::Hand`](crate::Origin::Hand).
    const PLACEABLE: &'static [u8] = &[];
    /// Named start positions; the first is the game's own.
    const STARTS: &'static [(&'static str, &'static str)];
    /// What happens when a position comes back.
    const REPETITION: Repetition;
    /// The points that win; 0 where there are no points.
    const WINNING_POINTS: u8 = 0;
    /// The greatest limit of plies that [`counting`](Position::counting) can have, where the rules
    /// count plies to protect a weaker side.
    const COUNTING_LIMIT: Option<u16> = None;
    /// Whether the game starts with both sides placing all pieces that they have in hand.
    const HAS_SETUP: bool = false;
    /// Plies after which the formations of both sides stand, where openings are named by formations
    /// rather than by moves.
    const FORMATION_PLIES: Option<usize> = None;
    /// Whether pieces can promote.
    const HAS_PROMOTION: bool = true;
    /// The most decisions (each a [`Move`]) that make up what people count as one move.
    const DECISIONS_PER_TURN: usize = 1;
    /// What people count as one move is called, in singular and plural.
    const MOVE_WORDS: [&'static str; 2] = match Self::DECISIONS_PER_TURN {
        1 => ["move", "moves"],
        _ => ["turn", "turns"],
    };
    /// What placing pieces during play is called, in the plural; `None` where there is none.
    const DROP_WORD: Option<&'static str> = match Self::PLACEABLE {
        [_, ..] if !Self::HAS_SETUP => Some("drops"),
        _ => None,
    };
    /// Whether engines of this game speak USI besides UCI.
    const HAS_USI: bool = false;

    /// What a network is shown of a position, in this order: all that the rules look at.
    const PLANES: &'static [Planes] = &[Planes::Pieces, Planes::Occurrences];
    /// What a drawing of the board shows besides the squares.
    const MARKS: &'static [Mark] = &[];
    /// The depth at which perft takes some seconds from the start, for benchmarks.
    const PERFT_DEPTH: u32 = 4;

    /// Where the guide values of the [`PIECE_TYPES`](Position::PIECE_TYPES) come from.
    const GUIDE: Option<&'static str> = None;
    /// The material lead, in pawns, that makes a win about three times as likely as it was at
    /// equality.
    const LEAD_SCALE: f32 = 2.0;
    /// What it adds to a lead, in pawns, that the enemy has only the king left.
    const BARE_KING_BONUS: f32 = 2.5;
    /// The value of a point in pawns, where points win.
    const POINT_VALUE: f32 = 4.0;
    /// How [`phase`](Position::phase) divides a game, for people to read.
    const PHASES: &'static str = "opening until the 5th capture, middle until the 15th, then end";

    /// The ordinary start position.
    fn start() -> Self {
        Self::STARTS[0]
            .1
            .parse()
            .expect("a built-in start position is valid")
    }

    /// The side to move.
    fn turn(&self) -> Color;

    /// Replaces the contents of `moves` by the legal moves, in an order that depends on the
    /// position alone. Does not look at draws: a drawn position has moves.
    fn legal_moves(&self, moves: &mut MoveList);

    /// The number of legal moves, which is often found faster than the moves.
    fn count_legal_moves(&self) -> usize {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.len()
    }

    /// Plays a legal move. Anything may happen, short of undefined behaviour, if it is not.
    fn play(&mut self, mv: Move);

    /// Whether the side to move is in check. Always false where there is no king.
    fn is_check(&self) -> bool;

    /// The squares that the pieces of a side attack. The default walks the steps of every piece;
    /// games override it with something faster.
    fn attack_map(&self, color: Color) -> AttackMap {
        AttackMap::by_steps(self, color)
    }

    /// How the position alone ends the game: all but repetition and length limits. `legal` are its
    /// legal moves.
    fn terminal_outcome(&self, legal: &MoveList) -> Option<Outcome>;

    /// Index of a legal move after which the position alone is won for the side to move now, if
    /// there is one. The default tries all; games override it with something faster.
    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        legal.iter().position(|&mv| self.wins_at_once(mv))
    }

    /// Whether the position after a legal move is won for the side to move now.
    fn wins_at_once(&self, mv: Move) -> bool {
        let mut next = *self;
        next.play(mv);
        let mut replies = MoveList::new();
        next.legal_moves(&mut replies);
        let outcome = next.terminal_outcome(&replies);
        outcome.is_some_and(|outcome| outcome.winner == Some(self.turn()))
    }

    /// The outcome by the length limit of the game, if it has been reached: `plies` (decisions) and
    /// complete `turns` since the start.
    fn length_limit(&self, plies: u32, turns: u32) -> Option<Outcome>;

    /// Zobrist key of all that makes a position the same for repetition, kept up to date by
    /// [`play`](Position::play).
    fn key(&self) -> u64;

    /// The same key computed from nothing.
    fn key_from_scratch(&self) -> u64;

    /// A hash of what the key leaves out and the rules still look at: counting, move rule.
    /// Zero when there is no such thing.
    fn clock_key(&self) -> u64;

    /// The plies that protect a weaker side, while they are being counted (Makruk, Sittuyin).
    fn counting(&self) -> Option<Clock> {
        None
    }

    /// The plies without capture, pawn move, promotion or placing, where too many of them are a
    /// draw (Sittuyin).
    fn move_rule(&self) -> Option<Clock> {
        None
    }

    /// Lets counting and the move rule begin from 0 again, where they are running.
    fn restart_clocks(&mut self) {}

    /// How many plies back an equal position can be at most.
    fn repetition_horizon(&self) -> usize;

    /// What stands on a square.
    fn occupant(&self, square: Square) -> Option<Occupant>;

    /// The squares where pieces of a type and a side stand, as bits. The default asks every square;
    /// games override it with something faster.
    fn pieces(&self, color: Color, piece_type: u8) -> u128 {
        let piece = Some(Occupant::Piece(Piece { color, piece_type }));
        let squares = Self::BOARD.all();
        squares
            .filter(|&square| self.occupant(square) == piece)
            .fold(0, |set, square| set | u128::of(square))
    }

    /// The squares where stones lie, as bits.
    fn stones(&self) -> u128 {
        0
    }

    /// How many pieces of a type a side has off the board, to be placed by it. They are its own,
    /// except for the [`pending`](Position::pending) piece.
    fn hand(&self, color: Color, piece_type: u8) -> u8;

    /// The piece that the side to move has captured and must place now, and whose it is, where
    /// captured pieces come back (Eternal chess).
    fn pending(&self) -> Option<Piece> {
        None
    }

    /// Where the piece stands that the side to move must put elsewhere now (Eternal chess: a piece
    /// that has scored).
    fn piece_to_deport(&self) -> Option<Square> {
        None
    }

    /// The points scored so far, where points win (Eternal chess).
    fn points(&self) -> Option<ByColor<u8>> {
        None
    }

    /// The left-right mirror image, where the rules do not tell it from the original.
    fn mirrored(&self) -> Option<Self>;

    /// The image of a move of this position in the [`mirrored`](Position::mirrored) one.
    /// Games with left and right pieces override this.
    fn mirror_move(&self, mv: Move) -> Move {
        mv.map(|square| Self::BOARD.mirror(square))
    }

    /// The position with the sides exchanged and the board turned by half a turn: a symmetry of
    /// all our games.
    fn rotated(&self) -> Self;

    /// The image of a move in the [`rotated`](Position::rotated) position.
    fn rotate_move(mv: Move) -> Move {
        mv.map(|square| Self::BOARD.rotate(square))
    }

    /// The move in UCI notation. It must be legal here.
    fn uci(&self, mv: Move) -> String;

    /// Reads a move in UCI notation; it must be legal here.
    fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves
            .into_iter()
            .find(|&mv| self.uci(mv) == text)
            .ok_or_else(|| MoveError::new(text, self))
    }

    /// The move as people of this game write it; UCI where there is no other custom.
    fn display_move(&self, mv: Move) -> String {
        self.uci(mv)
    }

    /// A start unlike this one, which is where games of a run ordinarily start: a handicap, a
    /// random array, or armies that lack some pieces, the same on both sides or not.
    fn varied_start<R: Rng>(&self, rng: &mut R) -> Self {
        varied_start::handicap_or_thinned(self, rng)
    }

    /// What standing on a square adds to a piece's value, in pawns.
    fn placement_value(_piece: Piece, _square: Square) -> f32 {
        0.0
    }

    /// What a move gains for its mover besides captures and promotions, in pawns. `next` is the
    /// position after it.
    fn move_bonus(&self, _mv: Move, _next: &Self) -> f32 {
        0.0
    }

    /// What can be counted to fit values to games, the unit (a pawn, a swallow, a point) first.
    fn material_features() -> Vec<MaterialFeature> {
        material::features_of_pieces::<Self>()
    }

    /// How many more of each of the [`material_features`](Position::material_features) `color` has
    /// than the other side, into `out`, which has one element for each feature.
    fn count_material(&self, color: Color, out: &mut [i8]) {
        material::count_pieces(self, color, &Self::material_features(), out);
    }

    /// Whether counting material makes sense here: not during the set-up or in the middle of a
    /// turn.
    fn is_settled(&self) -> bool {
        let setting_up = Self::HAS_SETUP && material::has_hand(self);
        !setting_up && self.pending().is_none() && self.piece_to_deport().is_none()
    }

    /// The phase of a game that has come here after `captures` captures.
    fn phase(&self, captures: u32) -> GamePhase {
        GamePhase::after(captures, [5, 15])
    }
}

/// Plies that are counted, and how many of them bring a draw.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Plies counted so far.
    pub plies: u16,
    /// Plies at which the game is drawn.
    pub limit: u16,
}

/// What happens when a position comes back.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// The given occurrence is a draw.
    Draw(u8),
    /// At the given occurrence the player whose move produced it loses; but a side that gave
    /// check with every move of the cycle loses first, and if both did it is a draw.
    Loses(u8),
}

impl Repetition {
    /// The number of occurrences that ends the game.
    pub const fn occurrences(self) -> u8 {
        match self {
            Repetition::Draw(n) | Repetition::Loses(n) => n,
        }
    }
}
