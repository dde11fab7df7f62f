use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use garuda_model::{Network, checkpoint_files};
use garuda_rules::RuleSet;

use crate::{RunDir, UciSpec, shown_path};

/// A player as named on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerSpec {
    Random,
    /// Alpha-beta search on a material count, limited to a number of nodes per move, or one ply
    /// deep.
    AlphaBeta(Option<u64>),
    /// A model file, a checkpoint's directory, a run's, whose newest checkpoint plays, or the name
    /// of a game, whose shipped network plays.
    Model(PathBuf),
    /// Another program.
    Uci(UciSpec),
}

impl PlayerSpec {
    /// Like [`FromStr`], for arguments: the path of a model may be any name the system allows.
    pub fn from_os_str(text: &OsStr) -> anyhow::Result<PlayerSpec> {
        match text.to_str() {
            Some(text) => text.parse(),
            None if text.as_encoded_bytes().starts_with(b"uci:") => {
                bail!("{}: an engine's command must be UTF-8", text.display())
            }
            None => Ok(PlayerSpec::Model(text.into())),
        }
    }
}

impl FromStr for PlayerSpec {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<PlayerSpec> {
        match text.split_once(':') {
            None if text == "random" => Ok(PlayerSpec::Random),
            None if text == "alphabeta" => Ok(PlayerSpec::AlphaBeta(None)),
            Some(("alphabeta", nodes)) => {
                let nodes = nodes
                    .parse()
                    .with_context(|| format!("{nodes:?} is not a number of nodes"))?;
                Ok(PlayerSpec::AlphaBeta(Some(nodes)))
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
            PlayerSpec::AlphaBeta(None) => f.write_str("alphabeta"),
            PlayerSpec::AlphaBeta(Some(nodes)) => write!(f, "alphabeta:{nodes}"),
            PlayerSpec::Model(path) => f.write_str(&shown_path(path)),
            PlayerSpec::Uci(engine) => write!(f, "uci:{engine}"),
        }
    }
}

/// The network of a file, a checkpoint, a run, or, by the name of its game, a shipped one.
pub fn read_network(path: &Path) -> anyhow::Result<Network> {
    let shipped = path.to_str().filter(|_| !path.exists());
    if let Some(rule_set) = shipped.and_then(|name| name.parse::<RuleSet>().ok()) {
        let network = Network::shipped(rule_set)
            .with_context(|| format!("no network is shipped for {rule_set}"))?;
        return Ok(network?);
    }
    let file = find_model(path)?;
    Network::read(&file).with_context(|| format!("cannot use {}", file.display()))
}

/// The model file of a network, a checkpoint or a run.
pub fn find_model(path: &Path) -> anyhow::Result<PathBuf> {
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let model = checkpoint_files::network(path);
    if model.is_file() {
        return Ok(model);
    }
    if !path.exists() {
        bail!(
            "{} does not exist; a player is a run, a checkpoint, a network file, a game whose shipped network plays, random, alphabeta, alphabeta:<nodes> or uci:<command>",
            path.display()
        );
    }
    let run = RunDir::open(path)?;
    let newest = (run.checkpoint_numbers()?.into_iter().rev())
        .map(|number| checkpoint_files::network(&run.checkpoint(number)))
        .find(|model| model.is_file());
    newest.with_context(|| format!("{} has no checkpoint yet", path.display()))
}
