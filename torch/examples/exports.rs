//! Writes a briefly trained network of every rule set to a directory, with 1,000 positions and
//! libtorch's outputs for them, to compare other programs with: `NAME.onnx`, `NAME.planes`,
//! `NAME.policy`, `NAME.wdl`, `NAME.moves_left`, the last four as little-endian 32-bit floats. The
//! folder `sparse` has the same of sparse networks, by the integers that play: `NAME.features` and
//! `NAME.moves` as 64-bit integers, and a policy that is NaN where no move is legal.

use std::path::Path;
use std::{env, fs};

use garuda_mcts::{Evaluations, Evaluator, Wdl};
use garuda_model::random_games::random_positions;
use garuda_model::sparse::{FeatureLayout, SparseSample, SparseShape};
use garuda_model::{ConvShape, Encoding, NetworkKind, View, encode};
use garuda_rules::{GameState, MoveList, Position, RuleSet, with_rule_set};
use garuda_torch::{Batch, Targets, TrainParams, Trainer, set_threads};

const POSITIONS: usize = 1_000;
/// Of a sparse network, whose inputs are larger.
const SPARSE_POSITIONS: usize = 200;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let directory = env::args_os().nth(1).ok_or("which directory?")?;
    let directory = Path::new(&directory);
    fs::create_dir_all(directory)?;
    set_threads(1);
    for rule_set in RuleSet::ALL {
        with_rule_set!(rule_set, P => {
            write::<P>(directory)?;
            write_sparse::<P>(&directory.join("sparse"))?;
        });
    }
    Ok(())
}

fn write<P: Position>(directory: &Path) -> Result<(), Error> {
    let mut trainer = Trainer::<P>::new(ConvShape::new(4, 32)?, TrainParams::default(), 1);
    let mut batch = Batch::new(NetworkKind::Conv);
    let mut planes = Vec::new();
    let length = Encoding::of::<P>().input_len();
    for (game, legal) in positions() {
        let view = View::of(game.position());
        let start = planes.len();
        planes.resize(start + length, 0.0);
        encode(&game, view, &mut planes[start..]);
        learn(&mut trainer, &mut batch, &game, &legal);
    }
    let averaged = trainer.averaged();
    let prediction = averaged
        .predict(&planes)
        .ok_or("the network is not convolutional")?;
    let file = |ending: &str| directory.join(format!("{}.{ending}", P::NAME));
    fs::write(file("onnx"), averaged.export("exports").bytes())?;
    for (ending, numbers) in [
        ("planes", planes),
        ("policy", prediction.policy),
        ("wdl", prediction.wdl),
        ("moves_left", prediction.moves_left),
    ] {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        fs::write(file(ending), bytes)?;
    }
    Ok(())
}

/// Adds a position to the batch, and trains when it is full.
fn learn<P: Position>(
    trainer: &mut Trainer<P>,
    batch: &mut Batch<P>,
    game: &GameState<P>,
    legal: &MoveList,
) {
    let targets = Targets {
        policy: &vec![1.0 / legal.len() as f32; legal.len()],
        opponent_policy: None,
        wdl: Wdl {
            win: 0.5,
            draw: 0.2,
            loss: 0.3,
        },
        short_term_value: [0.1, 0.2],
        moves_left: Some(50.0),
        policy_weight: 1.0,
        value_weight: 1.0,
    };
    batch.push(game, legal, &targets, false);
    if batch.len() == 100 {
        trainer.step(batch, 1e-3);
        batch.clear();
    }
}

fn write_sparse<P: Position>(directory: &Path) -> Result<(), Error> {
    fs::create_dir_all(directory)?;
    let mut trainer = Trainer::<P>::new(SparseShape::new(64, 16)?, TrainParams::default(), 1);
    let mut batch = Batch::new(NetworkKind::Sparse);
    for (game, legal) in positions() {
        learn(&mut trainer, &mut batch, &game, &legal);
    }
    let network = trainer.averaged().export("exports");
    let mut evaluator = network.evaluator::<P>(1)?;
    let mut evaluations = Evaluations::default();
    let layout = FeatureLayout::of::<P>();
    let mut sample = SparseSample::default();
    let [mut features, mut moves, mut policies, mut outcomes] = [const { Vec::new() }; 4];
    for (game, legal) in positions()
        .into_iter()
        .step_by(POSITIONS / SPARSE_POSITIONS)
    {
        layout.fill(&game, &legal, View::of(game.position()), &mut sample);
        let (dense, entries) = layout.onnx_inputs(&sample);
        features.extend(dense.iter().flat_map(|n| n.to_le_bytes()));
        moves.extend(entries.iter().flat_map(|n| n.to_le_bytes()));
        evaluator.push(&game, &legal);
        evaluator.run(&mut evaluations)?;
        let (wdl, logits) = evaluations.get(0);
        let mut policy = vec![f32::NAN; layout.actions()];
        for (&action, &logit) in sample.actions.iter().zip(logits) {
            policy[usize::from(action)] = logit;
        }
        policies.extend(policy.iter().flat_map(|n| n.to_le_bytes()));
        outcomes.extend(
            [wdl.win, wdl.draw, wdl.loss]
                .iter()
                .flat_map(|n| n.to_le_bytes()),
        );
    }
    let file = |ending: &str| directory.join(format!("{}.{ending}", P::NAME));
    fs::write(file("onnx"), network.to_onnx())?;
    fs::write(file("features"), features)?;
    fs::write(file("moves"), moves)?;
    fs::write(file("policy"), policies)?;
    fs::write(file("wdl"), outcomes)?;
    Ok(())
}

/// Positions of random games, and their legal moves.
fn positions<P: Position>() -> Vec<(GameState<P>, MoveList)> {
    let mut positions = Vec::with_capacity(POSITIONS);
    random_positions(POSITIONS, 1, &[], |game, legal| {
        positions.push((game.clone(), legal.clone()));
    });
    positions
}
