//! Our games: history, sides that do not alternate, policy targets.

use std::collections::HashMap;

use garuda_mcts::evaluators::{Material, Table, Uniform};
use garuda_mcts::{Gumbel, GumbelSettings, MoveSelection, Proof, Puct, PvLine, Wdl, random_move};
use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Game, GameState, MoveList, Position};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::brute_force::{same_result, solve};
use crate::helpers::{gumbel, policy, puct};
use crate::toy_games::WhiteWins;

fn played<P: Position>(start: &str, moves: &str) -> GameState<P> {
    let mut game = GameState::from_fen(start).unwrap();
    for mv in moves.split_whitespace() {
        game.play_uci(mv).unwrap();
    }
    game
}

/// The principal variation of a root move, given in UCI notation.
fn pv_line<P: Position>(search: &Puct<GameState<P>>, uci: &str) -> PvLine {
    let position = search.game().position();
    let mv = position.parse_uci(uci).unwrap();
    let mut lines = search.pv_lines(MoveSelection::Lcb, usize::MAX).into_iter();
    lines.find(|line| line.moves[0] == mv).unwrap()
}

fn check_targets<P: Position>() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut material = Material::<P>::default();
    let mut legal = MoveList::new();
    for _ in 0..6 {
        let mut game = GameState::<P>::start();
        for _ in 0..rng.random_range(0..60) {
            let Some(mv) = random_move(&game, &mut rng) else {
                break;
            };
            game.play(mv);
        }
        if game.outcome().is_some() {
            continue;
        }
        game.legal_moves(&mut legal);
        for simulations in [2, 16, 50] {
            for check_win_in_one in [false, true] {
                let settings = GumbelSettings {
                    simulations,
                    check_win_in_one,
                    ..GumbelSettings::default()
                };
                let search = gumbel(&game, settings, 1, &mut material);
                check_target(&search, &legal, simulations);
            }
        }
    }
}

fn check_target<P: Position>(search: &Gumbel<GameState<P>>, legal: &MoveList, simulations: u32) {
    let policy = policy(search);
    assert_eq!(
        search.moves(),
        &legal[..],
        "the order is that of the legal moves"
    );
    assert_eq!(policy.len(), legal.len());
    assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    assert!(
        policy
            .iter()
            .all(|probability| (0.0..=1.0).contains(probability))
    );
    assert!(search.best() < legal.len());
    let visits: u32 = search.visits().sum();
    assert!(visits == simulations || search.proof().is_some() || legal.len() == 1);
    let value = search.value();
    assert!(value.is_some() || legal.len() == 1);
    for wdl in search.completed_values().chain(value) {
        assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-4);
        assert!(wdl.win >= 0.0 && wdl.draw >= 0.0 && wdl.loss >= 0.0);
    }
}

#[test]
fn targets_cover_the_legal_moves_and_sum_to_one() {
    check_targets::<MakrukPosition>();
    check_targets::<SittuyinPosition<false>>();
    check_targets::<SittuyinPosition<true>>();
    check_targets::<ToriPosition>();
    check_targets::<EternalPosition>();
}

#[test]
fn edges_are_in_the_order_of_the_legal_moves() {
    let game = GameState::<ToriPosition>::start();
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    for (index, &mv) in legal.iter().enumerate() {
        let mut table = Table::default();
        table.set(&game, Wdl::UNKNOWN, &[(mv, 30.0)]);
        let settings = GumbelSettings {
            simulations: 1,
            gumbel_scale: 0.0,
            ..GumbelSettings::default()
        };
        let search = gumbel(&game, settings, 1, &mut table);
        assert_eq!(search.best(), index);
        assert!(policy(&search)[index] > 0.99);
        let visited: Vec<usize> = search.visits().map(|visits| visits as usize).collect();
        assert_eq!(visited.iter().position(|&visits| visits > 0), Some(index));
        // PUCT visits the move with the highest prior first.
        let search = puct(&game, 2, &mut table);
        let lines = search.pv_lines(MoveSelection::MostVisits, usize::MAX);
        assert_eq!((lines.len(), lines[0].moves[0]), (1, mv));
    }
}

/// King, rook and khon against king, so close to the end of the count that an exhaustive search is
/// possible.
#[test]
fn proofs_equal_brute_force_near_the_end_of_the_count() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut uniform = Uniform::default();
    let (mut proven, mut results) = (0, HashMap::new());
    let mut squares: Vec<usize> = (0..64).collect();
    while results.values().sum::<u32>() < 300 {
        squares.shuffle(&mut rng);
        let mut board = ['1'; 64];
        for (&square, piece) in squares.iter().zip("KkRS".chars()) {
            board[square] = piece;
        }
        let ranks: Vec<String> = board.chunks(8).map(String::from_iter).collect();
        let turn = if rng.random_bool(0.5) { 'w' } else { 'b' };
        let count = rng.random_range(29..33);
        let text = format!("{} {turn} - 32 {count} 50", ranks.join("/"));
        let Ok(game) = GameState::<MakrukPosition>::from_fen(&text) else {
            continue;
        };
        if game.outcome().is_some() {
            continue;
        }
        let expected = solve(&game, &mut HashMap::new());
        let search = puct(&game, 5_000, &mut uniform);
        let settings = GumbelSettings {
            simulations: 2_000,
            max_considered_actions: 64,
            ..GumbelSettings::default()
        };
        let gumbel_search = gumbel(&game, settings, 1, &mut uniform);
        for proof in [search.proof(), gumbel_search.proof()]
            .into_iter()
            .flatten()
        {
            assert!(
                same_result(proof, expected),
                "{text}: {proof:?} {expected:?}"
            );
            proven += 1;
        }
        *results.entry(expected.wdl().value() as i32).or_insert(0) += 1;
    }
    assert!(proven > 400, "{proven} of 600");
    assert!(results.len() == 3, "wins, draws and losses: {results:?}");
}

#[test]
fn a_counting_draw_is_proven() {
    // One ply is left of the count, and there is no mate in one.
    let game = played::<MakrukPosition>("8/8/8/3k4/8/8/R7/K7 w - 32 31 60", "");
    let search = puct(&game, 5_000, &mut Material::default());
    assert_eq!(search.proof(), Some(Proof::Draw));
    // With plies left it is no draw.
    let game = played::<MakrukPosition>("8/8/8/3k4/8/8/R7/K7 w - 32 6 60", "");
    let search = puct(&game, 500, &mut Material::default());
    assert!(search.proof().is_none() && search.value().unwrap().value() > 0.3);
}

#[test]
fn a_draw_by_repetition_is_proven_and_taken() {
    let shuffle = "a1a2 e8e7 a2a1 e7e8 a1a2 e8e7 a2a1";
    let game = played::<MakrukPosition>("4k3/8/8/8/8/4K3/8/R7 w - 32 2 60", shuffle);
    assert_eq!(game.turn(), Color::Black);
    let search = puct(&game, 2_000, &mut Material::default());
    assert_eq!(pv_line(&search, "e7e8").proof, Some(Proof::Draw));
    let best = search.best_move(MoveSelection::Lcb).unwrap();
    assert_eq!(game.position().uci(best), "e7e8");
}

#[test]
fn a_lost_repetition_is_proven_and_avoided() {
    let start = ToriPosition::start().to_string();
    let cycle = "c1b2 e7f6 b2c1 f6e7";
    let game = played::<ToriPosition>(&start, &format!("{cycle} {cycle} c1b2 e7f6 b2c1"));
    // The side that repeats the position for the third time loses.
    assert_eq!(game.turn(), Color::Black);
    let search = puct(&game, 2_000, &mut Uniform::default());
    assert_eq!(pv_line(&search, "f6e7").proof, Some(Proof::Loss(1)));
    let best = search.best_move(MoveSelection::MostVisits).unwrap();
    assert_ne!(game.position().uci(best), "f6e7");
    // The other side would win.
    let mut other = game.clone();
    other.play_uci("f6e7").unwrap();
    assert_eq!(other.outcome().unwrap().winner, Some(Color::White));
}

#[test]
fn a_swallow_drop_mate_loses() {
    let game = played::<ToriPosition>("k6/2F4/1+F5/7/7/7/3K3[S] w - - 0 1", "");
    let search = puct(&game, 3_000, &mut Material::default());
    let mate = game.position().parse_uci("S@a6").unwrap();
    let mut next = game.clone();
    next.play(mate);
    assert_eq!(next.outcome().unwrap().winner, Some(Color::Black));
    assert_ne!(search.best_move(MoveSelection::Lcb), Some(mate));
    assert!(matches!(search.proof(), Some(Proof::Win(_))));
}

/// Values are not flipped between consecutive decisions of one side.
#[test]
fn backup_within_a_turn_keeps_the_side() {
    // Red deports, then moves: it scores the last point with its second decision.
    let text = "r3b1pr/1a6/R2cn1c1/1n2a3/2oboN1o/3N1P2/1C1BBR2/1C2p3/3P2AA r D:E2 3 3";
    let game = played::<EternalPosition>(text, "");
    let search = puct(&game, 50, &mut Uniform::default());
    assert_eq!(search.proof(), Some(Proof::Win(2)));
    // Red places eight pieces in a row, then Black eight.
    let mut game = GameState::<SittuyinPosition<true>>::start();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for ply in 0..16 {
        let expected = if ply < 8 {
            WhiteWins::VALUE
        } else {
            -WhiteWins::VALUE
        };
        let search = puct(&game, 200, &mut WhiteWins::default());
        let value = search.value().unwrap().value();
        assert!((value - expected).abs() < 1e-4, "{value}");
        let settings = GumbelSettings::default();
        let search = gumbel(&game, settings, 1, &mut WhiteWins::default());
        let value = search.value().map_or(expected, Wdl::value);
        assert!((value - expected).abs() < 1e-4, "{value}");
        game.play(random_move(&game, &mut rng).unwrap());
    }
}

#[test]
fn material_beats_random_in_every_game() {
    fn beats_random<P: Position>(games: u64) {
        for seed in 0..games {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let side = Color::ALL[(seed % 2) as usize];
            let mut game = GameState::<P>::start();
            let mut material = Material::default();
            let outcome = loop {
                if let Some(outcome) = game.outcome() {
                    break outcome;
                }
                let mv = if game.turn() == side {
                    puct(&game, 250, &mut material).best_move(MoveSelection::Lcb)
                } else {
                    random_move(&game, &mut rng)
                };
                game.play(mv.unwrap());
            };
            assert_ne!(outcome.winner, Some(!side), "{outcome:?}");
        }
    }
    beats_random::<MakrukPosition>(2);
    beats_random::<SittuyinPosition<false>>(2);
    beats_random::<SittuyinPosition<true>>(2);
    beats_random::<ToriPosition>(2);
    beats_random::<EternalPosition>(2);
}
