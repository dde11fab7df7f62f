//! The sparse network in libtorch: its integers agree with its floats, it learns, and a
//! checkpoint resumes bit for bit.

use garuda_mcts::{Evaluations, Evaluator, Wdl};
use garuda_rules::tori::ToriPosition;
use garuda_rules::{MoveList, Position, RuleSet, with_rule_set};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tch::{Kind, no_grad};

use super::averaged::Graph;
use super::conv_net::WDL;
use super::sparse::SparseInput;
use super::weights::numbers;
use super::{Trainer, set_threads};
use crate::random_games::{distribution, random_positions};
use crate::sparse::{FeatureLayout, SparseSample, SparseShape};
use crate::{Batch, Network, NetworkKind, Targets, TrainParams, View};

fn shape() -> SparseShape {
    SparseShape::new(64, 16).unwrap()
}

/// Positions with targets that can be learned: the policy prefers some moves, the result follows
/// from how many moves there are.
fn batch<P: Position>(size: usize, seed: u64) -> Batch<P> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut batch = Batch::new(NetworkKind::Sparse);
    random_positions::<P>(size, seed, &[], |game, legal| {
        let policy = distribution(legal.len(), &mut rng);
        let win = if legal.len() % 2 == 0 { 0.8 } else { 0.1 };
        let targets = Targets {
            policy: &policy,
            opponent_policy: None,
            wdl: Wdl {
                win,
                draw: 0.1,
                loss: 0.9 - win,
            },
            short_term_value: [win, 0.0],
            moves_left: Some(20.0),
            policy_weight: 1.0,
            value_weight: 1.0,
        };
        batch.push(game, legal, &targets, false);
    });
    batch
}

fn trained<P: Position>(steps: u64) -> Trainer<P> {
    set_threads(1);
    let mut trainer = Trainer::new(shape(), TrainParams::default(), 7);
    let batch = batch(64, 1);
    for _ in 0..steps {
        assert!(trainer.step(&batch, 5e-3).applied);
    }
    trainer
}

/// The exported integers against the averaged floats, on positions of random games.
fn check_quantisation<P: Position>() {
    let trainer = trained::<P>(20);
    let Graph::Sparse(graph) = &trainer.averaged.graph else {
        panic!("the network is sparse");
    };
    let network = trainer.averaged().export("test");
    let mut evaluator = network.evaluator::<P>(1).unwrap();
    let mut evaluations = Evaluations::default();
    let layout = FeatureLayout::of::<P>();
    let mut sample = SparseSample::default();
    random_positions::<P>(100, 9, &[], |game, legal: &MoveList| {
        evaluator.push(game, legal);
        evaluator.run(&mut evaluations).unwrap();
        let (wdl, logits) = evaluations.get(0);
        layout.fill(game, legal, View::of(game.position()), &mut sample);
        let input = SparseInput::new([&sample].into_iter(), legal.len());
        let (expected, chances) = no_grad(|| {
            let (logits, scalars) = graph.forward(&trainer.averaged.params.tensors, &input);
            let chances = scalars.narrow(1, WDL, 3).softmax(1, Kind::Float);
            (numbers(&logits), numbers(&chances))
        });
        for (found, expected) in logits.iter().zip(&expected) {
            assert!((found - expected).abs() < 0.02, "{found} {expected}");
        }
        for (found, expected) in [wdl.win, wdl.draw, wdl.loss].iter().zip(&chances) {
            assert!((found - expected).abs() < 0.01, "{found} {expected}");
        }
    });
}

#[test]
fn integers_say_what_floats_say() {
    for rules in RuleSet::ALL {
        with_rule_set!(rules, P => check_quantisation::<P>());
    }
}

#[test]
fn a_batch_can_be_learned() {
    let mut trainer = trained::<ToriPosition>(0);
    let batch = batch(64, 1);
    let first = trainer.step(&batch, 1e-2).losses;
    for _ in 0..150 {
        trainer.step(&batch, 1e-2);
    }
    let last = trainer.step(&batch, 1e-2).losses;
    assert!(last.policy - last.target_entropy < 0.3 * (first.policy - first.target_entropy));
    assert!(last.value < 0.8 * first.value, "{first:?} {last:?}");
}

#[test]
fn a_checkpoint_resumes_bit_for_bit() {
    set_threads(1);
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("checkpoint");
    let batches: Vec<Batch<ToriPosition>> = (0..4).map(|seed| batch(32, seed)).collect();
    let mut whole = Trainer::new(shape(), TrainParams::default(), 3);
    for batch in &batches[..2] {
        whole.step(batch, 1e-3);
    }
    whole.save(&path, "test", &()).unwrap();
    let (mut resumed, ()) = Trainer::load(&path, TrainParams::default()).unwrap();
    for batch in &batches[2..] {
        whole.step(batch, 1e-3);
        resumed.step(batch, 1e-3);
    }
    assert_eq!(
        resumed.averaged().export("x").bytes(),
        whole.averaged().export("x").bytes()
    );
    let read = Network::read(&crate::checkpoint_files::network(&path)).unwrap();
    assert_eq!(read.info().architecture, whole.architecture());
    assert_eq!(read.info().step, 2);
}

#[test]
fn feature_weights_stay_within_their_bounds() {
    set_threads(1);
    let mut trainer = Trainer::<ToriPosition>::new(shape(), TrainParams::default(), 3);
    let batch = batch(16, 1);
    for _ in 0..30 {
        trainer.step(&batch, 1.0);
    }
    // Would be refused if a sum could overflow.
    trainer.averaged().export("test");
}
