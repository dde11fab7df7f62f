use std::time::Duration;

use anyhow::Context;
use garuda_model::{Encode, Network};
use garuda_rules::RuleSet;
use garuda_run::{Limit, PlayerSpec, UciSpec, find_model};

use super::{AlphaBeta, NetworkPlayer, Player, Random, Uci};

/// What players are given to think with, unless their names say otherwise.
#[derive(Copy, Clone, Debug)]
pub struct SearchBudget {
    /// A network's for each move.
    pub simulations: u32,
    /// What networks take a draw to be worth to either side, from −1 to 1.
    pub draw_value: f32,
    /// Of other programs; they cannot play without any.
    pub limit: Option<Limit>,
    /// How long other programs may be silent while no clock runs.
    pub timeout: Duration,
}

impl SearchBudget {
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    pub fn simulations(simulations: u32) -> SearchBudget {
        SearchBudget {
            simulations,
            draw_value: 0.0,
            limit: None,
            timeout: SearchBudget::TIMEOUT,
        }
    }
}

/// A player that is ready to be seated at any number of boards.
#[derive(Debug)]
pub enum LoadedPlayer {
    Random,
    AlphaBeta(Option<u64>),
    Network {
        network: Network,
        simulations: u32,
        draw_value: f32,
    },
    Uci {
        spec: UciSpec,
        limit: Limit,
        timeout: Duration,
    },
}

impl LoadedPlayer {
    /// Reads what the player of this name needs.
    pub fn load(spec: &PlayerSpec, budget: &SearchBudget) -> anyhow::Result<LoadedPlayer> {
        Ok(match spec {
            PlayerSpec::Random => LoadedPlayer::Random,
            PlayerSpec::AlphaBeta(nodes) => LoadedPlayer::AlphaBeta(*nodes),
            PlayerSpec::Model(path) => {
                let path = find_model(path)?;
                let network = Network::read(&path)
                    .with_context(|| format!("cannot use {}", path.display()))?;
                LoadedPlayer::Network {
                    network,
                    simulations: budget.simulations,
                    draw_value: budget.draw_value,
                }
            }
            PlayerSpec::Uci(engine) => LoadedPlayer::Uci {
                spec: engine.clone(),
                limit: engine.limit.or(budget.limit).with_context(|| {
                    format!("nothing says how long {spec} may think; ?nodes=1000 after it would")
                })?,
                timeout: budget.timeout,
            },
        })
    }

    /// The rule set that the player is made for; `None` if it plays any.
    pub fn rule_set(&self) -> Option<RuleSet> {
        match self {
            LoadedPlayer::Network { network, .. } => Some(network.info().rules),
            _ => None,
        }
    }

    pub fn player<P: Encode>(&self) -> anyhow::Result<Box<dyn Player<P>>> {
        Ok(match self {
            LoadedPlayer::Random => Box::new(Random::new()),
            LoadedPlayer::AlphaBeta(nodes) => Box::new(AlphaBeta::new::<P>(*nodes)),
            LoadedPlayer::Network {
                network,
                simulations,
                draw_value,
            } => Box::new(NetworkPlayer::new(network, *simulations, *draw_value)?),
            LoadedPlayer::Uci {
                spec,
                limit,
                timeout,
            } => Box::new(Uci::start(spec, P::RULES, *limit, *timeout)?),
        })
    }
}
