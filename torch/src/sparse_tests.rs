//! The sparse network in libtorch: its integers agree with its floats, it learns, and a
//! checkpoint resumes bit for bit.

use garuda_mcts::{Evaluations, Evaluator, Wdl};
use garuda_model::random_games::{distribution, random_positions};
use garuda_model::sparse::{FeatureLayout, SparseShape};
use garuda_model::{ConvShape, Network, NetworkKind};
use garuda_rules::tori::ToriPosition;
use garuda_rules::{MoveList, Position, RuleSet, with_rule_set};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tch::{Kind, Tensor, no_grad};

use super::averaged::Graph;
use super::conv_net::{Policies, WDL};
use super::loss::{Input, TensorBatch};
use super::sparse::SparseInput;
use super::weights::numbers;
use super::{AveragedNetwork, Trainer, set_threads};
use crate::batch::{Inputs, SparseLists};
use crate::{Batch, GameSamples, LossWeights, Targets, TrainParams};

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
        batch.push(game, legal, &targets(&policy, win), false);
    });
    batch
}

fn targets(policy: &[f32], win: f32) -> Targets<'_> {
    Targets {
        policy,
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
    }
}

fn sparse_input<P>(batch: &Batch<P>) -> SparseInput {
    match TensorBatch::new(batch, &(0..batch.values.len())).input {
        Input::Sparse(input) => input,
        Input::Planes(_) => panic!("the batch is sparse"),
    }
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
    random_positions::<P>(100, 9, &[], |game, legal: &MoveList| {
        evaluator.push(game, legal);
        evaluator.run(&mut evaluations).unwrap();
        let (wdl, logits) = evaluations.get(0);
        let mut batch = Batch::new(NetworkKind::Sparse);
        batch.push(game, legal, &targets(&vec![0.0; legal.len()], 0.5), false);
        let input = sparse_input(&batch);
        let (expected, chances) = no_grad(|| {
            let output = graph.forward(&trainer.averaged.params.tensors, &input);
            let Policies::Legal(logits) = &output.policies else {
                panic!("the policy is over the legal moves");
            };
            let chances = output.scalars.narrow(1, WDL, 3).softmax(1, Kind::Float);
            (numbers(logits), numbers(&chances))
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
    let read = Network::read(&garuda_model::checkpoint_files::network(&path)).unwrap();
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

/// The gradients that are written out against those that libtorch finds for the plain network.
#[test]
fn gradients_are_those_of_the_network() {
    let trainer = trained::<ToriPosition>(5);
    let Graph::Sparse(graph) = &trainer.averaged.graph else {
        panic!("the network is sparse");
    };
    let batch = TensorBatch::new(&batch::<ToriPosition>(96, 2), &(16..80));
    let weights = LossWeights::default();
    let params = &trainer.params.tensors;
    let (found, losses) = batch.sparse_gradients(graph, params, &weights);
    let leaves = trainer.params.leaves();
    let output = trainer
        .averaged
        .graph
        .forward(&leaves, &[], &batch.input, true);
    let (loss, parts) = batch.loss(&output, &weights);
    let expected = Tensor::run_backward(&[&loss], &leaves, false, false);
    assert!((losses.total - parts.read().total).abs() < 1e-4);
    assert_eq!(found.len(), expected.len());
    for ((found, expected), entry) in found.iter().zip(&expected).zip(&graph.params.entries) {
        assert_eq!(found.size(), expected.size(), "{}", entry.name);
        let largest = expected.abs().max().double_value(&[]);
        let difference = (found - expected).abs().max().double_value(&[]);
        assert!(largest > 0.0, "{}", entry.name);
        assert!(difference < 1e-4 * largest, "{}: {difference}", entry.name);
    }
}

fn lists<P>(batch: &Batch<P>) -> &SparseLists {
    match &batch.inputs {
        Inputs::Sparse(sparse) => &sparse.lists,
        Inputs::Planes { .. } => panic!("the batch is sparse"),
    }
}

/// Stored samples, mirrored or not, against what the positions themselves give.
fn check_stored<P: Position>() {
    let layout = FeatureLayout::of::<P>();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut stored = GameSamples::default();
    let mut direct = [false, true].map(|_| Batch::<P>::new(NetworkKind::Sparse));
    random_positions::<P>(300, 8, &[], |game, legal| {
        let policy = distribution(legal.len(), &mut rng);
        let targets = targets(&policy, 0.3);
        stored.push(&layout, game, legal, &targets);
        let has_mirror = game.position().mirrored().is_some();
        direct[0].push(game, legal, &targets, false);
        direct[1].push(game, legal, &targets, has_mirror);
    });
    assert_eq!(stored.len(), 300);
    for (direct, mirror) in direct.iter().zip([false, true]) {
        let mut batch = Batch::<P>::new(NetworkKind::Sparse);
        for index in 0..stored.len() {
            batch.push_stored(&stored, index, mirror);
        }
        assert_eq!(batch.values, direct.values);
        let (found, expected) = (lists(&batch), lists(direct));
        assert_eq!(found.actions, expected.actions);
        assert_eq!(found.moves, expected.moves);
        assert_eq!(found.moves_ends, expected.moves_ends);
        assert_eq!(found.features_ends, expected.features_ends);
        let mut start = 0;
        for &end in &found.features_ends {
            // Features are in no particular order.
            let [found, expected] = [found, expected].map(|lists| {
                let mut features = lists.features[start..end].to_vec();
                features.sort_unstable();
                features
            });
            assert_eq!(found, expected);
            start = end;
        }
        for (found, expected) in found.targets.iter().zip(&expected.targets) {
            assert!((found - expected).abs() < 2e-5, "{found} {expected}");
        }
    }
}

#[test]
fn stored_samples_are_what_positions_give() {
    for rules in RuleSet::ALL {
        with_rule_set!(rules, P => check_stored::<P>());
    }
}

#[test]
fn what_is_learned_does_not_depend_on_the_number_of_threads() {
    let batch = batch::<ToriPosition>(600, 1);
    let learned = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut trainer = Trainer::new(shape(), TrainParams::default(), 3);
            for _ in 0..3 {
                assert!(trainer.step(&batch, 1e-2).applied);
            }
            trainer.averaged().export("test").bytes().to_vec()
        })
    });
    assert!(learned[0] == learned[1]);
}

#[test]
fn a_file_that_plays_can_be_trained_further() {
    fn check<P: Position>() {
        let mut trainer = Trainer::<P>::new(shape(), TrainParams::default(), 1);
        let batch = batch::<P>(64, 2);
        for _ in 0..20 {
            assert!(trainer.step(&batch, 1e-2).applied);
        }
        let network = trainer.averaged().export("first");
        let averaged = AveragedNetwork::<P>::from_network(&network, 3).unwrap();
        let again = averaged.export("second");
        assert!(network.sparse::<P>().unwrap() == again.sparse::<P>().unwrap());
        let mut further = Trainer::from_network(averaged, TrainParams::default());
        assert_eq!(further.steps(), 0);
        let before = further.validate(&batch).total;
        for _ in 0..20 {
            assert!(further.step(&batch, 1e-2).applied);
        }
        assert!(further.validate(&batch).total < before);
    }
    set_threads(1);
    for rule_set in RuleSet::ALL {
        with_rule_set!(rule_set, P => check::<P>());
    }
}

/// A network that grows gives the evaluations it gave before, and its copied neurons learn
/// different things.
#[test]
fn a_wider_network_says_the_same_and_learns_more() {
    let narrow = trained::<ToriPosition>(20);
    let narrow = narrow.averaged();
    let sizes = |width, hidden| SparseShape::new(width, hidden).unwrap().into();
    let wider = narrow.widened(sizes(128, 16), 5).unwrap();
    let batch = batch::<ToriPosition>(64, 3);
    let outputs = |network: &AveragedNetwork<ToriPosition>| {
        let output = no_grad(|| network.forward(&Input::Sparse(sparse_input(&batch))));
        let Policies::Legal(logits) = &output.policies else {
            panic!("the policy is over the legal moves");
        };
        [numbers(logits), numbers(&output.scalars)].concat()
    };
    for (found, expected) in outputs(&wider).iter().zip(outputs(narrow)) {
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }

    let mut trainer = Trainer::from_network(wider, TrainParams::default());
    for _ in 0..20 {
        assert!(trainer.step(&batch, 1e-2).applied);
    }
    let rows = &trainer.averaged().params.tensors[0];
    let copies = rows.chunk(2, 1);
    let distance = (&copies[0] - &copies[1]).abs().max();
    assert!(distance.double_value(&[]) > 1e-3);

    // Not by a part of its width, not in the hidden layer, and not to another kind.
    for other in [
        sizes(64, 16),
        sizes(32, 16),
        sizes(128, 32),
        ConvShape::new(1, 8).unwrap().into(),
    ] {
        assert!(narrow.widened(other, 5).is_none());
    }
}
