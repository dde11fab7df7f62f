//! The crate against the slow implementation, over more than 100,000 random decisions.

use garuda_rules::eternal::{EternalPosition, random_start};
use garuda_rules::{Eternal, Game, MoveList, Position};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::slow::Slow;
use crate::{START, legal, position};

/// Plays random moves in both from `start`, comparing legal moves and texts, to the end of the
/// game or for `limit` decisions. Gives the number of decisions.
fn compare(start: &str, rng: &mut ChaCha8Rng, limit: u32) -> u32 {
    let mut game = Eternal::from_position(position(start));
    let mut slow = Slow::new(start);
    let mut moves = MoveList::new();
    loop {
        let text = game.position().to_string();
        assert_eq!(text, slow.text());
        assert_eq!(legal(game.position()), slow.legal(), "{text}");
        game.legal_moves(&mut moves);
        if game.plies() == limit || game.outcome_given(&moves).is_some() {
            return game.plies();
        }
        let mv = moves[rng.random_range(0..moves.len())];
        slow.play(&game.position().uci(mv));
        game.play(mv);
        assert_eq!(game.position().key(), game.position().key_from_scratch());
    }
}

#[test]
fn random_games_from_the_start_agree() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut decisions = 0;
    while decisions < 50_000 {
        decisions += compare(START, &mut rng, u32::MAX);
    }
}

#[test]
fn random_games_from_random_arrays_agree() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut decisions = 0;
    while decisions < 30_000 {
        let start = random_start(&mut rng).to_string();
        decisions += compare(&start, &mut rng, 200);
    }
}

#[test]
fn random_positions_agree() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut decisions = 0;
    while decisions < 40_000 {
        let start = random_position(&mut rng);
        decisions += compare(&start, &mut rng, 4);
    }
}

/// PieceBoard anywhere, crowded or few, any phase.
fn random_position(rng: &mut ChaCha8Rng) -> String {
    loop {
        let mut squares: Vec<usize> = (0..72).collect();
        squares.shuffle(rng);
        // Crowding pieces into fewer rows gives them more to do with each other.
        let rows = rng.random_range(3..=9);
        let from = rng.random_range(0..=9 - rows);
        let crowd = squares
            .iter()
            .copied()
            .filter(|s| (from..from + rows).contains(&(s / 8)));
        let mut crowd: Vec<usize> = crowd.collect();
        let mut board = ['1'; 72];
        let share = rng.random_range(0.3..=1.0);
        for piece in "RRNNCCBBAAPPrrnnccbbaapp".chars() {
            if rng.random_bool(share)
                && let Some(square) = crowd.pop()
            {
                board[square] = piece;
            }
        }
        for cell in board.iter_mut().skip(32).take(8) {
            if *cell == '1' && rng.random_bool(0.5) {
                *cell = 'o';
            }
        }
        let rows: Vec<String> = board
            .chunks(8)
            .rev()
            .map(|row| row.iter().collect())
            .collect();
        let mut one_of = |choices: &str| {
            let choices: Vec<&str> = choices.split(' ').collect();
            choices[rng.random_range(0..choices.len())].to_owned()
        };
        let phase = match one_of("move move place deport").as_str() {
            "place" => format!("P:{}", one_of("R N C B A P r n c b a p")),
            "deport" => format!("D:{}", one_of("D1 E1 D2 E2 D8 E8 D9 E9")),
            _ => "-".to_owned(),
        };
        let side = one_of("r b");
        let points = [one_of("0 1 2 3"), one_of("0 1 2 3")].join(" ");
        let text = format!("{} {side} {phase} {points}", rows.join("/"));
        if let Ok(position) = text.parse::<EternalPosition>() {
            return position.to_string();
        }
    }
}
