use std::fs;
use std::path::PathBuf;

use garuda_mcts::Wdl;
use garuda_model::ConvShape;
use garuda_model::random_games::{distribution, random_positions};
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};

use super::*;
use crate::{Batch, Targets, set_threads};

type Tori = Trainer<ToriPosition>;

fn batches(seed: u64) -> Vec<Batch<ToriPosition>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut batches: Vec<_> = (0..6).map(|_| Batch::new(NetworkKind::Conv)).collect();
    let mut next = 0;
    random_positions(96, seed, &[], |game, legal| {
        let policy = distribution(legal.len(), &mut rng);
        let targets = Targets {
            policy: &policy,
            opponent_policy: Some((legal, &policy)),
            wdl: Wdl {
                win: 0.2,
                draw: 0.1,
                loss: 0.7,
            },
            short_term_value: [0.3, 0.1],
            moves_left: Some(12.0),
            policy_weight: 1.0,
            value_weight: 1.0,
        };
        batches[next % 6].push(game, legal, &targets, next % 2 == 0);
        next += 1;
    });
    batches
}

fn small() -> Tori {
    set_threads(1);
    Trainer::new(ConvShape::new(2, 8).unwrap(), TrainParams::default(), 3)
}

/// A checkpoint of a trainer that has made some steps, in a directory that is removed at the end.
fn saved() -> (tempfile::TempDir, PathBuf, Tori) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("000003");
    let mut trainer = small();
    for batch in &batches(1)[..3] {
        trainer.step(batch, 1e-3);
    }
    trainer.save(&path, "a run", &json!({"games": 17})).unwrap();
    (root, path, trainer)
}

fn load(path: &Path) -> Result<(Tori, Value), CheckpointError> {
    Tori::load(path, TrainParams::default())
}

/// The problems a checkpoint is refused with.
fn problems(path: &Path) -> Vec<String> {
    match load(path) {
        Err(CheckpointError::Refused { problems, .. }) => problems,
        other => panic!("{other:?}"),
    }
}

#[test]
fn resumed_training_equals_uninterrupted_training() {
    let (_root, path, mut trainer) = saved();
    let (mut resumed, notes) = load(&path).unwrap();
    assert_eq!(notes, json!({"games": 17}));
    assert_eq!(resumed.steps(), 3);
    assert_eq!(snapshot(&resumed), snapshot(&trainer));
    for batch in &batches(1)[3..] {
        let reports = [&mut resumed, &mut trainer].map(|trainer| trainer.step(batch, 2e-3));
        assert_eq!(reports[0], reports[1]);
    }
    assert_eq!(snapshot(&resumed), snapshot(&trainer));
    let hashes =
        [&resumed, &trainer].map(|trainer| trainer.averaged().export("x").info().hash.clone());
    assert_eq!(hashes[0], hashes[1]);
}

/// All numbers of a trainer, to the bit.
fn snapshot(trainer: &Tori) -> [Vec<u8>; 2] {
    [trainer.averaged.weights_file(), trainer.optimizer_file()].map(|file| file.encode(""))
}

#[test]
fn the_exported_network_is_in_the_checkpoint() {
    let (_root, path, trainer) = saved();
    let network = Network::read(&path.join(network_name(NetworkKind::Conv))).unwrap();
    let info = network.info();
    assert_eq!((info.step, info.run.as_str()), (3, "a run"));
    assert_eq!(info.architecture, trainer.averaged().architecture());
    assert_eq!(info.hash, trainer.averaged().export("another").info().hash);
}

#[test]
fn any_damage_to_any_file_is_noticed() {
    let (_root, path, _) = saved();
    for name in [STATE, WEIGHTS, OPTIMIZER, network_name(NetworkKind::Conv)] {
        let file = path.join(name);
        let whole = fs::read(&file).unwrap();
        let step = (whole.len() / 40).max(1);
        for at in (0..whole.len()).step_by(step) {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            fs::write(&file, &flipped).unwrap();
            assert!(!problems(&path).is_empty(), "byte {at} of {name}");
            fs::write(&file, &whole[..at]).unwrap();
            assert!(!problems(&path).is_empty(), "{name} cut at {at}");
        }
        fs::write(&file, [whole.as_slice(), b"x"].concat()).unwrap();
        assert!(!problems(&path).is_empty(), "{name} with more at its end");
        fs::remove_file(&file).unwrap();
        let error = load(&path).unwrap_err();
        assert!(matches!(error, CheckpointError::Read { .. }), "{error}");
        fs::write(&file, whole).unwrap();
    }
    load(&path).unwrap();
}

/// A checkpoint that has lost its optimizer's file can still be exported.
#[test]
fn the_averaged_network_needs_the_weights_alone() {
    let (root, path, trainer) = saved();
    for name in [OPTIMIZER, network_name(NetworkKind::Conv)] {
        fs::remove_file(path.join(name)).unwrap();
    }
    let averaged = AveragedNetwork::<ToriPosition>::load(&path).unwrap();
    assert_eq!(averaged.steps(), 3);
    let hashes = [&averaged, trainer.averaged()].map(|net| net.export("x").info().hash.clone());
    assert_eq!(hashes[0], hashes[1]);
    let file = root.path().join("network.pt");
    averaged.export_torchscript(&file).unwrap();
    assert!(file.is_file());

    fs::write(path.join(WEIGHTS), "damaged").unwrap();
    let error = AveragedNetwork::<ToriPosition>::load(&path).unwrap_err();
    assert!(
        error.to_string().contains("not the file that was saved"),
        "{error}"
    );
}

/// All that is written is read again to the last bit.
#[test]
fn notes_are_exact() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("000000");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let notes: Vec<f64> = (0..10_000).map(|_| rng.random()).collect();
    small().save(&path, "a run", &notes).unwrap();
    let (_, found): (_, Vec<f64>) = Tori::load(&path, TrainParams::default()).unwrap();
    assert_eq!(found, notes);
}

/// Tensors as they are read from a file and written to it.
type Tensors = Vec<(String, Dtype, Vec<usize>, Vec<u8>)>;

/// Changes a file of tensors, and the hash in the state with it.
fn rewrite(path: &Path, name: &str, change: impl FnOnce(&mut Tensors)) {
    let bytes = fs::read(path.join(name)).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let mut tensors: Tensors = file
        .tensors()
        .into_iter()
        .map(|(name, view)| {
            (
                name,
                view.dtype(),
                view.shape().to_vec(),
                view.data().to_vec(),
            )
        })
        .collect();
    change(&mut tensors);
    let views = tensors.iter().map(|(name, dtype, shape, data)| {
        (name, TensorView::new(*dtype, shape.clone(), data).unwrap())
    });
    let bytes = safetensors::serialize(views, None).unwrap();
    fs::write(path.join(name), &bytes).unwrap();
    restate(path, |state| {
        state.files.insert(name.to_owned(), sha256(&bytes));
    });
}

fn restate(path: &Path, change: impl FnOnce(&mut State)) {
    let file = path.join(STATE);
    let mut state = State::decode(&fs::read(&file).unwrap()).unwrap();
    change(&mut state);
    fs::write(file, state.encode()).unwrap();
}

#[test]
fn every_wrong_tensor_is_listed() {
    let (_root, path, _) = saved();
    rewrite(&path, WEIGHTS, |tensors| {
        tensors.sort();
        tensors.retain(|(name, ..)| name != "stem.scale");
        tensors.push(("spurious".to_owned(), Dtype::F32, vec![1], vec![0; 4]));
        for (name, dtype, shape, data) in tensors {
            match name.as_str() {
                // One number would be copied to all eight.
                "stem.shift" => (*shape, *data) = (vec![1], vec![0; 4]),
                "stem.weight" => shape.swap(0, 1),
                "block0.first.weight" => (*dtype, *data) = (Dtype::F16, vec![0; data.len() / 2]),
                "value.hidden.bias" => data[..4].copy_from_slice(&f32::NAN.to_le_bytes()),
                _ => {}
            }
        }
    });
    rewrite(&path, OPTIMIZER, |tensors| {
        let moment = tensors
            .iter_mut()
            .find(|(name, ..)| name == "second.stem.scale");
        moment.unwrap().3[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    });
    insta::assert_snapshot!(problems(&path).join("\n"));
}

#[test]
fn checkpoints_of_another_kind_are_refused() {
    let (_root, path, _) = saved();
    let error =
        Trainer::<MakrukPosition>::load::<Value>(&path, TrainParams::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("of the game torishogi, not makruk"), "{text}");

    restate(&path, |state| {
        state.encoding = state.encoding.replace("own S", "own s");
    });
    let found = problems(&path);
    assert!(
        found[0].contains("\"plane 0 own s\" instead of \"plane 0 own S\""),
        "{found:?}"
    );

    let (_root, path, _) = saved();
    restate(&path, |state| {
        state.architecture = ConvShape::new(1, 16).unwrap().into();
    });
    let found = problems(&path);
    assert!(
        found.iter().any(|line| line.contains("has the shape")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|line| line.contains("unknown tensor block1")),
        "{found:?}"
    );

    let (_root, path, _) = saved();
    restate(&path, |state| state.format = 99);
    assert!(problems(&path)[0].contains("format 99"));

    let (_root, path, _) = saved();
    let error = Tori::load::<Vec<u8>>(&path, TrainParams::default()).unwrap_err();
    assert!(matches!(error, CheckpointError::Notes(_)), "{error}");
}

#[test]
fn writing_never_touches_what_is_there() {
    let (root, path, mut trainer) = saved();
    let before = snapshot(&load(&path).unwrap().0);
    trainer.step(&batches(2)[0], 1e-3);

    let error = trainer.save(&path, "a run", &()).unwrap_err();
    assert!(error.to_string().contains("000003"), "{error}");
    assert_eq!(snapshot(&load(&path).unwrap().0), before);

    let nowhere = root.path().join("missing").join("000004");
    assert!(trainer.save(&nowhere, "a run", &()).is_err());
    let names: Vec<_> = fs::read_dir(root.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names, ["000003"], "an attempt that failed leaves nothing");

    // What a crash left behind is no obstacle.
    let leftover = root.path().join("000004.tmp");
    fs::create_dir(&leftover).unwrap();
    fs::write(leftover.join(WEIGHTS), "half").unwrap();
    let next = root.path().join("000004");
    trainer.save(&next, "a run", &json!(null)).unwrap();
    load(&next).unwrap();
    assert!(!leftover.exists());
}
