//! What the engine shows to people: the position, its evaluation, perft.

use std::fmt::Write;

use garuda_mcts::{Evaluations, Signal, Wdl};
use garuda_rules::{
    Color, Game, GameState, Move, MoveList, Occupant, Outcome, Piece, Position, perft,
};

use crate::protocol::{Protocol, usi};
use crate::report::{centipawns, move_text, per_mille};

/// The board from White's side and what there is to say about the position.
pub(crate) fn position<P: Position>(game: &GameState<P>) -> String {
    let position = game.position();
    let mut text = String::new();
    let mut write = |line: String| text.push_str(&(line + "\n"));
    for rank in (0..P::BOARD.ranks).rev() {
        let pieces = (0..P::BOARD.files).map(|file| {
            let square = P::BOARD.square(file, rank);
            format!("{:>2}", letter::<P>(position.occupant(square)))
        });
        write(format!(
            "{:>2} {}",
            rank + 1,
            pieces.collect::<Vec<_>>().join(" ")
        ));
    }
    let files = (0..P::BOARD.files).map(|file| format!(" {}", char::from(b'a' + file)));
    write(format!("   {}", files.collect::<Vec<_>>().join(" ")));
    let fen = position.to_string();
    let sfen = usi::sfen_of_fen(&fen).filter(|_| P::BOARD.files == 7);
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
        write(over(outcome));
    }
    text.trim_end().to_owned()
}

/// How a game ended.
pub(crate) fn over(
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

fn letter<P: Position>(occupant: Option<Occupant>) -> String {
    match occupant {
        None => ".".to_owned(),
        Some(Occupant::Stone) => "#".to_owned(),
        Some(Occupant::Piece(Piece { color, piece_type })) => {
            let letter = P::PIECE_TYPES[usize::from(piece_type)].letter;
            match color {
                Color::White => letter.to_owned(),
                Color::Black => letter.to_ascii_lowercase(),
            }
        }
    }
}

/// The evaluator's answer, the first of `answers`, for a game and its legal moves.
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
    let highest = logits.iter().copied().fold(f32::MIN, f32::max);
    let weights: Vec<_> = logits.iter().map(|logit| (logit - highest).exp()).collect();
    let total: f32 = weights.iter().sum();
    let mut moves: Vec<_> = legal.iter().zip(&weights).collect();
    moves.sort_by(|a, b| b.1.total_cmp(a.1));
    for (&mv, weight) in moves {
        let mv = move_text(protocol, game.position(), mv);
        write!(text, "\n{mv:<6} {:.4}", weight / total).expect("a string takes any text");
    }
    text
}

/// Perft by first moves, told as it goes on, until it is stopped.
pub(crate) fn divide<P: Position>(
    position: &P,
    depth: u32,
    protocol: Protocol,
    signal: &Signal,
    mut tell: impl FnMut(String),
) {
    let mut total = u64::from(depth == 0);
    if let Some(rest) = depth.checked_sub(1) {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        for mv in moves {
            let mut next = *position;
            next.play(mv);
            let Some(count) = perft_until(&next, rest, signal) else {
                tell("perft was stopped".to_owned());
                return;
            };
            tell(format!("{}: {count}", move_text(protocol, position, mv)));
            total += count;
        }
    }
    tell(format!("\nNodes searched: {total}"));
}

/// Perft that looks at the signal where little is lost by it. `None` if it was stopped.
fn perft_until<P: Position>(position: &P, depth: u32, signal: &Signal) -> Option<u64> {
    /// A fraction of a second at most.
    const UNWATCHED: u32 = 3;
    if signal.is_stopped() {
        return None;
    }
    if depth <= UNWATCHED {
        return Some(perft(position, depth));
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let counts = moves.iter().map(|&mv| {
        let mut next = *position;
        next.play(mv);
        perft_until(&next, depth - 1, signal)
    });
    counts.sum()
}
