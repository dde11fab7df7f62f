//! Output of the commands for people: `d`, `eval` and `perft`.

use std::fmt::Write;

use garuda_mcts::{Evaluations, SearchControl, Wdl, softmax};
use garuda_rules::{Game, GameState, Move, MoveList, Outcome, Position, diagram, perft};

use crate::info::{centipawns, move_text, per_mille};
use crate::protocol::{Protocol, usi};

/// The board from White's side and the facts about the position.
pub(crate) fn position<P: Position>(game: &GameState<P>) -> String {
    let position = game.position();
    let mut text = diagram(position);
    let mut write = |line: String| text.push_str(&(line + "\n"));
    let fen = position.to_string();
    let sfen = usi::sfen_of_fen(&fen).filter(|_| P::HAS_USI);
    write(format!("Fen: {fen}"));
    if let Some(sfen) = sfen {
        write(format!("Sfen: {sfen}"));
    }
    write(format!("Key: {:016x}", position.key()));
    write(format!("Occurrences: {}", game.occurrences()));
    for (name, clock) in [
        ("Counting", position.counting()),
        ("Move rule", position.move_rule()),
    ] {
        if let Some(clock) = clock {
            write(format!("{name}: {} of {} plies", clock.plies, clock.limit));
        }
    }
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let check = if position.is_check() {
        ", in check"
    } else {
        ""
    };
    write(format!(
        "{} to move{check}, {} legal moves",
        game.turn(),
        legal.len()
    ));
    if let Some(outcome) = game.outcome_given(&legal) {
        write(game_over(outcome));
    }
    text.trim_end().to_owned()
}

/// The outcome of a finished game.
pub(crate) fn game_over(
    Outcome {
        winner,
        termination,
    }: Outcome,
) -> String {
    match winner {
        Some(winner) => format!("the game is over: {winner} has won by {termination}"),
        None => format!("the game is over: drawn by {termination}"),
    }
}

/// The evaluation of a game, the first of `evaluations`, with the policy sorted by probability.
pub(crate) fn evaluation<P: Position>(
    game: &GameState<P>,
    legal: &[Move],
    evaluations: &Evaluations,
    protocol: Protocol,
) -> String {
    let (wdl, logits) = evaluations.get(0);
    let Wdl { win, draw, loss } = wdl;
    let mut text = format!(
        "{} to move: win {win:.3} draw {draw:.3} loss {loss:.3}, score {} centipawns, wdl {:?}",
        game.turn(),
        centipawns(wdl),
        per_mille(wdl),
    );
    let mut policy = vec![0.0; logits.len()];
    softmax(logits, &mut policy);
    let mut moves: Vec<_> = legal.iter().zip(&policy).collect();
    moves.sort_by(|a, b| b.1.total_cmp(a.1));
    for (&mv, probability) in moves {
        let mv = move_text(protocol, game.position(), mv);
        write!(text, "\n{mv:<6} {probability:.4}").expect("writing to a string cannot fail");
    }
    text
}

/// Perft divided by first moves. `emit` gets each line as soon as it is known.
pub(crate) fn divide<P: Position>(
    position: &P,
    depth: u32,
    protocol: Protocol,
    control: &SearchControl,
    mut emit: impl FnMut(String),
) {
    let mut total = u64::from(depth == 0);
    if let Some(rest) = depth.checked_sub(1) {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        for mv in moves {
            let mut next = *position;
            next.play(mv);
            let Some(count) = perft_until(&next, rest, control) else {
                emit("perft was stopped".to_owned());
                return;
            };
            emit(format!("{}: {count}", move_text(protocol, position, mv)));
            total += count;
        }
    }
    emit(format!("\nNodes searched: {total}"));
}

/// Perft that checks for `stop` at higher depths only. `None` if it was stopped.
fn perft_until<P: Position>(position: &P, depth: u32, control: &SearchControl) -> Option<u64> {
    /// Takes a fraction of a second at most.
    const MAX_UNCHECKED_DEPTH: u32 = 3;
    if control.is_stopped() {
        return None;
    }
    if depth <= MAX_UNCHECKED_DEPTH {
        return Some(perft(position, depth));
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let counts = moves.iter().map(|&mv| {
        let mut next = *position;
        next.play(mv);
        perft_until(&next, depth - 1, control)
    });
    counts.sum()
}
