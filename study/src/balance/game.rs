use garuda_rules::{Move, Origin, Position, Termination};
use garuda_run::records::GameRecord;

use crate::moves::{captures_piece, promotes};

/// The facts of one game that a balance report is made from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct GameFacts {
    /// The checkpoint and the number of the game.
    pub id: (u32, u64),
    /// Whether it started from the run's ordinary start position.
    pub ordinary: bool,
    /// 1 if the side that moved first won, 0 for a draw, −1 if it lost.
    pub first_mover: i8,
    pub termination: Termination,
    /// In plies; in turns of Eternal chess, where a turn can be several plies.
    pub length: u32,
    pub captures: u32,
    pub promotions: u32,
    /// Pieces placed from hand, the set-up phase excepted. In Eternal chess, captured pieces put
    /// back on the board.
    pub drops: u32,
    /// Whether counting (of plies that protect the weaker side) ran at any time.
    pub counted: bool,
}

/// The facts of a verified record of a run whose ordinary start position has the FEN `ordinary`.
/// `None` if this version does not know the record's start position or termination.
pub fn game_facts<P: Position>(record: &GameRecord, ordinary: &str) -> Option<GameFacts> {
    let mut position: P = record.start().parse().ok()?;
    let first = position.turn();
    let mut facts = GameFacts {
        id: (record.checkpoint(), record.number()),
        ordinary: record.start() == ordinary,
        first_mover: match record.winner() {
            None => 0,
            Some(winner) if winner == first => 1,
            Some(_) => -1,
        },
        termination: record.termination()?,
        length: 0,
        captures: 0,
        promotions: 0,
        drops: 0,
        counted: false,
    };
    for mv in record.moves() {
        let mut next = position;
        next.play(mv);
        facts.captures += u32::from(captures_piece(&position, mv));
        facts.promotions += u32::from(promotes(&position, mv, &next));
        facts.counted |= next.counting().is_some();
        facts.drops += u32::from(is_drop::<P>(mv));
        facts.length += u32::from(P::DECISIONS_PER_TURN == 1 || next.turn() != position.turn());
        position = next;
    }
    Some(facts)
}

fn is_drop<P: Position>(mv: Move) -> bool {
    matches!(mv.origin(), Origin::Hand(_)) && !P::HAS_SETUP
}
