//! Finds forced wins for the side to move and their distances by exhaustive search:
//!
//!     cargo run --release -p garuda-mcts --example compose_mates -- makruk 4 > makruk.mates
//!
//! The positions occur in games whose moves are sampled from the material evaluator's policy, some
//! of them from random starts with few pieces. Prints the given number per distance.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use garuda_mcts::evaluators::Material;
use garuda_mcts::{Evaluations, Evaluator, sample, softmax};
use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Game, GameState, Move, MoveList, Position};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Distances in decisions: one to four moves of the winner where the sides alternate, and ranges
/// where they do not.
const MATES: &[RangeInclusive<u32>] = &[1..=1, 3..=3, 5..=5, 7..=7];
const WINS: &[RangeInclusive<u32>] = &[1..=1, 2..=3, 4..=5];
const MAX_DISTANCE: u32 = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [game, count] = &arguments[..] else {
        panic!("usage: compose_mates GAME COUNT");
    };
    let count = count.parse().expect("COUNT is a number of positions");
    match game.as_str() {
        "makruk" => {
            compose::<MakrukPosition>(MATES, count, |rng| few_pieces("PPMSNRR", "w - - 0 1", rng));
        }
        "sittuyin" => compose::<SittuyinPosition<false>>(MATES, count, |rng| {
            few_pieces("PFSSNNRR", "[] w - - 0 1", rng)
        }),
        "sittuyin-booklet" => compose::<SittuyinPosition<true>>(MATES, count, |rng| {
            few_pieces("PFSSNNRR", "[] w - - 0 1", rng)
        }),
        "torishogi" => compose::<ToriPosition>(MATES, count, few_birds),
        "eternal" => compose::<EternalPosition>(WINS, count, late_points),
        _ => panic!("no such game: {game}"),
    }
}

/// Kings and a few pieces on random squares of an 8×8 board.
fn few_pieces(pieces: &str, rest: &str, rng: &mut ChaCha8Rng) -> String {
    let mut squares: Vec<usize> = (0..64).collect();
    squares.shuffle(rng);
    let mut board = vec!['1'; 64];
    let pieces: Vec<char> = pieces.chars().collect();
    let mut put = |piece| board[squares.pop().expect("there are few pieces")] = piece;
    put('K');
    put('k');
    for _ in 0..rng.random_range(2..6) {
        put(*pieces.choose(rng).expect("there are pieces"));
    }
    for _ in 0..rng.random_range(0..4) {
        put(pieces
            .choose(rng)
            .expect("there are pieces")
            .to_ascii_lowercase());
    }
    let space = if rest.starts_with('[') { "" } else { " " };
    format!("{}{space}{rest}", ranks(&board, 8))
}

/// A few pieces on a 7×7 board and in hand.
fn few_birds(rng: &mut ChaCha8Rng) -> String {
    let mut squares: Vec<usize> = (0..49).collect();
    squares.shuffle(rng);
    let mut board = vec!["1".to_owned(); 49];
    let mut put =
        |piece: &str| board[squares.pop().expect("there are few pieces")] = piece.to_owned();
    put("K");
    put("k");
    let birds = ["S", "S", "S", "P", "C", "L", "R", "F", "+S", "+F"];
    let mut bird = || birds.choose(rng).copied().expect("there are birds");
    (0..3).for_each(|_| put(bird()));
    (0..3).for_each(|_| put(&bird().to_ascii_lowercase()));
    let hands = ["SC", "SSF", "SPs", "FLs", "SSSc", "SSPss", "CR"];
    let hand = hands.choose(rng).expect("there are hands");
    let mut text = String::new();
    for (i, piece) in board.iter().enumerate() {
        if i > 0 && i % 7 == 0 {
            text.push('/');
        }
        text.push_str(piece);
    }
    format!("{text}[{hand}] w - - 0 1")
}

/// The start array with few points missing to win.
fn late_points(rng: &mut ChaCha8Rng) -> String {
    let points = ["3 3", "3 2", "2 2", "2 3"];
    let points = points.choose(rng).expect("there are points");
    format!("rpb2bpr/acn2nca/8/8/oooooooo/8/8/ACN2NCA/RPB2BPR r - {points}")
}

fn ranks(board: &[char], files: usize) -> String {
    let ranks: Vec<String> = board
        .chunks(files)
        .map(|rank| rank.iter().collect())
        .collect();
    ranks.join("/")
}

/// Ranges of distances, and the number of positions still wanted of each.
type Wanted = Vec<(RangeInclusive<u32>, usize)>;

fn compose<P: Position>(
    distances: &[RangeInclusive<u32>],
    count: usize,
    start: impl Fn(&mut ChaCha8Rng) -> String,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(2014);
    let mut wanted: Wanted = distances.iter().map(|d| (d.clone(), count)).collect();
    let mut material = Material::<P>::default();
    println!("# Decisions to the end with best play, and the position.");
    while wanted.iter().any(|(_, left)| *left > 0) {
        let game = if rng.random_bool(0.3) {
            Ok(GameState::<P>::start())
        } else {
            GameState::from_fen(&start(&mut rng))
        };
        if let Ok(mut game) = game {
            play_game(&mut game, &mut wanted, &mut material, &mut rng);
        }
    }
}

/// Plays a game to its end and looks for a wanted position among the winner's last ones.
fn play_game<P: Position>(
    game: &mut GameState<P>,
    wanted: &mut Wanted,
    material: &mut Material<P>,
    rng: &mut ChaCha8Rng,
) {
    let mut moves = MoveList::new();
    let mut evaluations = Evaluations::default();
    let mut positions = Vec::new();
    let outcome = loop {
        game.legal_moves(&mut moves);
        if let Some(outcome) = game.outcome_given(&moves) {
            break outcome;
        }
        positions.push(*game.position());
        material.push(game, &moves);
        material
            .run(&mut evaluations)
            .expect("the material evaluator is infallible");
        let (_, logits) = evaluations.get(0);
        let mut policy = vec![0.0; logits.len()];
        softmax(logits, &mut policy);
        game.play(moves[sample(&policy, 1.0, rng)]);
    };
    let last = positions.len().saturating_sub(2 * MAX_DISTANCE as usize);
    for position in &positions[last..] {
        if outcome.winner == Some(position.turn())
            // The file has the position without its history.
            && let Ok(position) = position.to_string().parse::<P>()
            && let Some(distance) = MateFinder::default().distance(&position)
            && let Some((_, left)) = wanted
                .iter_mut()
                .find(|(range, left)| *left > 0 && range.contains(&distance))
        {
            *left -= 1;
            println!("{distance} {position}");
            return;
        }
    }
}

/// Looks for forced wins by exhaustive search. The distances are too short for repetitions to
/// matter.
#[derive(Default)]
struct MateFinder {
    /// Whether the attacker wins, by position and number of decisions.
    solved: HashMap<(u64, u32), bool>,
    positions: u64,
}

/// The search is given up after this number of positions, and the position not used.
const MAX_POSITIONS: u64 = 400_000;

impl MateFinder {
    /// Number of decisions to the end if the side to move can force a win within the maximum
    /// distance.
    fn distance<P: Position>(&mut self, position: &P) -> Option<u32> {
        let attacker = position.turn();
        let found = (1..=MAX_DISTANCE).find(|&depth| self.wins(position, attacker, depth));
        found.filter(|_| self.positions < MAX_POSITIONS)
    }

    fn wins<P: Position>(&mut self, position: &P, attacker: Color, depth: u32) -> bool {
        self.positions += 1;
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if let Some(outcome) = position.terminal_outcome(&moves) {
            return outcome.winner == Some(attacker);
        }
        if depth == 0 || self.positions >= MAX_POSITIONS {
            return false;
        }
        let key = (position.key() ^ position.clock_key(), depth);
        if let Some(&solved) = self.solved.get(&key) {
            return solved;
        }
        let after = |mv| {
            let mut next = *position;
            next.play(mv);
            next
        };
        let turn = position.turn();
        if depth > 1 {
            // The attacker tries moves with few replies first, the defender those with many.
            moves.sort_by_cached_key(|&mv| {
                let replies = after(mv).count_legal_moves() as i64;
                if turn == attacker { replies } else { -replies }
            });
        }
        let mut wins = |&mv: &Move| self.wins(&after(mv), attacker, depth - 1);
        let won = if turn == attacker {
            moves.iter().any(&mut wins)
        } else {
            moves.iter().all(&mut wins)
        };
        self.solved.insert(key, won);
        won
    }
}
