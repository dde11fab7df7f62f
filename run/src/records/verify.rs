use garuda_rules::{FenError, Game, GameState, Move, MoveList, Outcome, Position};
use thiserror::Error;

use super::{DecisionKind, GameRecord};

/// Why a record cannot have been a game.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum RecordError {
    #[error("it is a game of {found}, not of {wanted}")]
    Rules { found: String, wanted: String },
    #[error("its start is not a position: {0}")]
    Start(#[from] FenError),
    #[error("move {ply} comes after the game has ended")]
    AfterEnd { ply: usize },
    #[error("move {ply}, {mv:?}, is not legal")]
    Illegal { ply: usize, mv: Move },
    #[error("the policy of move {ply} names {mv:?}, which is not legal or named twice")]
    Policy { ply: usize, mv: Move },
    #[error("move {ply} was searched but has no policy")]
    NoPolicy { ply: usize },
    #[error("the game does not end after its last move")]
    Unfinished,
    #[error("the game ends by {found:?}, not as recorded: {recorded}")]
    Outcome { found: Outcome, recorded: String },
}

/// Replays a record through the rules: only what passes may be used.
pub fn verify<P: Position>(record: &GameRecord) -> Result<(), RecordError> {
    if record.rules() != P::NAME {
        return Err(RecordError::Rules {
            found: record.rules().chars().take(50).collect(),
            wanted: P::NAME.to_owned(),
        });
    }
    let mut game = GameState::<P>::from_fen(record.start())?;
    let mut legal = MoveList::new();
    let mut named = MoveList::new();
    // Without the shares of policies, which say nothing here and cost an eighth of the time.
    let decisions = record
        .moves()
        .zip(record.kinds())
        .zip(record.policy_moves());
    for (ply, ((mv, kind), policy)) in decisions.enumerate() {
        game.legal_moves(&mut legal);
        if game.outcome_given(&legal).is_some() {
            return Err(RecordError::AfterEnd { ply });
        }
        if !legal.contains(&mv) {
            return Err(RecordError::Illegal { ply, mv });
        }
        if kind != DecisionKind::Unsearched && policy.len() == 0 {
            return Err(RecordError::NoPolicy { ply });
        }
        named.clear();
        for mv in policy {
            if named.contains(&mv) || !legal.contains(&mv) {
                return Err(RecordError::Policy { ply, mv });
            }
            named.push(mv);
        }
        game.play(mv);
    }
    let found = game.outcome().ok_or(RecordError::Unfinished)?;
    if found.winner != record.winner() || Some(found.termination) != record.termination() {
        let (winner, termination) = (record.winner(), record.termination_name());
        return Err(RecordError::Outcome {
            found,
            recorded: format!("{winner:?} {termination}"),
        });
    }
    Ok(())
}
