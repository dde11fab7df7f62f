use crate::{Move, MoveList, Position};

/// The number of move sequences of `depth` moves. Draws do not end a line, so that the counts
/// can be compared with other programs'.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            moves
                .iter()
                .map(|&mv| {
                    let mut next = *position;
                    next.play(mv);
                    perft(&next, depth - 1)
                })
                .sum()
        }
    }
}

/// [`perft`] apart for each first move, in the order of generation. Empty at depth 0.
pub fn divide<P: Position>(position: &P, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves
        .into_iter()
        .map(|mv| {
            let mut next = *position;
            next.play(mv);
            (mv, perft(&next, rest))
        })
        .collect()
}
