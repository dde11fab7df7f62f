//! The sparse network: features that mean what they say, sums that are exact, files that are
//! whole.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;

use garuda_mcts::{Evaluations, Evaluator};
use garuda_rules::{Game, GameState, MoveList, Occupant, Position, RuleSet, with_rule_set};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::network::{SUM_SCALE, SparseWeights};
use super::*;
use crate::View;
use crate::random_games::random_positions;

/// A network of random weights, as large as training may make them.
pub(crate) fn random_network<P: Position>(shape: SparseShape, seed: u64) -> SparseNetwork {
    let layout = FeatureLayout::of::<P>();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (width, hidden) = (shape.width(), shape.hidden());
    let mut integers =
        |count: usize, most: i16| (0..count).map(|_| rng.random_range(-most..=most)).collect();
    let (rows, bias) = (integers(layout.features() * width, 60), integers(width, 60));
    let hidden_rows = integers(hidden * width, 300);
    let policy = integers(layout.actions() * width, 300);
    let mut floats =
        |count: usize| -> Vec<f32> { (0..count).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let weights = SparseWeights {
        rows,
        bias,
        hidden: hidden_rows,
        hidden_bias: floats(hidden),
        value: floats(3 * hidden),
        value_bias: floats(3),
        policy,
        moves: floats(layout.moves()),
    };
    SparseNetwork::new(layout.sizes(), shape, weights)
        .expect("small weights are within their bounds")
}

fn small() -> SparseShape {
    SparseShape::new(32, 8).unwrap()
}

fn sample_of<P: Position>(layout: &FeatureLayout, game: &GameState<P>, view: View) -> SparseSample {
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let mut sample = SparseSample::default();
    layout.fill(game, &legal, view, &mut sample);
    sample
}

fn sorted(sample: &SparseSample) -> Vec<u16> {
    let mut features = sample.features.clone();
    features.sort_unstable();
    features
}

/// Features are in range, none is listed twice, and the pieces can be read back from them.
fn check_features<P: Position>() {
    let layout = FeatureLayout::of::<P>();
    random_positions::<P>(1500, 1, &[], |game, legal| {
        let position = game.position();
        let view = View::of(position);
        let sample = sample_of(&layout, game, view);
        let distinct: HashSet<_> = sample.features.iter().collect();
        assert_eq!(distinct.len(), sample.features.len());
        assert!(sample.features.len() <= FeatureLayout::MAX_ACTIVE);
        assert!(
            sample
                .features
                .iter()
                .all(|&f| usize::from(f) < layout.features())
        );
        assert!(
            sample
                .actions
                .iter()
                .all(|&a| usize::from(a) < layout.actions())
        );
        assert!(
            sample
                .moves
                .iter()
                .all(|&m| usize::from(m) < layout.moves())
        );
        assert_eq!(sample.actions.len(), legal.len());
        let turn = position.turn();
        let (own, enemy) = (position.attack_map(turn), position.attack_map(!turn));
        let mut pieces = 0;
        for &feature in &sample.features {
            let Some((side, piece_type, state, square)) = layout.piece_of(feature.into()) else {
                continue;
            };
            pieces += 1;
            let square = view.square(P::BOARD, square);
            let Some(Occupant::Piece(piece)) = position.occupant(square) else {
                panic!("no piece on {square:?} in {position}");
            };
            assert_eq!(piece.color == turn, side == 0, "{position}");
            assert_eq!(usize::from(piece.piece_type), piece_type, "{position}");
            let (friends, foes) = if side == 0 {
                (own, enemy)
            } else {
                (enemy, own)
            };
            assert_eq!(state & 1 != 0, foes.has(square), "{position}");
            assert_eq!(state & 2 != 0, friends.has(square), "{position}");
        }
        let on_board = P::BOARD
            .all()
            .filter(|&square| matches!(position.occupant(square), Some(Occupant::Piece(_))));
        assert_eq!(pieces, on_board.count(), "{position}");
    });
}

/// A turned board looks the same to the other side, and a mirrored view is a view of the mirror
/// image.
fn check_symmetry<P: Position>() {
    let layout = FeatureLayout::of::<P>();
    random_positions::<P>(600, 2, &[], |game, _| {
        // Without the past, which a turned or mirrored position does not have.
        let alone = GameState::from_position(*game.position());
        let position = alone.position();
        let view = View::of(position);
        let seen = sample_of(&layout, &alone, view);
        let rotated = GameState::from_position(position.rotated());
        let from_there = sample_of(&layout, &rotated, View::of(rotated.position()));
        assert_eq!(sorted(&seen), sorted(&from_there), "{position}");
        let moves = |sample: &SparseSample| {
            let mut moves: Vec<_> = sample.actions.iter().zip(&sample.moves).collect();
            moves.sort_unstable();
            format!("{moves:?}")
        };
        assert_eq!(moves(&seen), moves(&from_there), "{position}");
        if let Some(mirrored) = position.mirrored() {
            let in_mirror = sample_of(&layout, &alone, view.mirrored(true));
            let image = GameState::from_position(mirrored);
            let of_image = sample_of(&layout, &image, View::of(image.position()));
            assert_eq!(sorted(&in_mirror), sorted(&of_image), "{position}");
            assert_eq!(moves(&in_mirror), moves(&of_image), "{position}");
        }
    });
}

/// The kernel's sums are those of 64-bit integers.
fn check_sums<P: Position>() {
    for width in SparseShape::WIDTHS {
        let shape = SparseShape::new(width, 16).unwrap();
        let width = shape.width();
        let network = random_network::<P>(shape, width as u64);
        let layout = FeatureLayout::of::<P>();
        let weights = network.weights();
        let mut logits = Vec::new();
        random_positions::<P>(160, 3, &[], |game, _| {
            let sample = sample_of(&layout, game, View::of(game.position()));
            let wdl = network.evaluate(&sample, &mut logits);
            let sums: Vec<i64> = (0..width)
                .map(|i| {
                    let rows = sample.features.iter();
                    let rows = rows.map(|&f| i64::from(weights.rows[usize::from(f) * width + i]));
                    rows.sum::<i64>() + i64::from(weights.bias[i])
                })
                .collect();
            let active: Vec<i64> = (sums.iter())
                .map(|&sum| sum.clamp(0, SUM_SCALE as i64).pow(2) >> 6)
                .collect();
            let dot = |row: &[i16]| -> i64 {
                row.iter()
                    .zip(&active)
                    .map(|(&w, a)| i64::from(w) * a)
                    .sum()
            };
            for ((logit, &action), &mv) in logits.iter().zip(&sample.actions).zip(&sample.moves) {
                let row = &weights.policy[usize::from(action) * width..][..width];
                let exact = dot(row) as f64 / (65025.0 / 64.0 * 512.0)
                    + f64::from(weights.moves[usize::from(mv)]);
                assert!((f64::from(*logit) - exact).abs() < 1e-4 * (1.0 + exact.abs()));
            }
            assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-5);
        });
    }
}

#[test]
fn features_describe_the_position() {
    for rules in RuleSet::ALL {
        with_rule_set!(rules, P => check_features::<P>());
    }
}

#[test]
fn turned_and_mirrored_positions_look_the_same() {
    for rules in RuleSet::ALL {
        with_rule_set!(rules, P => check_symmetry::<P>());
    }
}

#[test]
fn sums_are_exact() {
    for rules in RuleSet::ALL {
        with_rule_set!(rules, P => check_sums::<P>());
    }
}

/// The same evaluations, to the last bit, on every machine.
#[test]
fn evaluations_are_the_same_everywhere() {
    let mut text = String::new();
    for rules in RuleSet::ALL {
        with_rule_set!(rules, P => {
            let network = random_network::<P>(small(), 5);
            let layout = FeatureLayout::of::<P>();
            let mut logits = Vec::new();
            let mut ply = 0;
            random_positions::<P>(160, 3, &[], |game, _| {
                ply += 1;
                if ply % 40 == 1 {
                    let sample = sample_of(&layout, game, View::of(game.position()));
                    let wdl = network.evaluate(&sample, &mut logits);
                    let bits = [wdl.win, wdl.draw, wdl.loss].map(f32::to_bits);
                    let sum = logits.iter().fold(0_u32, |sum, logit| {
                        sum.rotate_left(5) ^ logit.to_bits()
                    });
                    writeln!(text, "{} {bits:08x?} {sum:08x}", game.position()).unwrap();
                }
            });
        });
    }
    insta::assert_snapshot!(text);
}

#[test]
fn evaluations_do_not_depend_on_neighbours() {
    type P = garuda_rules::tori::ToriPosition;
    let network = Arc::new(random_network::<P>(small(), 1));
    let mut evaluator = SparseEvaluator::<P>::new(network);
    let mut positions = Vec::new();
    random_positions::<P>(160, 3, &[], |game, legal| {
        positions.push((game.clone(), legal.clone()));
    });
    let (mut together, mut alone) = (Evaluations::default(), Evaluations::default());
    for (game, legal) in &positions {
        evaluator.push(game, legal);
    }
    evaluator.run(&mut together).unwrap();
    assert_eq!(together.len(), positions.len());
    for (i, (game, legal)) in positions.iter().enumerate() {
        evaluator.push(game, legal);
        evaluator.run(&mut alone).unwrap();
        assert_eq!(alone.get(0), together.get(i));
    }
}

#[test]
fn files_come_back_and_damage_is_found() {
    type P = garuda_rules::makruk::MakrukPosition;
    let network = random_network::<P>(small(), 2);
    let layout = FeatureLayout::of::<P>();
    let bytes = network.to_bytes(&layout, "test", 17);
    let (info, read) = SparseNetwork::from_bytes(&bytes).unwrap();
    assert_eq!(read, network);
    assert_eq!((info.rules.as_str(), info.step), ("makruk", 17));
    assert_eq!(read.to_bytes(&layout, "test", 17), bytes);
    for at in (0..bytes.len()).step_by(997).chain(0..200) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        let damaged = SparseNetwork::from_bytes(&damaged);
        assert!(damaged.is_err() || damaged.unwrap().0 != info, "byte {at}");
    }
    for length in [0, 7, 8, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(SparseNetwork::from_bytes(&bytes[..length]).is_err());
    }
}

#[test]
fn weights_that_could_overflow_are_refused() {
    type P = garuda_rules::tori::ToriPosition;
    let shape = SparseShape::new(128, 8).unwrap();
    let network = random_network::<P>(shape, 3);
    let refused = |change: &dyn Fn(&mut SparseWeights)| {
        let mut weights = network.weights().clone();
        change(&mut weights);
        SparseNetwork::new(network.sizes(), shape, weights).unwrap_err()
    };
    let found = refused(&|weights| weights.rows.fill(600));
    assert_eq!(found, ["128 sums of feature rows can overflow"]);
    let found = refused(&|weights| weights.policy.fill(i16::MAX));
    assert!(found[0].contains("dot products of policy"), "{found:?}");
    let found = refused(&|weights| weights.value[1] = f32::NAN);
    assert_eq!(found, ["it has 1 numbers that are not finite"]);
    let found = refused(&|weights| {
        weights.rows.pop();
        weights.value_bias.clear();
    });
    assert_eq!(found.len(), 2);
}
