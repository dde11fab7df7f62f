//! An evaluator that counts pieces: a fixed point to measure others against.

mod mop_up;

use std::marker::PhantomData;

use garuda_rules::{Color, GameState, Move, Occupant, Origin, Piece, Position};

use mop_up::MopUp;

use crate::{EvalError, Evaluations, Evaluator, Wdl};

/// Evaluates by pieces, their places, points, and whether the side to move is running out of moves;
/// prefers moves that capture valuable pieces, promote, give check or leave few replies.
#[derive(Clone, Debug)]
pub struct Material<P> {
    evaluations: Evaluations,
    position: PhantomData<P>,
}

/// How much it counts that the side to move has few moves left.
const TRAP: f32 = 0.2;
/// How much a pawn gained raises a move's logit.
const GAIN_LOGIT: f32 = 0.6;
const MOST_GAIN: f32 = 6.0;
const CHECK_GAIN: f32 = 1.5;
/// What a move gains that leaves no reply; less for each that it leaves.
const FEW_REPLIES_GAIN: f32 = 3.0;

impl<P> Default for Material<P> {
    fn default() -> Self {
        Material {
            evaluations: Evaluations::default(),
            position: PhantomData,
        }
    }
}

fn value<P: Position>(piece: Piece) -> f32 {
    P::PIECE_TYPES[usize::from(piece.piece_type)].value
}

impl<P: Position> Material<P> {
    /// White's lead.
    fn lead(position: &P) -> f32 {
        let sign = |color| if color == Color::White { 1.0 } else { -1.0 };
        let mut lead = 0.0;
        let mut mop_up = MopUp::default();
        for square in P::BOARD.all() {
            if let Some(Occupant::Piece(piece)) = position.occupant(square) {
                lead += sign(piece.color) * (value::<P>(piece) + P::placement_value(piece, square));
                mop_up.add::<P>(piece, square);
            }
        }
        if position.pending().is_none() {
            for color in Color::ALL {
                for &piece_type in P::PLACEABLE {
                    let held = f32::from(position.hand(color, piece_type));
                    let value = P::PIECE_TYPES[usize::from(piece_type)].hand_value;
                    lead += sign(color) * held * value;
                }
            }
        }
        if let Some(points) = position.points() {
            lead += P::POINT_VALUE * (f32::from(points.white) - f32::from(points.black));
        }
        // A great lead counts less than twice half of it, so that there is still something to win.
        lead / (1.0 + lead.abs() / (4.0 * P::LEAD_SCALE)) + mop_up.lead::<P>()
    }

    fn wdl(position: &P, moves: usize) -> Wdl {
        let lead = Self::lead(position);
        let lead = match position.turn() {
            Color::White => lead,
            Color::Black => -lead,
        };
        let lead = lead / P::LEAD_SCALE;
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

    fn logit(position: &P, mv: Move) -> f32 {
        let turn = position.turn();
        let piece_at = |position: &P, square| match position.occupant(square) {
            Some(Occupant::Piece(piece)) => Some(piece),
            Some(Occupant::Stone) | None => None,
        };
        let mut next = *position;
        next.play(mv);
        let mut gain = position.move_bonus(mv, &next);
        if let Some(victim) = piece_at(position, mv.to()).filter(|piece| piece.color != turn) {
            gain += value::<P>(victim);
        }
        if let Origin::Board(from) = mv.origin()
            && let Some(before) = piece_at(position, from)
        {
            if let Some(after) = piece_at(&next, mv.to()) {
                gain += value::<P>(after) - value::<P>(before);
            }
            // Of two pieces that can do the same the cheaper one risks less.
            gain -= 0.02 * value::<P>(before);
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

impl<P: Position> Evaluator<GameState<P>> for Material<P> {
    fn capacity(&self) -> usize {
        usize::MAX
    }

    fn push(&mut self, game: &GameState<P>, legal: &[Move]) {
        let position = game.position();
        let wdl = Self::wdl(position, legal.len());
        self.evaluations
            .push(wdl, legal.iter().map(|&mv| Self::logit(position, mv)))
            .expect("a sum of piece values is finite");
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
