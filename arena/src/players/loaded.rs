use std::time::Duration;

use anyhow::Context;
use garuda_mcts::SearchLimits;
use garuda_model::Network;
use garuda_rules::{Position, RuleSet, UnknownRuleSet};
use garuda_run::{Limit, PlayerSpec, UciSpec, read_network};

use super::{AlphaBetaPlayer, NetworkPlayer, Player, RandomPlayer, UciPlayer};

/// How much players may search, unless their own specification says otherwise.
#[derive(Copy, Clone, Debug)]
pub struct SearchBudget {
    /// Simulations per move of a network, unless `movetime` is set.
    pub simulations: u32,
    /// Time per move of networks and of `alphabeta`: between players of different kinds equal
    /// time is fair, and equal simulations are not.
    pub movetime: Option<Duration>,
    /// The value of a draw to either side for networks, from −1 to 1.
    pub draw_value: f32,
    /// Limit of engines, which cannot play without one.
    pub limit: Option<Limit>,
    /// How long engines may take to answer while no clock runs.
    pub timeout: Duration,
}

impl SearchBudget {
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    pub fn simulations(simulations: u32) -> SearchBudget {
        SearchBudget {
            simulations,
            movetime: None,
            draw_value: 0.0,
            limit: None,
            timeout: SearchBudget::TIMEOUT,
        }
    }

    fn search_limits(&self) -> SearchLimits {
        match self.movetime {
            Some(time) => SearchLimits::time(time),
            None => SearchLimits::nodes(self.simulations),
        }
    }
}

/// A player whose files have been read, from which any number of instances can be made.
#[derive(Debug)]
pub enum LoadedPlayer {
    Random,
    AlphaBeta {
        /// `None` for a search of one ply.
        nodes: Option<u64>,
        movetime: Option<Duration>,
    },
    Network {
        network: Network,
        limits: SearchLimits,
        draw_value: f32,
    },
    Uci {
        spec: UciSpec,
        limit: Limit,
        timeout: Duration,
    },
}

impl LoadedPlayer {
    /// Reads the files that the player needs.
    pub fn load(spec: &PlayerSpec, budget: &SearchBudget) -> anyhow::Result<LoadedPlayer> {
        Ok(match spec {
            PlayerSpec::Random => LoadedPlayer::Random,
            PlayerSpec::AlphaBeta(nodes) => LoadedPlayer::AlphaBeta {
                nodes: *nodes,
                movetime: budget.movetime,
            },
            PlayerSpec::Model(path) => {
                LoadedPlayer::Network {
                    network: read_network(path)?,
                    limits: budget.search_limits(),
                    draw_value: budget.draw_value,
                }
            }
            PlayerSpec::Uci(engine) => LoadedPlayer::Uci {
                spec: engine.clone(),
                limit: engine.limit.or(budget.limit).with_context(|| {
                    format!("{spec} needs a limit, as in {spec}?nodes=1000, or --nodes, --movetime or --clock")
                })?,
                timeout: budget.timeout,
            },
        })
    }

    /// The rule set that the player was trained for; `None` if it plays any.
    pub fn rule_set(&self) -> Result<Option<RuleSet>, UnknownRuleSet> {
        match self {
            LoadedPlayer::Network { network, .. } => network.info().rule_set().map(Some),
            _ => Ok(None),
        }
    }

    /// A new instance of the player. Starts its program, if it is one.
    pub fn player<P: Position>(&self) -> anyhow::Result<Box<dyn Player<P>>> {
        Ok(match self {
            LoadedPlayer::Random => Box::new(RandomPlayer::new()),
            LoadedPlayer::AlphaBeta { nodes, movetime } => {
                Box::new(AlphaBetaPlayer::new::<P>(*nodes, *movetime))
            }
            LoadedPlayer::Network {
                network,
                limits,
                draw_value,
            } => Box::new(NetworkPlayer::new(network, *limits, *draw_value)?),
            LoadedPlayer::Uci {
                spec,
                limit,
                timeout,
            } => Box::new(UciPlayer::start(spec, P::NAME, *limit, *timeout)?),
        })
    }
}
