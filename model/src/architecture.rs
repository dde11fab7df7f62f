use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::sparse::SparseShape;

/// The kind of a network and its size; its tensors follow from this and the game.
///
/// Written as `conv 4x64` in exported files and messages, and as a table with the key `kind` in
/// `state.json`.
///
/// ```
/// use garuda_model::{Architecture, ConvShape};
///
/// let architecture = Architecture::Conv(ConvShape::new(4, 64)?);
/// assert_eq!(architecture.to_string(), "conv 4x64");
/// assert_eq!("conv 4x64".parse(), Ok(architecture));
/// # Ok::<(), garuda_model::ArchitectureError>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Architecture {
    /// A residual tower of convolutions.
    Conv(ConvShape),
    /// An integer network of sparse features, for CPUs.
    Sparse(SparseShape),
}

/// The kinds of networks, by the names used in configurations.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkKind {
    #[default]
    Conv,
    Sparse,
}

/// The size of a convolutional network: residual blocks and channels of its tower.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "UncheckedConvShape", into = "UncheckedConvShape")]
pub struct ConvShape {
    blocks: u32,
    channels: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedConvShape {
    blocks: u32,
    channels: u32,
}

impl Architecture {
    pub fn kind(self) -> NetworkKind {
        match self {
            Architecture::Conv(_) => NetworkKind::Conv,
            Architecture::Sparse(_) => NetworkKind::Sparse,
        }
    }
}

impl NetworkKind {
    pub const ALL: [NetworkKind; 2] = [NetworkKind::Conv, NetworkKind::Sparse];

    pub fn name(self) -> &'static str {
        match self {
            NetworkKind::Conv => "conv",
            NetworkKind::Sparse => "sparse",
        }
    }
}

impl fmt::Display for NetworkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ConvShape {
    pub const MAX_BLOCKS: u32 = 40;
    /// Channels come in groups that fill the vector registers of all CPUs.
    pub const CHANNEL_STEP: u32 = 8;
    pub const MAX_CHANNELS: u32 = 512;

    pub fn new(blocks: u32, channels: u32) -> Result<ConvShape, ArchitectureError> {
        if !(1..=Self::MAX_BLOCKS).contains(&blocks) {
            return Err(ArchitectureError::Blocks(blocks));
        }
        if channels == 0
            || channels > Self::MAX_CHANNELS
            || !channels.is_multiple_of(Self::CHANNEL_STEP)
        {
            return Err(ArchitectureError::Channels(channels));
        }
        Ok(ConvShape { blocks, channels })
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

/// The kind, then its size: `conv 4x64` is blocks by channels, `sparse 256x32` width by hidden
/// neurons.
impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind())?;
        match self {
            Architecture::Conv(shape) => write!(f, "{}x{}", shape.blocks, shape.channels),
            Architecture::Sparse(shape) => write!(f, "{}x{}", shape.width(), shape.hidden()),
        }
    }
}

impl FromStr for Architecture {
    type Err = ArchitectureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || ArchitectureError::Text(text.to_owned());
        let (kind, size) = text.split_once(' ').ok_or_else(malformed)?;
        let kind = NetworkKind::ALL
            .into_iter()
            .find(|known| known.name() == kind)
            .ok_or_else(|| ArchitectureError::Kind(kind.to_owned()))?;
        let (first, second) = size.split_once('x').ok_or_else(malformed)?;
        let number = |text: &str| text.parse().map_err(|_| malformed());
        let (first, second) = (number(first)?, number(second)?);
        match kind {
            NetworkKind::Conv => Ok(ConvShape::new(first, second)?.into()),
            NetworkKind::Sparse => Ok(SparseShape::new(first, second)?.into()),
        }
    }
}

impl From<ConvShape> for Architecture {
    fn from(shape: ConvShape) -> Architecture {
        Architecture::Conv(shape)
    }
}

impl From<SparseShape> for Architecture {
    fn from(shape: SparseShape) -> Architecture {
        Architecture::Sparse(shape)
    }
}

impl TryFrom<UncheckedConvShape> for ConvShape {
    type Error = ArchitectureError;

    fn try_from(shape: UncheckedConvShape) -> Result<Self, Self::Error> {
        ConvShape::new(shape.blocks, shape.channels)
    }
}

impl From<ConvShape> for UncheckedConvShape {
    fn from(shape: ConvShape) -> UncheckedConvShape {
        UncheckedConvShape {
            blocks: shape.blocks,
            channels: shape.channels,
        }
    }
}

/// Why something is not an architecture.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ArchitectureError {
    #[error("a network has 1 to {max} blocks, not {0}", max = ConvShape::MAX_BLOCKS)]
    Blocks(u32),
    #[error(
        "a network's channels are a multiple of {step} up to {max}, not {0}",
        step = ConvShape::CHANNEL_STEP,
        max = ConvShape::MAX_CHANNELS
    )]
    Channels(u32),
    #[error(
        "a sparse network has a width of {known:?}, not {0}",
        known = SparseShape::WIDTHS
    )]
    Width(u32),
    #[error("a sparse network has 1 to {max} hidden neurons, not {0}", max = SparseShape::MAX_HIDDEN)]
    Hidden(u32),
    #[error("there is no network of the kind {0:?}; the kinds are {known}", known = kinds())]
    Kind(String),
    #[error(
        "an architecture is written as in \"conv 4x64\" (blocks x channels) or \"sparse 256x32\" (width x hidden neurons), not {0:?}"
    )]
    Text(String),
}

fn kinds() -> String {
    NetworkKind::ALL.map(NetworkKind::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trip() {
        let shape = ConvShape::new(4, 64).unwrap();
        assert_eq!(Architecture::from(shape).to_string(), "conv 4x64");
        for text in ["conv 1x8", "conv 4x64", "conv 40x512", "sparse 256x32"] {
            assert_eq!(text.parse::<Architecture>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_quote_what_was_found() {
        let error = |text: &str| text.parse::<Architecture>().unwrap_err().to_string();
        assert!(error("4x64").contains("\"4x64\""));
        assert!(error("conv 4").contains("\"conv 4\""));
        assert!(error("conv 4xmany").contains("\"conv 4xmany\""));
        assert!(error("dense 4x64").contains("\"dense\"; the kinds are conv"));
        assert!(error("conv 41x64").contains("not 41"));
        assert!(error("conv 4x65").contains("not 65"));
    }
}
