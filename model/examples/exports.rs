//! Writes a briefly trained network of every rule set to a directory, with 1,000 positions and
//! libtorch's outputs for them, to compare other programs with: `NAME.onnx`, `NAME.planes`,
//! `NAME.policy`, `NAME.wdl`, `NAME.moves_left`, the last four as little-endian 32-bit floats.

use std::path::Path;
use std::{env, fs};

use garuda_mcts::Wdl;
use garuda_model::{
    Batch, ConvShape, Encoding, NetworkKind, Targets, TrainParams, Trainer, View, encode,
    set_threads,
};
use garuda_rules::{Game, GameState, MoveList, Position, RuleSet, with_rule_set};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const POSITIONS: usize = 1_000;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let directory = env::args_os().nth(1).ok_or("which directory?")?;
    let directory = Path::new(&directory);
    fs::create_dir_all(directory)?;
    set_threads(1);
    for rule_set in RuleSet::ALL {
        with_rule_set!(rule_set, P => write::<P>(directory)?);
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
        batch.push(&game, &legal, &targets, false);
        if batch.len() == 100 {
            trainer.step(&batch, 1e-3);
            batch.clear();
        }
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

/// Positions of random games, and their legal moves.
fn positions<P: Position>() -> Vec<(GameState<P>, MoveList)> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut positions = Vec::new();
    let mut game = GameState::start();
    while positions.len() < POSITIONS {
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        if game.outcome_given(&legal).is_some() {
            game = GameState::start();
            continue;
        }
        let mv = legal[rng.random_range(..legal.len())];
        positions.push((game.clone(), legal));
        game.play(mv);
    }
    positions
}
