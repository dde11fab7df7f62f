use std::collections::HashSet;

use garuda_mcts::random_move;
use garuda_rules::{Game, Played, Position};

use crate::seeds;

/// Tries for each opening before one is used twice.
const TRIES: u64 = 50;

/// Games of `plies` random moves each from `start`, none of them over, and no two alike as long
/// as there are enough. The first ones do not depend on how many are asked for.
pub fn openings<P: Position>(start: &P, count: usize, plies: u32, seed: u64) -> Vec<Played<P>> {
    let mut seen = HashSet::new();
    (0..count as u64)
        .map(|number| {
            let mut last = Played::from_position(*start);
            for attempt in 0..TRIES {
                last = opening(
                    start,
                    plies,
                    seeds::derive(seed, "opening", &[number, attempt]),
                );
                if last.outcome().is_none() && seen.insert(last.state_key()) {
                    return last;
                }
            }
            if last.outcome().is_some() {
                last = Played::from_position(*start);
            }
            last
        })
        .collect()
}

fn opening<P: Position>(start: &P, plies: u32, seed: u64) -> Played<P> {
    let mut rng = seeds::rng(seed);
    let mut game = Played::from_position(*start);
    for _ in 0..plies {
        match random_move(&game, &mut rng) {
            Some(mv) => game.play(mv),
            None => break,
        }
    }
    game
}
