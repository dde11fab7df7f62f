use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use garuda_model::{Encode, Model};
use garuda_rules::RuleSet;

use super::{Limit, Material, Net, Player, Random, Uci, UciSpec};
use crate::run::RunDir;

/// A player as named on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerSpec {
    Random,
    /// With a number of nodes, or looking one move ahead.
    Material(Option<u64>),
    /// A model file, a checkpoint's directory, or a run's, whose newest checkpoint plays.
    Model(PathBuf),
    /// Another program.
    Uci(UciSpec),
}

/// What players are given to think with, unless their names say otherwise.
#[derive(Copy, Clone, Debug)]
pub struct Terms {
    /// A network's for each move.
    pub simulations: u32,
    /// What networks take a draw to be worth to either side, from −1 to 1.
    pub draw_value: f32,
    /// Of other programs; they cannot play without any.
    pub limit: Option<Limit>,
    /// How long other programs may be silent while no clock runs.
    pub timeout: Duration,
}

impl Terms {
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    pub fn simulations(simulations: u32) -> Terms {
        Terms {
            simulations,
            draw_value: 0.0,
            limit: None,
            timeout: Terms::TIMEOUT,
        }
    }
}

/// A player that is ready to be seated at any number of boards.
#[derive(Debug)]
pub enum Seat {
    Random,
    Material(Option<u64>),
    Net {
        model: Model,
        simulations: u32,
        draw_value: f32,
    },
    Uci {
        spec: UciSpec,
        limit: Limit,
        timeout: Duration,
    },
}

impl FromStr for PlayerSpec {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<PlayerSpec> {
        match text.split_once(':') {
            None if text == "random" => Ok(PlayerSpec::Random),
            None if text == "material" => Ok(PlayerSpec::Material(None)),
            Some(("material", nodes)) => {
                let nodes = nodes
                    .parse()
                    .with_context(|| format!("{nodes:?} is not a number of nodes"))?;
                Ok(PlayerSpec::Material(Some(nodes)))
            }
            Some(("uci", engine)) => Ok(PlayerSpec::Uci(engine.parse()?)),
            _ => Ok(PlayerSpec::Model(text.into())),
        }
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::Random => f.write_str("random"),
            PlayerSpec::Material(None) => f.write_str("material"),
            PlayerSpec::Material(Some(nodes)) => write!(f, "material:{nodes}"),
            PlayerSpec::Model(path) => write!(f, "{}", path.display()),
            PlayerSpec::Uci(engine) => write!(f, "uci:{engine}"),
        }
    }
}

/// The model file of a `.onnx`, a checkpoint or a run.
pub fn find_model(path: &Path) -> anyhow::Result<PathBuf> {
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let model = path.join("model.onnx");
    if model.is_file() {
        return Ok(model);
    }
    if !path.exists() {
        bail!(
            "{} does not exist; a player is a run, a checkpoint, a .onnx file, random, material, material:<nodes> or uci:<command>",
            path.display()
        );
    }
    let run = RunDir::open(path)?;
    let newest = (run.checkpoint_numbers()?.into_iter().rev())
        .map(|number| run.checkpoint(number).join("model.onnx"))
        .find(|model| model.is_file());
    newest.with_context(|| format!("{} has no checkpoint yet", path.display()))
}

impl PlayerSpec {
    /// Reads what the player needs.
    pub fn seat(&self, terms: &Terms) -> anyhow::Result<Seat> {
        Ok(match self {
            PlayerSpec::Random => Seat::Random,
            PlayerSpec::Material(nodes) => Seat::Material(*nodes),
            PlayerSpec::Model(path) => {
                let path = find_model(path)?;
                let model =
                    Model::read(&path).with_context(|| format!("cannot use {}", path.display()))?;
                Seat::Net {
                    model,
                    simulations: terms.simulations,
                    draw_value: terms.draw_value,
                }
            }
            PlayerSpec::Uci(spec) => Seat::Uci {
                spec: spec.clone(),
                limit: spec.limit.or(terms.limit).with_context(|| {
                    format!("nothing says how long {self} may think; ?nodes=1000 after it would")
                })?,
                timeout: terms.timeout,
            },
        })
    }
}

impl Seat {
    /// The rule set that the player is made for; `None` if it plays any.
    pub fn rule_set(&self) -> Option<RuleSet> {
        match self {
            Seat::Net { model, .. } => Some(model.info().rules),
            _ => None,
        }
    }

    pub fn player<P: Encode>(&self) -> anyhow::Result<Box<dyn Player<P>>> {
        Ok(match self {
            Seat::Random => Box::new(Random::new()),
            Seat::Material(nodes) => Box::new(Material::new::<P>(*nodes)),
            Seat::Net {
                model,
                simulations,
                draw_value,
            } => Box::new(Net::new(model, *simulations, *draw_value)?),
            Seat::Uci {
                spec,
                limit,
                timeout,
            } => Box::new(Uci::start(spec, P::RULES, *limit, *timeout)?),
        })
    }
}
