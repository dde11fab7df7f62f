//! The crate against the slow implementation.

use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::{GameState, Position, Termination};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::legal;
use crate::slow::{Rules, Slow};
use crate::walk::walk;

/// Compares both all through a random game. Gives the number of decisions.
fn compare<P: Position>(rules: Rules, game: GameState<P>, seed: u64, plies: usize) -> usize {
    let mut decisions = 0;
    let mut expected: Option<Vec<Slow>> = None;
    walk(game, seed, plies, |game, moves| {
        let text = game.position().to_string();
        let slow = Slow::new(rules, &text);
        if let Some(nexts) = &expected {
            assert!(nexts.contains(&slow), "{text}");
        }
        let slow_moves = slow.moves();
        let texts: Vec<_> = slow_moves.keys().cloned().collect();
        assert_eq!(legal(game.position()), texts, "{text}");
        assert_eq!(game.position().is_check(), slow.is_check(), "{text}");
        let verdict = game.position().terminal_outcome(moves);
        let mated = slow.is_check() && !slow.has_ordinary_move();
        assert_eq!(
            verdict.is_some_and(|end| end.termination == Termination::Checkmate),
            mated,
            "{text}"
        );
        expected = Some(slow_moves.into_values().collect());
        decisions += 1;
    });
    decisions
}

fn compare_from_start<P: Position>(rules: Rules, wanted: usize) {
    let mut decisions = 0;
    for seed in 0.. {
        decisions += compare(rules, GameState::<P>::start(), seed, usize::MAX - 1);
        if decisions >= wanted {
            break;
        }
    }
}

/// Short games from random positions of few pieces, crowded into a part of the board, where pins,
/// checks, promotions and stalemates abound.
fn compare_from_few_pieces<P: Position>(rules: Rules, wanted: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut decisions = 0;
    while decisions < wanted {
        let text = few_pieces(rules, &mut rng);
        if let Ok(position) = text.parse::<P>() {
            let seed = decisions as u64;
            decisions += compare(rules, GameState::from_position(position), seed, 6);
        }
    }
}

fn few_pieces(rules: Rules, rng: &mut ChaCha8Rng) -> String {
    let general = if rules == Rules::Makruk { 'm' } else { 'f' };
    let letters = ['p', 'p', 'p', general, 's', 'n', 'r'];
    let mut board = vec![vec!['1'; 8]; 8];
    let (files, ranks) = (rng.random_range(3..=8), rng.random_range(3..=8));
    let (file, rank) = (
        rng.random_range(0..=8 - files),
        rng.random_range(0..=8 - ranks),
    );
    let mut pieces = vec!['K', 'k'];
    for _ in 0..rng.random_range(0..8) {
        let piece = *letters.choose(rng).expect("there are letters");
        pieces.push(if rng.random() {
            piece.to_ascii_uppercase()
        } else {
            piece
        });
    }
    for piece in pieces {
        let at = (
            rng.random_range(file..file + files),
            rng.random_range(rank..rank + ranks),
        );
        board[at.1][at.0] = piece;
    }
    let board: Vec<String> = board.into_iter().map(String::from_iter).collect();
    let turn = if rng.random() { 'w' } else { 'b' };
    format!("{} {turn} - - 0 1", board.join("/"))
}

#[test]
fn makruk_games_agree() {
    compare_from_start::<MakrukPosition>(Rules::Makruk, 10_000);
}

#[test]
fn makruk_endings_agree() {
    compare_from_few_pieces::<MakrukPosition>(Rules::Makruk, 20_000);
}

#[test]
fn sittuyin_games_agree() {
    compare_from_start::<SittuyinPosition<false>>(Rules::Sittuyin, 10_000);
}

#[test]
fn sittuyin_endings_agree() {
    compare_from_few_pieces::<SittuyinPosition<false>>(Rules::Sittuyin, 30_000);
}

#[test]
fn booklet_games_agree() {
    compare_from_start::<SittuyinPosition<true>>(Rules::Booklet, 50_000);
}

#[test]
fn booklet_endings_agree() {
    compare_from_few_pieces::<SittuyinPosition<true>>(Rules::Booklet, 60_000);
}
