//! Opponents and how strong they play.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail, ensure};
use garuda_arena::players::{AlphaBetaPlayer, GameLine, Player};
use garuda_mcts::evaluators::Material;
use garuda_mcts::{
    Analysis, AnalysisSettings, Evaluations, Evaluator, SearchControl, SearchInfo, SearchLimits,
    Wdl, random_move, softmax,
};
use garuda_model::{Architecture, Network, checkpoint_files};
use garuda_rules::{Game, GameState, Move, MoveList, Position, RuleSet};
use garuda_run::{checkpoint_name, seeds, shown_path};
use rand::RngExt;
use serde_json::{Value, json};

use crate::Site;

/// A network that comes with the program.
#[derive(Clone, Debug)]
pub struct ShippedNetwork {
    pub rules: RuleSet,
    /// The contents of its file.
    pub bytes: &'static [u8],
}

/// A network file that was named on the command line.
#[derive(Debug)]
pub(crate) struct NetworkFile {
    path: PathBuf,
    rules: RuleSet,
}

impl NetworkFile {
    pub(crate) fn read(path: &Path) -> anyhow::Result<NetworkFile> {
        let network = Network::read(path)?;
        Ok(NetworkFile {
            path: path.to_owned(),
            rules: network.info().rule_set()?,
        })
    }
}

/// Who plays, as requests name it. Numbers only: a request cannot name a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Opponent {
    Random,
    AlphaBeta,
    /// A checkpoint of a run: the run's number and its own.
    Checkpoint(usize, u32),
    /// A network file by its number.
    File(usize),
    /// A network that comes with the program, by its number.
    Shipped(usize),
}

impl Opponent {
    pub(crate) fn parse(text: &str) -> anyhow::Result<Opponent> {
        let parts: Vec<_> = text.split(':').collect();
        let number = |text: &str| text.parse::<usize>().ok();
        let found = match parts[..] {
            ["random"] => Some(Opponent::Random),
            ["alphabeta"] => Some(Opponent::AlphaBeta),
            ["run", run, checkpoint] => (number(run).zip(checkpoint.parse().ok()))
                .map(|(run, checkpoint)| Opponent::Checkpoint(run, checkpoint)),
            ["file", file] => number(file).map(Opponent::File),
            ["shipped", place] => number(place).map(Opponent::Shipped),
            _ => None,
        };
        found.with_context(|| {
            let text: String = text.chars().take(50).collect();
            format!("there is no player {text:?}")
        })
    }
}

/// Levels from a beginner's to full strength, and what they mean to a network: the chance of a
/// random move in percent, and simulations per move.
pub(crate) const LEVELS: [(u32, u32); 8] = [
    (50, 1),
    (25, 8),
    (10, 16),
    (0, 32),
    (0, 100),
    (0, 400),
    (0, 1600),
    (0, 6400),
];
/// The same for alpha-beta search: nodes per move, 0 for a search of one ply.
const ALPHABETA_NODES: [u64; LEVELS.len()] = [0, 0, 0, 300, 1000, 5000, 20_000, 100_000];

/// The most simulations of one request.
pub(crate) const MAX_SIMULATIONS: u32 = 10_000;
/// Leaves per batch of a convolutional network: faster than single positions, for little loss of
/// strength.
const BATCH_SIZE: u32 = 8;
const TREE_BYTES: usize = 128 << 20;
/// Number of networks kept in memory.
const KEPT_NETWORKS: usize = 4;
/// Number of best moves that are shown.
const SHOWN_MOVES: usize = 3;

/// The networks that were used last.
#[derive(Debug, Default)]
pub(crate) struct NetworkCache(Mutex<Vec<(Opponent, Arc<Network>)>>);

impl NetworkCache {
    fn get(
        &self,
        opponent: &Opponent,
        read: impl FnOnce() -> anyhow::Result<Network>,
    ) -> anyhow::Result<Arc<Network>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = (lock().iter())
            .find(|(other, _)| other == opponent)
            .map(|(_, network)| Arc::clone(network));
        if let Some(network) = kept {
            return Ok(network);
        }
        let network = Arc::new(read()?);
        let mut kept = lock();
        kept.truncate(KEPT_NETWORKS - 1);
        kept.insert(0, (opponent.clone(), Arc::clone(&network)));
        Ok(network)
    }
}

impl Site {
    /// The network of an opponent; `None` if it has none.
    pub(crate) fn network(&self, opponent: &Opponent) -> anyhow::Result<Option<Arc<Network>>> {
        let network = match opponent {
            Opponent::Random | Opponent::AlphaBeta => return Ok(None),
            Opponent::Checkpoint(run, number) => self.networks.get(opponent, || {
                let run = self
                    .runs
                    .get(*run)
                    .context("there is no such run")?
                    .open()?;
                let path = checkpoint_files::network(&run.checkpoint(*number));
                ensure!(
                    path.is_file(),
                    "checkpoint {} has no network",
                    checkpoint_name(*number)
                );
                Ok(Network::read(&path)?)
            }),
            Opponent::File(place) => self.networks.get(opponent, || {
                let file = self.files.get(*place).context("there is no such file")?;
                Ok(Network::read(&file.path)?)
            }),
            Opponent::Shipped(place) => self.networks.get(opponent, || {
                let shipped = (self.shipped.get(*place)).context("there is no such network")?;
                Ok(Network::from_bytes(shipped.bytes)?)
            }),
        };
        network.map(Some)
    }

    /// Everyone who can be played against, with the game of each; null for any game.
    pub(crate) fn players(&self) -> Value {
        let mut players = Vec::new();
        for (i, run) in self.runs.iter().enumerate() {
            // A run that cannot be read has no players; the page says so elsewhere.
            let Ok(opened) = run.open() else { continue };
            let rules = opened.config().game.rules.name();
            for number in opened.checkpoint_numbers().unwrap_or_default().iter().rev() {
                if checkpoint_files::network(&opened.checkpoint(*number)).is_file() {
                    let name = format!("{}, checkpoint {number}", run.name);
                    players.push(
                        json!({ "id": format!("run:{i}:{number}"), "rules": rules, "name": name }),
                    );
                }
            }
        }
        for (i, file) in self.files.iter().enumerate() {
            let name = shown_path(&file.path);
            players.push(
                json!({ "id": format!("file:{i}"), "rules": file.rules.name(), "name": name }),
            );
        }
        // After what was named on the command line.
        for (i, shipped) in self.shipped.iter().enumerate() {
            let name = format!("Garuda, the network for {}", shipped.rules.title());
            players.push(json!({ "id": format!("shipped:{i}"), "rules": shipped.rules.name(), "name": name }));
        }
        players.push(
            json!({ "id": "alphabeta", "rules": null, "name": "Alpha-beta search by material" }),
        );
        players.push(json!({ "id": "random", "rules": null, "name": "Random moves" }));
        Value::from(players)
    }
}

/// How an opponent plays a move.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Strength {
    /// From 1 to 8.
    pub(crate) level: usize,
    /// Everything random of a game follows from it.
    pub(crate) seed: u64,
}

/// The move of an opponent in a game that is not over.
pub(crate) fn choose<P: Position>(
    opponent: &Opponent,
    network: Option<&Network>,
    line: &GameLine<P>,
    strength: Strength,
) -> anyhow::Result<Move> {
    let place = strength.level.checked_sub(1).filter(|&i| i < LEVELS.len());
    let Some(place) = place else {
        bail!(
            "levels are from 1 to {}, not {}",
            LEVELS.len(),
            strength.level
        );
    };
    let plies = u64::from(line.game().plies());
    let mut rng = seeds::rng(seeds::derive(strength.seed, "serve move", &[plies]));
    let (random_percent, simulations) = LEVELS[place];
    if *opponent == Opponent::Random || rng.random_range(0..100) < random_percent {
        return random_move(line.game(), &mut rng).context("the game is over");
    }
    if *opponent == Opponent::AlphaBeta {
        let nodes = Some(ALPHABETA_NODES[place]).filter(|&nodes| nodes > 0);
        let mut player: Box<dyn Player<P>> = Box::new(AlphaBetaPlayer::new::<P>(nodes, None));
        player.new_game(rng.random());
        return Ok(player.choose(line, None)?);
    }
    let info = search(network, line, simulations)?;
    info.best.context("the game is over")
}

/// Searches a position with a network, or by material without one.
pub(crate) fn search<P: Position>(
    network: Option<&Network>,
    line: &GameLine<P>,
    simulations: u32,
) -> anyhow::Result<SearchInfo> {
    let batch_size = match network.map(|network| &network.info().architecture) {
        // Few simulations must not all go into the first batches.
        Some(Architecture::Conv(_)) => BATCH_SIZE.min(simulations / 16).max(1),
        _ => 1,
    };
    let settings = AnalysisSettings {
        batch_size: batch_size as usize,
        multi_pv: SHOWN_MOVES,
        tree_bytes: TREE_BYTES,
        ..AnalysisSettings::default()
    };
    let mut analysis = Analysis::new(line.game().clone(), settings);
    let limits = SearchLimits::nodes(simulations.clamp(1, MAX_SIMULATIONS));
    let control = SearchControl::new();
    let info = match network {
        Some(network) => {
            let mut evaluator = network.evaluator::<P>(batch_size as usize)?;
            analysis.search(&mut evaluator, limits, &control, |_| ())?
        }
        None => analysis.search(&mut Material::default(), limits, &control, |_| ())?,
    };
    Ok(info)
}

/// What a network says of a position without any search.
pub(crate) struct NetworkView {
    pub(crate) wdl: Wdl,
    /// Each legal move with its prior and the value of the position after it, for the side to move.
    pub(crate) moves: Vec<(Move, f32, f32)>,
}

pub(crate) fn evaluate<P: Position>(
    network: &Network,
    game: &GameState<P>,
) -> anyhow::Result<NetworkView> {
    const CAPACITY: usize = 16;
    let mut evaluator = network.evaluator::<P>(CAPACITY)?;
    let mut evaluations = Evaluations::default();
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    ensure!(
        game.outcome_given(&legal).is_none(),
        "the game is over: there is nothing to evaluate"
    );
    evaluator.push(game, &legal);
    evaluator.run(&mut evaluations)?;
    let (wdl, logits) = evaluations.get(0);
    let mut priors = vec![0.0; logits.len()];
    softmax(logits, &mut priors);

    let turn = game.turn();
    let mut values = vec![0.0; legal.len()];
    let mut waiting: Vec<(usize, bool)> = Vec::new();
    for (i, &mv) in legal.iter().enumerate() {
        let mut next = game.clone();
        next.play(mv);
        let mut replies = MoveList::new();
        next.legal_moves(&mut replies);
        match next.outcome_given(&replies) {
            Some(outcome) => {
                values[i] = match outcome.winner {
                    None => 0.0,
                    Some(winner) if winner == turn => 1.0,
                    Some(_) => -1.0,
                }
            }
            None => {
                evaluator.push(&next, &replies);
                waiting.push((i, next.turn() == turn));
            }
        }
        if waiting.len() == CAPACITY.min(evaluator.capacity()) || i + 1 == legal.len() {
            if !waiting.is_empty() {
                evaluator.run(&mut evaluations)?;
            }
            for (place, (i, same_side)) in waiting.drain(..).enumerate() {
                let value = evaluations.get(place).0.value();
                values[i] = if same_side { value } else { -value };
            }
        }
    }
    let moves = (legal.iter().zip(priors).zip(values))
        .map(|((&mv, prior), value)| (mv, prior, value))
        .collect();
    Ok(NetworkView { wdl, moves })
}
