//! What workers need to play: how games start and go, and which networks play them.

use std::fmt;

use anyhow::{Context, bail, ensure};
use garuda_model::Network;
use garuda_rules::Position;
use garuda_run::config::Config;
use garuda_selfplay::generate::{GameOrder, PlanSpec};
use serde::{Deserialize, Serialize};

use crate::names::{CHUNK, MAX_PLAN, Name, PROTOCOL};
use crate::versions::{Probe, Versions};

/// Names a plan by its bytes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlanHash(blake3::Hash);

impl PlanHash {
    pub fn of(bytes: &[u8]) -> PlanHash {
        PlanHash(blake3::hash(bytes))
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> PlanHash {
        PlanHash(bytes.into())
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl TryFrom<String> for PlanHash {
    type Error = blake3::HexError;

    fn try_from(text: String) -> Result<PlanHash, blake3::HexError> {
        blake3::Hash::from_hex(text).map(PlanHash)
    }
}

impl From<PlanHash> for String {
    fn from(hash: PlanHash) -> String {
        hash.0.to_hex().to_string()
    }
}

impl fmt::Debug for PlanHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The first digits, for messages to people.
impl fmt::Display for PlanHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex()[..12])
    }
}

/// How the games of a checkpoint are played. Equal plans make equal games on every machine.
///
/// Which games are wanted is not part of it: a trainer that is restarted makes the same plan again,
/// and takes the games that were played for it before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct FleetPlan {
    protocol: u32,
    pub(crate) run: Name,
    versions: Versions,
    /// The run's configuration in TOML, which is read as strictly as a file of the user.
    config: String,
    checkpoint: u32,
    past_opponent: Option<u32>,
    positions: u64,
    /// In the order of [`Plan::checkpoints`](garuda_selfplay::generate::Plan::checkpoints).
    pub(crate) networks: Vec<PlanNetwork>,
}

/// A network that plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct PlanNetwork {
    /// Of its file.
    pub(crate) hash: String,
    pub(crate) bytes: u64,
    /// What it thinks of a few positions.
    probe: Probe,
}

impl PlanNetwork {
    /// Number of pieces that it travels in.
    pub(crate) fn chunks(&self) -> u64 {
        self.bytes.div_ceil(CHUNK as u64)
    }

    /// Refuses bytes that are another network, and a machine on which it evaluates differently.
    pub(crate) fn open<P: Position>(&self, bytes: &[u8]) -> anyhow::Result<Network> {
        ensure!(
            hash_of(bytes) == self.hash,
            "the network that was received is not the one of the plan"
        );
        let network = Network::from_bytes(bytes)?;
        self.probe.check::<P>(&network)?;
        Ok(network)
    }
}

/// The part of a plan that every version can read.
#[derive(Deserialize)]
struct PlanProtocol {
    protocol: u32,
}

pub(crate) fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl FleetPlan {
    pub(crate) fn new<P: Position>(
        run: &Name,
        order: &GameOrder<'_, P>,
    ) -> anyhow::Result<FleetPlan> {
        let PlanSpec {
            config,
            checkpoint,
            past_opponent,
            positions,
        } = order.plan.spec().clone();
        let networks = order.networks.iter().map(|network| {
            Ok(PlanNetwork {
                hash: hash_of(network.bytes()),
                bytes: network.bytes().len() as u64,
                probe: Probe::new::<P>(network)?,
            })
        });
        Ok(FleetPlan {
            protocol: PROTOCOL,
            run: run.clone(),
            versions: Versions::here::<P>()?,
            config: config.to_toml(),
            checkpoint,
            past_opponent,
            positions,
            networks: networks.collect::<anyhow::Result<_>>()?,
        })
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain fields can always be written")
    }

    /// Reads a plan of a run. Refuses what this version does not understand.
    pub(crate) fn read(bytes: &[u8], run: &Name) -> anyhow::Result<FleetPlan> {
        ensure!(
            bytes.len() <= MAX_PLAN,
            "the plan has {} bytes, more than a plan may have",
            bytes.len()
        );
        let PlanProtocol { protocol } =
            serde_json::from_slice(bytes).context("what the trainer sent is not a plan")?;
        ensure!(
            protocol == PROTOCOL,
            "the trainer speaks version {protocol} of the protocol and this worker version \
             {PROTOCOL}: use the same version of Garuda on both machines"
        );
        let plan: FleetPlan =
            serde_json::from_slice(bytes).context("what the trainer sent is not a plan")?;
        ensure!(
            plan.run == *run,
            "the plan is of the run {}, not {run}",
            plan.run
        );
        for network in &plan.networks {
            ensure!(
                network.bytes > 0 && network.bytes <= Network::MAX_BYTES,
                "the plan names a network of {} bytes",
                network.bytes
            );
        }
        Ok(plan)
    }

    pub(crate) fn spec(&self) -> anyhow::Result<PlanSpec> {
        Ok(PlanSpec {
            config: Config::parse("the plan", &self.config, &[])?,
            checkpoint: self.checkpoint,
            past_opponent: self.past_opponent,
            positions: self.positions,
        })
    }

    pub(crate) fn checkpoint(&self) -> u32 {
        self.checkpoint
    }

    /// Refuses a plan that this program would not play as the trainer does.
    pub(crate) fn check_versions<P: Position>(&self) -> anyhow::Result<()> {
        let differences = self.versions.differences(&Versions::here::<P>()?);
        if !differences.is_empty() {
            bail!(
                "this worker would play other games than the trainer: {}. Use the same version of \
                 Garuda on both machines",
                differences.join("; ")
            );
        }
        Ok(())
    }
}
