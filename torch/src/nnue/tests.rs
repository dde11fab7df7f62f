use std::ops::ControlFlow;

use garuda_model::nnue::{CompactLayout, KingBuckets, NnueLayout, NnuePosition};
use garuda_model::random_games::random_positions;
use garuda_rules::Position;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;

use super::*;
use crate::set_threads;

/// A target that material alone does not give: how far the pieces have come, too.
fn score<P: Position>(position: &P) -> f32 {
    let mut sum = 0.0;
    for square in P::BOARD.all() {
        if let Some(garuda_rules::Occupant::Piece(piece)) = position.occupant(square) {
            let advance = f32::from(P::BOARD.advance(piece.color, square));
            let value = P::PIECE_TYPES[usize::from(piece.piece_type)].value + 0.2 * advance;
            sum += if piece.color == position.turn() {
                value
            } else {
                -value
            };
        }
    }
    1.0 / (1.0 + (-0.5 * sum).exp())
}

fn check<P: Position>(king_buckets: KingBuckets, stacks: usize, scale: f64) {
    set_threads(1);
    let layout = NnueLayout::of::<P>().unwrap();
    let compact = CompactLayout::new(layout.clone(), king_buckets);
    let mut train = NnueSet::new(&compact);
    let mut validation = NnueSet::new(&compact);
    let mut kept = Vec::new();
    random_positions::<P>(3_000, 1, &[], |game, _| {
        let Some(position) = NnuePosition::of(&layout, game.position()) else {
            return;
        };
        let target = score(game.position());
        if train.len() < 2_500 {
            train.push(&position, target, 1.0);
        } else {
            validation.push(&position, target, 1.0);
            kept.push((position, target));
        }
    });
    let settings = NnueSettings {
        width: 16,
        stacks,
        epochs: 12,
        batch: 100,
        learning_rate: 2e-3,
        weight_decay: 0.1,
        scale,
        seed: 1,
    };
    let mut epochs = Vec::new();
    let trained = train_nnue(&train, &validation, &settings, |_, epoch| {
        epochs.extend(epoch);
        ControlFlow::Continue(())
    });
    assert_eq!(epochs.len(), 12);
    let least = (epochs.iter())
        .map(|epoch| epoch.validation_loss)
        .fold(1.0, f64::min);
    assert_eq!(trained.best.validation_loss, least);
    // With so few games it overfits, which is what validation is for.
    assert!(least < trained.first_loss, "{}", trained.first_loss);
    assert!(epochs[11].loss < 0.2 * epochs[0].loss, "{epochs:?}");
    // The engine's integers give the same loss.
    let expanded = trained.network.expand(String::new());
    let mut sum = 0.0;
    for (position, target) in &kept {
        let evaluation = expanded.evaluate(&layout, position);
        assert_eq!(evaluation, trained.network.evaluate(position));
        let logit = f64::from(evaluation.internal()) / 361.0 / scale;
        let score = 1.0 / (1.0 + (-logit).exp());
        sum += (score - f64::from(*target)).powi(2);
    }
    let loss = sum / kept.len() as f64;
    assert!((loss - least).abs() < 0.1 * least + 1e-4, "{loss} {least}");
    assert!(expanded.largest_accumulator(40) <= 32_767);
    // The same seed trains the same network.
    let again = train_nnue(&train, &validation, &settings, |_, _| {
        ControlFlow::Continue(())
    });
    assert_eq!(again, trained);
}

#[test]
fn a_network_learns_and_survives_quantisation() {
    check::<ToriPosition>(KingBuckets::One, 1, 1.0);
}

#[test]
fn stacks_king_buckets_and_scale_work_too() {
    check::<MakrukPosition>(KingBuckets::Eight, 8, 1.4);
}

#[test]
fn training_can_be_stopped() {
    set_threads(1);
    let layout = NnueLayout::of::<ToriPosition>().unwrap();
    let mut set = NnueSet::new(&CompactLayout::new(layout.clone(), KingBuckets::One));
    let position = NnuePosition::of(&layout, &ToriPosition::start()).unwrap();
    for _ in 0..10 {
        set.push(&position, 0.5, 1.0);
    }
    let settings = NnueSettings {
        width: 8,
        stacks: 1,
        epochs: 100,
        batch: 2,
        learning_rate: 1e-3,
        weight_decay: 0.0,
        scale: 1.0,
        seed: 1,
    };
    let mut calls = 0;
    let trained = train_nnue(&set, &set, &settings, |_, _| {
        calls += 1;
        ControlFlow::Break(())
    });
    assert_eq!((calls, trained.best.number), (2, 1));
}
