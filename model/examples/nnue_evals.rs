//! Writes networks for Fairy-Stockfish with random weights, and lists what networks give for
//! positions of random games, to compare the engine with: see scripts/check_nnue.py.
//!
//!   nnue_evals random DIRECTORY          a network with random weights for each game
//!   nnue_evals list FILE POSITIONS       per line: the evaluation in pawns, for White, and the FEN
//!
//! The name of a file begins with the game's.

use std::io::{self, Write};
use std::path::Path;
use std::{env, fs};

use garuda_model::nnue::{
    CompactLayout, CompactNetwork, HIDDEN_1, HIDDEN_2, KingBuckets, NnueLayout, NnueNetwork,
    NnuePosition, NnueStack, STACKS,
};
use garuda_rules::{Color, Game, GameState, MoveList, Position, RuleSet, with_rule_set};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Columns of the random networks.
const WIDTH: usize = 96;
/// Number of random plies at most before the first position is taken from a game, and between two.
const MAX_PLIES_APART: usize = 12;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        ["random", directory] => {
            fs::create_dir_all(directory)?;
            for rule_set in [RuleSet::Makruk, RuleSet::Sittuyin, RuleSet::ToriShogi] {
                let network = with_rule_set!(rule_set, P => random_network::<P>()?);
                let path = Path::new(directory).join(format!("{rule_set}-random.nnue"));
                fs::write(path, network.to_bytes())?;
            }
            Ok(())
        }
        ["list", file, positions] => {
            let name = Path::new(file).file_stem().and_then(|name| name.to_str());
            let rule_set: RuleSet = name
                .and_then(|name| name.split('-').next())
                .unwrap_or_default()
                .parse()?;
            let (bytes, count) = (fs::read(file)?, positions.parse()?);
            with_rule_set!(rule_set, P => list::<P>(&bytes, count))
        }
        _ => Err("nnue_evals random DIRECTORY, or nnue_evals list FILE POSITIONS".into()),
    }
}

fn random_network<P: Position>() -> Result<NnueNetwork, Error> {
    let layout = CompactLayout::new(NnueLayout::of::<P>()?, KingBuckets::Eight);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let rows = layout.rows();
    let network = CompactNetwork {
        width: WIDTH,
        bias: numbers(&mut rng, WIDTH, 60),
        rows: numbers(&mut rng, rows * WIDTH, 40),
        psqt: (0..rows * STACKS)
            .map(|_| rng.random_range(-20_000..20_000))
            .collect(),
        stacks: (0..STACKS)
            .map(|_| NnueStack {
                bias_1: numbers(&mut rng, HIDDEN_1, 4_000),
                weights_1: numbers(&mut rng, HIDDEN_1 * 2 * WIDTH, 20),
                bias_2: numbers(&mut rng, HIDDEN_2, 4_000),
                weights_2: numbers(&mut rng, HIDDEN_2 * HIDDEN_1, 60),
                bias_3: rng.random_range(-4_000..4_000),
                weights_3: numbers(&mut rng, HIDDEN_2, 127),
            })
            .collect(),
        layout,
    };
    Ok(network.expand("random weights, to check evaluations with".to_owned()))
}

fn numbers<T: TryFrom<i32>>(rng: &mut impl Rng, count: usize, limit: i32) -> Vec<T> {
    (0..count)
        .filter_map(|_| T::try_from(rng.random_range(-limit..=limit)).ok())
        .collect()
}

fn list<P: Position>(bytes: &[u8], count: usize) -> Result<(), Error> {
    let layout = NnueLayout::of::<P>()?;
    let network = NnueNetwork::from_bytes(&layout, bytes)?;
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut out = io::stdout().lock();
    let mut legal = MoveList::new();
    let mut seen = 0;
    let mut game = GameState::<P>::start();
    while seen < count {
        let plies = rng.random_range(1..=MAX_PLIES_APART);
        for _ in 0..plies {
            game.legal_moves(&mut legal);
            if game.outcome_given(&legal).is_some() {
                game = GameState::start();
                game.legal_moves(&mut legal);
            }
            game.play(legal[rng.random_range(..legal.len())]);
        }
        // The engine has no evaluation of a position in check, or where the game is over.
        let position = game.position();
        if position.is_check() || game.outcome().is_some() {
            continue;
        }
        let Some(looked_at) = NnuePosition::of(&layout, position) else {
            continue;
        };
        let pawns = network.evaluate(&layout, &looked_at).pawns();
        let white = match position.turn() {
            Color::White => pawns,
            Color::Black => -pawns,
        };
        writeln!(out, "{white:.4} {position}")?;
        seen += 1;
    }
    Ok(())
}
