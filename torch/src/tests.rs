use std::cmp::Ordering;

use garuda_mcts::{Evaluations, Evaluator, Wdl};
use garuda_model::random_games::{distribution, random_positions};
use garuda_model::{ConvShape, Encoding, NetworkKind, View, encode};
use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{GameState, MoveList, Position};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::batch::Inputs;
use crate::{Batch, Targets, TrainParams};

/// A network whose every number matters: normalisation is not trivial as it is at the start.
fn scrambled<P: Position>(blocks: u32, channels: u32) -> Trainer<P> {
    set_threads(1);
    let shape = ConvShape::new(blocks, channels).unwrap();
    let trainer = Trainer::new(shape, TrainParams::default(), 1);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut add_noise = |weights: &Weights, range: std::ops::Range<f32>| {
        let length = weights.layout.len();
        let noise: Vec<f32> = (0..length)
            .map(|_| rng.random_range(range.clone()))
            .collect();
        let mut flat = weights.flat.shallow_clone();
        flat += tch::Tensor::from_slice(&noise);
    };
    add_noise(&trainer.averaged.params, -0.05..0.05);
    add_noise(&trainer.averaged.stats, 0.0..0.3);
    trainer
}

fn assert_close(a: &[f32], b: &[f32]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }
}

/// 1,000 positions: their games, legal moves and planes.
fn positions<P: Position>() -> (Vec<(GameState<P>, MoveList)>, Vec<f32>) {
    let length = Encoding::of::<P>().input_len();
    let mut games = Vec::new();
    let mut planes = Vec::new();
    random_positions(1_000, 11, &[], |game: &GameState<P>, legal| {
        let start = planes.len();
        planes.resize(start + length, 0.0);
        encode(game, View::of(game.position()), &mut planes[start..]);
        games.push((game.clone(), legal.clone()));
    });
    (games, planes)
}

/// What is exported is what was trained, in both formats.
fn exports_agree<P: Position>() {
    let trainer = scrambled::<P>(2, 16);
    let (games, planes) = positions::<P>();
    let actions = Encoding::of::<P>().actions();
    let expected = trainer.averaged().predict(&planes).unwrap();

    let mut evaluator = trainer
        .averaged()
        .export("test")
        .evaluator::<P>(64)
        .unwrap();
    let mut evaluations = Evaluations::default();
    let chunks = games.chunks(evaluator.capacity());
    for (chunk, first) in chunks.zip((0..).step_by(evaluator.capacity())) {
        for (game, legal) in chunk {
            evaluator.push(game, legal);
        }
        evaluator.run(&mut evaluations).unwrap();
        assert_eq!(evaluations.len(), chunk.len());
        for (i, (game, legal)) in chunk.iter().enumerate() {
            let (Wdl { win, draw, loss }, logits) = evaluations.get(i);
            let i = first + i;
            assert_close(&[win, draw, loss], &expected.wdl[3 * i..][..3]);
            let view = View::of(game.position());
            let expected: Vec<_> = legal
                .iter()
                .map(|&mv| expected.policy[i * actions + view.action(game.position(), mv)])
                .collect();
            assert_close(logits, &expected);
        }
    }

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pt");
    trainer.averaged().export_torchscript(&path).unwrap();
    let module = tch::CModule::load(&path).unwrap();
    let sizes = trainer.averaged().folded().unwrap().sizes;
    let planes = tch::Tensor::from_slice(&planes);
    let planes = planes.view([-1, sizes.planes, sizes.ranks, sizes.files]);
    let output = tch::no_grad(|| module.forward_ts(&[planes])).unwrap();
    let columns = |start: usize, length: usize| {
        weights::numbers(&output.narrow(1, start as i64, length as i64))
    };
    assert_close(&columns(0, actions), &expected.policy);
    assert_close(&columns(actions, 3), &expected.wdl);
    assert_close(&columns(actions + 3, 1), &expected.moves_left);
}

#[test]
fn exports_of_makruk_agree() {
    exports_agree::<MakrukPosition>();
}

#[test]
fn exports_of_sittuyin_agree() {
    exports_agree::<SittuyinPosition<false>>();
    exports_agree::<SittuyinPosition<true>>();
}

#[test]
fn exports_of_tori_shogi_agree() {
    exports_agree::<ToriPosition>();
}

#[test]
fn exports_of_eternal_chess_agree() {
    exports_agree::<EternalPosition>();
}

/// Searches are reproducible only if a evaluation of a position does not depend on its batch.
#[test]
fn an_evaluation_does_not_depend_on_the_batch() {
    let network = scrambled::<ToriPosition>(4, 64).averaged().export("test");
    let mut evaluator = network.evaluator::<ToriPosition>(64).unwrap();
    let (games, _) = positions::<ToriPosition>();
    let mut evaluations = Evaluations::default();
    let mut evaluate = |range: std::ops::Range<usize>| -> Vec<(Wdl, Vec<f32>)> {
        for (game, legal) in &games[range.clone()] {
            evaluator.push(game, legal);
        }
        evaluator.run(&mut evaluations).unwrap();
        let evaluations = (0..range.len()).map(|i| evaluations.get(i));
        evaluations
            .map(|(wdl, logits)| (wdl, logits.to_vec()))
            .collect()
    };
    let together = evaluate(0..64);
    for size in [1, 2, 3, 7, 8, 13, 16, 33] {
        assert_eq!(
            evaluate(5..5 + size),
            together[5..5 + size],
            "batch of {size}"
        );
    }
    assert_eq!(evaluate(0..0), []);
}

/// A position with its targets.
struct Sample<P> {
    game: GameState<P>,
    legal: MoveList,
    policy: Vec<f32>,
    wdl: Wdl,
}

/// Samples of random games; `value` gives their value targets.
fn samples<P: Position>(
    count: usize,
    seed: u64,
    value: impl Fn(&P, &mut ChaCha8Rng) -> Wdl,
) -> Vec<Sample<P>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut samples = Vec::new();
    random_positions(count, seed, &[], |game: &GameState<P>, legal| {
        samples.push(Sample {
            game: game.clone(),
            legal: legal.clone(),
            policy: peaked(legal.len(), &mut rng),
            wdl: value(game.position(), &mut rng),
        });
    });
    samples
}

/// A distribution as searches give them: most of it on one move.
fn peaked(length: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let best = rng.random_range(..length);
    let probabilities = (0..length).map(|i| if i == best { 0.8 } else { 0.0 });
    probabilities.map(|p| p + 0.2 / length as f32).collect()
}

/// The samples in a random order, in batches of 64.
fn shuffled<P: Position>(samples: &[Sample<P>], seed: u64) -> Vec<Batch<P>> {
    let mut order: Vec<_> = samples.iter().collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let batch = |samples: &[&Sample<P>]| {
        let mut batch = Batch::new(NetworkKind::Conv);
        for sample in samples {
            let targets = Targets {
                policy: &sample.policy,
                opponent_policy: None,
                wdl: sample.wdl,
                short_term_value: [0.5, -0.5],
                moves_left: Some(30.0),
                policy_weight: 1.0,
                value_weight: 1.0,
            };
            batch.push(&sample.game, &sample.legal, &targets, false);
        }
        batch
    };
    order.chunks(64).map(batch).collect()
}

fn outcome(class: usize) -> Wdl {
    let chance = |i| if i == class { 1.0 } else { 0.0 };
    Wdl {
        win: chance(0),
        draw: chance(1),
        loss: chance(2),
    }
}

fn at_random<P>(_: &P, rng: &mut ChaCha8Rng) -> Wdl {
    outcome(rng.random_range(0..3))
}

fn fast_average() -> TrainParams {
    TrainParams {
        ema_decay: 0.95,
        ..TrainParams::default()
    }
}

/// What the averaged network gets wrong: its policy's excess over the targets' entropy, and its
/// share of right values.
fn examine<P: Position>(trainer: &Trainer<P>, samples: &[Sample<P>]) -> (f32, f32) {
    let batches = shuffled(samples, 0);
    let losses: Vec<_> = batches
        .iter()
        .map(|batch| trainer.validate(batch))
        .collect();
    let mean = |f: fn(&Losses) -> f32| losses.iter().map(f).sum::<f32>() / losses.len() as f32;
    (
        mean(|losses| losses.policy - losses.target_entropy),
        mean(|losses| losses.value_accuracy),
    )
}

#[test]
fn five_hundred_positions_can_be_overfitted() {
    set_threads(1);
    let samples = samples::<ToriPosition>(512, 21, at_random);
    let mut trainer = Trainer::new(ConvShape::new(2, 32).unwrap(), fast_average(), 1);
    for epoch in 0..80 {
        for batch in shuffled(&samples, epoch) {
            let rate = if epoch < 50 { 5e-3 } else { 1e-3 };
            assert!(trainer.step(&batch, rate).applied);
        }
        let (excess, accuracy) = examine(&trainer, &samples);
        if epoch % 10 == 9 {
            eprintln!("epoch {epoch}: {excess} above entropy, {accuracy} right");
        }
        if excess < 0.03 && accuracy > 0.99 {
            return;
        }
    }
    let (excess, accuracy) = examine(&trainer, &samples);
    panic!("the policy is {excess} above the targets' entropy, {accuracy} of the values are right");
}

/// Which side has more pieces in hand: a rule that a network can find.
fn by_hands<P: Position>(position: &P, _: &mut ChaCha8Rng) -> Wdl {
    let count = |color| -> u8 {
        P::PLACEABLE
            .iter()
            .map(|&kind| position.hand(color, kind))
            .sum()
    };
    let (own, enemy) = (count(position.turn()), count(!position.turn()));
    outcome(match own.cmp(&enemy) {
        Ordering::Greater => 0,
        Ordering::Equal => 1,
        Ordering::Less => 2,
    })
}

/// Unseen positions are predicted only if there is a rule to find: no target leaks into the planes.
#[test]
fn shuffled_labels_do_not_generalise() {
    set_threads(1);
    let unseen = samples(512, 99, by_hands::<ToriPosition>);
    let accuracy = |samples: &[Sample<ToriPosition>]| {
        let mut trainer = Trainer::new(ConvShape::new(2, 16).unwrap(), fast_average(), 1);
        for epoch in 0..10 {
            for batch in shuffled(samples, epoch) {
                trainer.step(&batch, 3e-3);
            }
        }
        examine(&trainer, &unseen).1
    };
    let learned = accuracy(&samples(1024, 31, by_hands));
    let shuffled = accuracy(&samples(1024, 31, at_random));
    eprintln!("true labels {learned}, shuffled labels {shuffled}");
    assert!(learned > 0.85, "{learned}");
    assert!(shuffled < 0.5, "{shuffled}");
}

/// A loss that is not finite changes nothing, and training continues.
#[test]
fn a_loss_that_is_not_finite_leaves_no_trace() {
    set_threads(1);
    let good = shuffled(&samples::<ToriPosition>(64, 41, at_random), 0);
    let nan = |_: &ToriPosition, _: &mut ChaCha8Rng| Wdl {
        win: f32::NAN,
        draw: 0.0,
        loss: 0.0,
    };
    let bad = shuffled(&samples(64, 41, nan), 0);
    let train_params = TrainParams::default();
    let new = || Trainer::<ToriPosition>::new(ConvShape::new(1, 8).unwrap(), train_params, 1);
    let (mut with, mut without) = (new(), new());
    for trainer in [&mut with, &mut without] {
        assert!(trainer.step(&good[0], 1e-3).applied);
    }
    let report = with.step(&bad[0], 1e-3);
    assert!(!report.applied && report.losses.total.is_nan());
    assert_eq!(with.steps(), 1);
    assert_eq!(snapshot(&with), snapshot(&without));
    assert!(with.step(&good[0], 1e-3).applied);
}

/// All numbers of a trainer, to the bit.
pub(crate) fn snapshot<P: Position>(trainer: &Trainer<P>) -> Vec<u32> {
    let parts = [
        &trainer.params,
        &trainer.stats,
        &trainer.averaged.params,
        &trainer.averaged.stats,
        &trainer.adam.first,
        &trainer.adam.second,
    ];
    let numbers = parts.iter().flat_map(|part| weights::numbers(&part.flat));
    numbers.map(f32::to_bits).collect()
}

/// Losses, compared with those computed by hand from the network's outputs.
#[test]
fn losses_follow_their_definitions() {
    let trainer = scrambled::<ToriPosition>(1, 8);
    let game = GameState::<ToriPosition>::start();
    let mut legal = MoveList::new();
    garuda_rules::Game::legal_moves(&game, &mut legal);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let policy = distribution(legal.len(), &mut rng);
    let targets = Targets {
        policy: &policy,
        opponent_policy: Some((&legal, &policy)),
        wdl: Wdl {
            win: 0.5,
            draw: 0.2,
            loss: 0.3,
        },
        short_term_value: [0.1, -0.2],
        moves_left: Some(10.0),
        policy_weight: 1.0,
        value_weight: 1.0,
    };
    let mut batch = Batch::new(NetworkKind::Conv);
    batch.push(&game, &legal, &targets, false);
    let losses = trainer.validate(&batch);

    let Inputs::Planes { planes, .. } = &batch.inputs else {
        panic!("a batch for convolutional networks has planes");
    };
    let prediction = trainer.averaged().predict(planes).unwrap();
    let view = View::of(game.position());
    let logits: Vec<f32> = legal
        .iter()
        .map(|&mv| prediction.policy[view.action(game.position(), mv)])
        .collect();
    let log_sum = logits.iter().map(|logit| logit.exp()).sum::<f32>().ln();
    let cross_entropy = |target: &[f32]| -> f32 {
        let terms = target.iter().zip(&logits);
        terms
            .map(|(target, logit)| target * (log_sum - logit))
            .sum()
    };
    let value = -(0.5 * prediction.wdl[0].ln()
        + 0.2 * prediction.wdl[1].ln()
        + 0.3 * prediction.wdl[2].ln());
    let entropy = -policy.iter().map(|p| p * p.ln()).sum::<f32>();
    let error = (prediction.moves_left[0] - 10.0).abs() / 64.0;
    let huber = if error < 1.0 {
        error * error / 2.0
    } else {
        error - 0.5
    };
    assert_close(&[losses.policy], &[cross_entropy(&policy)]);
    assert_close(&[losses.target_entropy], &[entropy]);
    assert_close(&[losses.value, losses.moves_left], &[value, huber]);
    let total = losses.policy
        + 2.0 * losses.soft_policy
        + 0.15 * losses.opponent_policy
        + losses.value
        + 0.3 * (losses.short_term_value[0] + losses.short_term_value[1])
        + 0.05 * losses.moves_left;
    assert_close(&[losses.total], &[total]);

    // A second position without weight halves every mean and changes nothing else.
    let silent = Targets {
        policy_weight: 0.0,
        value_weight: 0.0,
        moves_left: None,
        opponent_policy: None,
        ..targets
    };
    batch.push(&game, &legal, &silent, true);
    let halved = trainer.validate(&batch);
    assert_close(&[2.0 * halved.total], &[losses.total]);
    assert_close(&[2.0 * halved.target_entropy], &[losses.target_entropy]);
}

/// A mirrored sample is the sample of the mirrored game.
#[test]
fn mirrored_samples() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    random_positions(200, 51, &[], |game: &GameState<ToriPosition>, legal| {
        let position = game.position();
        let image = GameState::from_position(position.mirrored().unwrap());
        let mirrored: Vec<_> = legal.iter().map(|&mv| position.mirror_move(mv)).collect();
        let policy = distribution(legal.len(), &mut rng);
        let targets = Targets {
            policy: &policy,
            opponent_policy: None,
            wdl: outcome(0),
            short_term_value: [0.0; 2],
            moves_left: None,
            policy_weight: 1.0,
            value_weight: 1.0,
        };
        let (mut a, mut b) = (Batch::new(NetworkKind::Conv), Batch::new(NetworkKind::Conv));
        let game = GameState::from_position(*position);
        a.push(&game, legal, &targets, true);
        b.push(&image, &mirrored, &targets, false);
        let (
            Inputs::Planes {
                planes: a_planes,
                policies: a_policies,
                ..
            },
            Inputs::Planes {
                planes: b_planes,
                policies: b_policies,
                ..
            },
        ) = (&a.inputs, &b.inputs)
        else {
            panic!("batches for convolutional networks have planes");
        };
        assert_eq!(a_planes, b_planes);
        assert_eq!(a_policies.actions, b_policies.actions);
    });
}

#[test]
fn an_untrained_network_is_undecided() {
    set_threads(1);
    let shape = ConvShape::new(4, 64).unwrap();
    let trainer = Trainer::<SittuyinPosition<true>>::new(shape, TrainParams::default(), 1);
    let planes = positions::<SittuyinPosition<true>>().1;
    let length = Encoding::of::<SittuyinPosition<true>>().input_len();
    let prediction = trainer.averaged().predict(&planes[..100 * length]).unwrap();
    assert!(
        prediction
            .wdl
            .iter()
            .all(|chance| (0.15..0.6).contains(chance)),
        "{:?}",
        prediction.wdl
    );
    let mean_square = prediction
        .policy
        .iter()
        .map(|logit| logit * logit)
        .sum::<f32>();
    assert!(mean_square / (prediction.policy.len() as f32) < 0.01);
}
