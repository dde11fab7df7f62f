use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The size of a network's tower; all else follows from it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Sizes", into = "Sizes")]
pub struct Architecture {
    blocks: u32,
    channels: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sizes {
    blocks: u32,
    channels: u32,
}

impl Architecture {
    pub const MAX_BLOCKS: u32 = 64;
    /// Channels come in groups that fill the vector registers of all CPUs.
    pub const CHANNEL_STEP: u32 = 8;
    pub const MAX_CHANNELS: u32 = 512;

    pub fn new(blocks: u32, channels: u32) -> Result<Architecture, ArchitectureError> {
        if !(1..=Self::MAX_BLOCKS).contains(&blocks) {
            return Err(ArchitectureError::Blocks(blocks));
        }
        if channels == 0
            || channels > Self::MAX_CHANNELS
            || !channels.is_multiple_of(Self::CHANNEL_STEP)
        {
            return Err(ArchitectureError::Channels(channels));
        }
        Ok(Architecture { blocks, channels })
    }

    /// Residual blocks of the tower.
    pub fn blocks(self) -> u32 {
        self.blocks
    }

    /// Channels of the tower.
    pub fn channels(self) -> u32 {
        self.channels
    }
}

/// `4x64`: blocks by channels.
impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.blocks, self.channels)
    }
}

impl FromStr for Architecture {
    type Err = ArchitectureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sizes = text
            .split_once('x')
            .and_then(|(blocks, channels)| Some((blocks.parse().ok()?, channels.parse().ok()?)));
        let (blocks, channels) = sizes.ok_or_else(|| ArchitectureError::Text(text.to_owned()))?;
        Architecture::new(blocks, channels)
    }
}

impl TryFrom<Sizes> for Architecture {
    type Error = ArchitectureError;

    fn try_from(sizes: Sizes) -> Result<Self, Self::Error> {
        Architecture::new(sizes.blocks, sizes.channels)
    }
}

impl From<Architecture> for Sizes {
    fn from(architecture: Architecture) -> Sizes {
        Sizes {
            blocks: architecture.blocks,
            channels: architecture.channels,
        }
    }
}

/// Why something is not an architecture.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ArchitectureError {
    #[error("a network has 1 to {max} blocks, not {0}", max = Architecture::MAX_BLOCKS)]
    Blocks(u32),
    #[error(
        "a network's channels are a multiple of {step} up to {max}, not {0}",
        step = Architecture::CHANNEL_STEP,
        max = Architecture::MAX_CHANNELS
    )]
    Channels(u32),
    #[error("an architecture is written as blocks x channels, such as 4x64, not {0:?}")]
    Text(String),
}
