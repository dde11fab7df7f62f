//! Makes a run of any number of nearly random games, by any number of checkpoints (40 if not given), to
//! measure commands that read all games of a run:
//!
//!     cargo run --release --package garuda-study --example synthetic_run -- torishogi runs/random 100000
//!     /usr/bin/time -v target/release/garuda openings runs/random --visits 0

use std::env;
use std::path::Path;

use anyhow::{Context, ensure};
use garuda_mcts::Wdl;
use garuda_rules::{Game, GameState, MoveList, Position, RuleSet, with_rule_set};
use garuda_run::config::Config;
use garuda_run::records::{Decision, DecisionKind, GameHead, GameRecord, RecordStore};
use garuda_run::{RunDir, seeds};
use rand::RngExt;
use rayon::prelude::*;

/// Number of games per record file, as in a run.
const GAMES_PER_FILE: u64 = 32;
/// Number of files made in parallel.
const PARALLEL_FILES: u64 = 64;
/// Number of checkpoints that the games are distributed over.
const CHECKPOINTS: &str = "40";
/// Number of moves in a policy, about as many as a search keeps.
const POLICY_MOVES: usize = 16;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [rules, run, games, rest @ ..] = arguments.as_slice() else {
        anyhow::bail!("usage: synthetic_run RULES DIRECTORY GAMES [CHECKPOINTS [KEY=VALUE …]]");
    };
    let rules: RuleSet = rules.parse()?;
    let games: u64 = games.parse().context("the number of games")?;
    let checkpoints = rest.first().map_or(CHECKPOINTS, String::as_str);
    let checkpoints: u64 = checkpoints.parse().context("the number of checkpoints")?;
    let mut settings = vec![format!("game.rules={rules}")];
    settings.extend(rest.iter().skip(1).cloned());
    let path = Path::new(run);
    ensure!(!path.exists(), "{run} exists");
    let config = Config::parse("synthetic", "", &settings)?;
    let run = RunDir::open_or_create(path, &config)?;
    with_rule_set!(rules, P => make::<P>(&run, games, checkpoints))
}

fn make<P: Position>(run: &RunDir, games: u64, checkpoints: u64) -> anyhow::Result<()> {
    let mut store = RecordStore::open(&run.games())?;
    let numbers: Vec<_> = (0..games).collect();
    let (mut plies, mut bytes) = (0, 0);
    for chunk in numbers.chunks((GAMES_PER_FILE * PARALLEL_FILES) as usize) {
        let records: Vec<_> = (chunk.par_iter())
            .map(|&number| random_game::<P>(number, number * checkpoints / games))
            .collect();
        plies += records.iter().map(GameRecord::plies).sum::<usize>();
        for file in records.chunks(GAMES_PER_FILE as usize) {
            bytes += store.write(file)?;
        }
    }
    let mean = plies as f64 / games as f64;
    println!("{games} games of {mean:.1} plies, {} MiB", bytes >> 20);
    Ok(())
}

fn random_game<P: Position>(number: u64, checkpoint: u64) -> GameRecord {
    let mut rng = seeds::rng(number);
    let mut game = GameState::<P>::start();
    let mut legal = MoveList::new();
    let mut decisions = Vec::new();
    let outcome = loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome_given(&legal) {
            break outcome;
        }
        // Wins are taken: games of random moves alone are several times as long as those of a run.
        let mv = match game.winning_move(&legal) {
            Some(index) => legal[index],
            None => legal[rng.random_range(0..legal.len())],
        };
        let listed = legal.len().min(POLICY_MOVES);
        let policy = legal[..listed].iter();
        decisions.push(Decision {
            mv,
            kind: DecisionKind::Searched,
            wdl: Wdl::UNKNOWN,
            policy: policy.map(|&mv| (mv, 1.0 / listed as f32)).collect(),
        });
        game.play(mv);
    };
    let head = GameHead {
        rules: P::NAME.to_owned(),
        start: P::start().to_string(),
        checkpoint: checkpoint as u32,
        number,
        sides: [checkpoint as u32; 2],
        seed: number,
    };
    GameRecord::new(head, &decisions, outcome).expect("equal shares are shares")
}
