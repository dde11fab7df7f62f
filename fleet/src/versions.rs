//! Whether two programs, on two machines, play the same games.

use std::sync::OnceLock;

use anyhow::{Context, bail};
use garuda_mcts::{Evaluations, Evaluator, bench};
use garuda_model::sparse::FeatureLayout;
use garuda_model::{Encoding, Network, NetworkKind};
use garuda_rules::{Game, GameState, MoveList, Position};
use garuda_run::records::RECORD_VERSION;
use garuda_run::seeds;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// What must be equal where equal games are to be played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Versions {
    record: u32,
    /// Of planes and of features.
    encoding: [u32; 2],
    /// Follows from random games.
    rules: String,
    /// Follows from fixed searches.
    search: String,
}

/// Random games that the signature of the rules is made from.
const RULES_GAMES: u64 = 4;

impl Versions {
    pub(crate) fn here<P: Position>() -> anyhow::Result<Versions> {
        let mut hasher = blake3::Hasher::new();
        for number in 0..RULES_GAMES {
            random_game::<P>(number, |game, legal| {
                hasher.update(&game.state_key().to_le_bytes());
                for mv in legal {
                    hasher.update(&mv.code().to_le_bytes());
                }
            });
        }
        let search = search_signature()?;
        Ok(Versions {
            record: RECORD_VERSION,
            encoding: [Encoding::VERSION, FeatureLayout::VERSION],
            rules: hasher.finalize().to_hex()[..16].to_owned(),
            search: format!("{search:016x}"),
        })
    }

    /// What differs, in words: theirs first.
    pub(crate) fn differences(&self, here: &Versions) -> Vec<String> {
        let mut found = Vec::new();
        let mut compare = |what: &str, theirs: String, ours: String| {
            if theirs != ours {
                found.push(format!("{what} is {theirs:?} there and {ours:?} here"));
            }
        };
        let version = |number: u32| number.to_string();
        compare(
            "the version of records",
            version(self.record),
            version(here.record),
        );
        let encoding = |of: &Versions| format!("{}.{}", of.encoding[0], of.encoding[1]);
        compare(
            "the version of the encoding",
            encoding(self),
            encoding(here),
        );
        compare(
            "the signature of the rules",
            self.rules.clone(),
            here.rules.clone(),
        );
        compare(
            "the signature of the search",
            self.search.clone(),
            here.search.clone(),
        );
        found
    }
}

/// Takes a moment to compute, and is the same as long as the program runs.
fn search_signature() -> anyhow::Result<u64> {
    static SIGNATURE: OnceLock<u64> = OnceLock::new();
    match SIGNATURE.get() {
        Some(&signature) => Ok(signature),
        None => {
            let signature = bench::signature().context("the search does not work")?;
            Ok(*SIGNATURE.get_or_init(|| signature))
        }
    }
}

/// Plays a game of random moves, the same on every machine, and shows every position.
fn random_game<P: Position>(number: u64, mut show: impl FnMut(&GameState<P>, &MoveList)) {
    let mut rng = seeds::rng(seeds::derive(0, "versions", &[number]));
    let mut game = GameState::<P>::start();
    let mut legal = MoveList::new();
    loop {
        game.legal_moves(&mut legal);
        show(&game, &legal);
        if game.outcome_given(&legal).is_some() || legal.is_empty() {
            return;
        }
        game.play(legal[rng.random_range(0..legal.len())]);
    }
}

/// What a network thinks of a fixed set of positions: chances of a win and of a draw, and the mean
/// of the logits. Integer networks compute the same on every processor; others come near.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Probe(Vec<[f32; 3]>);

const PROBE_GAMES: u64 = 4;
const PROBE_POSITIONS: usize = 64;
/// How far networks in floating point may differ between processors.
const TOLERANCE: f32 = 1e-3;

impl Probe {
    pub(crate) fn new<P: Position>(network: &Network) -> anyhow::Result<Probe> {
        let mut positions = Vec::new();
        for number in 0..PROBE_GAMES {
            let mut of_game = 0;
            random_game::<P>(number, |game, legal| {
                if game.outcome_given(legal).is_none() && of_game < PROBE_POSITIONS / 4 {
                    positions.push((game.clone(), legal.clone()));
                    of_game += 1;
                }
            });
        }
        let mut evaluator = network.evaluator::<P>(1)?;
        let mut evaluations = Evaluations::default();
        let mut seen = Vec::with_capacity(positions.len());
        for (game, legal) in &positions {
            evaluator.push(game, legal);
            evaluator.run(&mut evaluations)?;
            let (wdl, logits) = evaluations.get(0);
            let mean = logits.iter().sum::<f32>() / logits.len().max(1) as f32;
            seen.push([wdl.win, wdl.draw, mean]);
        }
        Ok(Probe(seen))
    }

    pub(crate) fn check<P: Position>(&self, network: &Network) -> anyhow::Result<()> {
        let tolerance = match network.info().architecture.kind() {
            NetworkKind::Sparse => 0.0,
            NetworkKind::Conv => TOLERANCE,
        };
        let here = Probe::new::<P>(network)?;
        let is_near = |(a, b): (&[f32; 3], &[f32; 3])| {
            a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
        };
        if self.0.len() != here.0.len() || !self.0.iter().zip(&here.0).all(is_near) {
            bail!("on this machine the network evaluates positions differently from the trainer's");
        }
        Ok(())
    }
}
