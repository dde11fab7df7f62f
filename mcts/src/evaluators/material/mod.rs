//! An evaluator that counts pieces: a fixed point to measure others against.

mod eternal;
mod mop_up;
mod piece_values;

use std::marker::PhantomData;

use garuda_rules::{Board, Color, GameState, Move, Occupant, Origin, Piece, Position, Square};

use mop_up::MopUp;

use crate::{EvalError, Evaluations, Evaluator, Wdl};

/// What is good in a game, in pawns (swallows).
pub trait PieceValues: Position {
    /// A lead that makes a win about three times as likely as it was at equality.
    const SCALE: f32;

    /// What it adds that the enemy has only the king left.
    const BARE: f32 = 2.5;

    /// What a piece is worth on the board, by the letter of its kind.
    fn piece_value(letter: &str) -> f32;

    /// What a piece is worth in hand.
    fn piece_value_in_hand(letter: &str) -> f32 {
        Self::piece_value(letter)
    }

    /// What standing on a square adds to a piece's worth.
    fn placement(_piece: Piece, _square: Square) -> f32 {
        0.0
    }

    /// What else a move gains for its mover, besides captures and promotions. `next` is the
    /// position after it.
    fn move_bonus(&self, _mv: Move, _next: &Self) -> f32 {
        0.0
    }
}

/// Judges by pieces, their places, points, and whether the side to move is running out of moves;
/// prefers moves that capture valuable pieces, promote, give check or leave few replies.
#[derive(Clone, Debug)]
pub struct Material<P> {
    /// By kind.
    piece_value: Vec<f32>,
    piece_value_in_hand: Vec<f32>,
    evaluations: Evaluations,
    position: PhantomData<P>,
}

/// What a point is worth, where points win.
const POINT: f32 = 4.0;
/// How much it counts that the side to move has few moves left.
const TRAP: f32 = 0.2;
/// How much a pawn gained raises a move's logit.
const GAIN_LOGIT: f32 = 0.6;
const MOST_GAIN: f32 = 6.0;
const CHECK_GAIN: f32 = 1.5;
/// What a move gains that leaves no reply; less for each that it leaves.
const FEW_REPLIES_GAIN: f32 = 3.0;

impl<P: PieceValues> Default for Material<P> {
    fn default() -> Self {
        let letters = || P::PIECE_TYPES.iter().map(|kind| kind.letter);
        Material {
            piece_value: letters().map(P::piece_value).collect(),
            piece_value_in_hand: letters().map(P::piece_value_in_hand).collect(),
            evaluations: Evaluations::default(),
            position: PhantomData,
        }
    }
}

impl<P: PieceValues> Material<P> {
    fn value_of_piece(&self, piece: Piece) -> f32 {
        self.piece_value[usize::from(piece.piece_type)]
    }

    /// White's lead.
    fn lead(&self, position: &P) -> f32 {
        let sign = |color| if color == Color::White { 1.0 } else { -1.0 };
        let mut lead = 0.0;
        let mut mop_up = MopUp::default();
        for square in P::BOARD.all() {
            if let Some(Occupant::Piece(piece)) = position.occupant(square) {
                lead +=
                    sign(piece.color) * (self.value_of_piece(piece) + P::placement(piece, square));
                mop_up.add::<P>(piece, square);
            }
        }
        if position.pending().is_none() {
            for color in Color::ALL {
                for &kind in P::PLACEABLE {
                    let held = f32::from(position.hand(color, kind));
                    lead += sign(color) * held * self.piece_value_in_hand[usize::from(kind)];
                }
            }
        }
        if let Some(points) = position.points() {
            lead += POINT * (f32::from(points.white) - f32::from(points.black));
        }
        // A great lead counts less than twice half of it, so that there is still something to win.
        lead / (1.0 + lead.abs() / (4.0 * P::SCALE)) + mop_up.lead::<P>()
    }

    fn wdl(&self, position: &P, moves: usize) -> Wdl {
        let lead = self.lead(position);
        let lead = match position.turn() {
            Color::White => lead,
            Color::Black => -lead,
        };
        let lead = lead / P::SCALE;
        let chance = |lead: f32| 1.0 / (1.0 + (0.7 - lead).exp());
        let (win, loss) = (chance(lead), chance(-lead));
        let trapped = 2.0 / (1.0 + moves as f32);
        let win = (1.0 - TRAP) * win;
        let loss = (1.0 - TRAP) * loss + TRAP * trapped;
        Wdl {
            win,
            draw: (1.0 - win - loss).max(0.0),
            loss,
        }
    }

    fn logit(&self, position: &P, mv: Move) -> f32 {
        let turn = position.turn();
        let piece_at = |position: &P, square| match position.occupant(square) {
            Some(Occupant::Piece(piece)) => Some(piece),
            Some(Occupant::Stone) | None => None,
        };
        let mut next = *position;
        next.play(mv);
        let mut gain = position.move_bonus(mv, &next);
        if let Some(victim) = piece_at(position, mv.to()).filter(|piece| piece.color != turn) {
            gain += self.value_of_piece(victim);
        }
        if let Origin::Board(from) = mv.origin()
            && let Some(before) = piece_at(position, from)
        {
            if let Some(after) = piece_at(&next, mv.to()) {
                gain += self.value_of_piece(after) - self.value_of_piece(before);
            }
            // Of two pieces that can do the same the cheaper one risks less.
            gain -= 0.02 * self.value_of_piece(before);
        }
        if next.is_check() {
            gain += CHECK_GAIN;
        }
        if next.turn() != turn {
            gain += FEW_REPLIES_GAIN / (1.0 + next.count_legal_moves() as f32);
        }
        GAIN_LOGIT * gain.clamp(-MOST_GAIN, MOST_GAIN)
    }
}

/// How far a piece of `color` on `square` has come, from 0 on its own first rank.
fn advance(board: Board, color: Color, square: Square) -> f32 {
    f32::from(match color {
        Color::White => board.rank(square),
        Color::Black => board.ranks - 1 - board.rank(square),
    })
}

impl<P: PieceValues> Evaluator<GameState<P>> for Material<P> {
    fn capacity(&self) -> usize {
        usize::MAX
    }

    fn push(&mut self, game: &GameState<P>, legal: &[Move]) {
        let position = game.position();
        let wdl = self.wdl(position, legal.len());
        let mut evaluations = std::mem::take(&mut self.evaluations);
        evaluations
            .push(wdl, legal.iter().map(|&mv| self.logit(position, mv)))
            .expect("a sum of worths is finite");
        self.evaluations = evaluations;
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        evaluations.clear();
        for position in 0..self.evaluations.len() {
            let (wdl, logits) = self.evaluations.get(position);
            evaluations.push(wdl, logits.iter().copied())?;
        }
        self.evaluations.clear();
        Ok(())
    }
}
