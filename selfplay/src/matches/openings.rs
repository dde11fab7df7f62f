use std::collections::HashSet;

use garuda_mcts::random_move;
use garuda_rules::{Game, Position};

use crate::players::Line;
use crate::seeds;

/// Tries for each opening before one is used twice.
const TRIES: u64 = 50;

/// Games of `plies` random moves each from `start`, none of them over, and no two alike as long
/// as there are enough. The first ones do not depend on how many are asked for.
pub fn openings<P: Position>(start: &P, count: usize, plies: u32, seed: u64) -> Vec<Line<P>> {
    let mut seen = HashSet::new();
    (0..count as u64)
        .map(|number| {
            let mut last = Line::new(*start);
            for attempt in 0..TRIES {
                last = opening(
                    start,
                    plies,
                    seeds::derive(seed, "opening", &[number, attempt]),
                );
                if last.game().outcome().is_none() && seen.insert(last.game().state_key()) {
                    return last;
                }
            }
            if last.game().outcome().is_some() {
                last = Line::new(*start);
            }
            last
        })
        .collect()
}

fn opening<P: Position>(start: &P, plies: u32, seed: u64) -> Line<P> {
    let mut rng = seeds::rng(seed);
    let mut line = Line::new(*start);
    for _ in 0..plies {
        match random_move(line.game(), &mut rng) {
            Some(mv) => line.play(mv),
            None => break,
        }
    }
    line
}
