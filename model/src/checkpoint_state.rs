use std::collections::BTreeMap;

use garuda_rules::Position;
use serde::{Deserialize, Serialize};

use crate::checkpoint_files::STATE;
use crate::hash::sha256;
use crate::sparse::FeatureLayout;
use crate::{Architecture, Encoding, NetworkKind};

/// `state.json` of a checkpoint: what the checkpoint belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointState {
    pub format: u32,
    pub rules: String,
    pub encoding: String,
    pub architecture: Architecture,
    pub step: u64,
    pub run: String,
    /// The hashes of the other files.
    pub files: BTreeMap<String, String>,
    /// The caller's own.
    pub notes: serde_json::Value,
}

/// The start of the file: the hash of everything after its line.
const OPENING: &str = "{\n  \"checksum\": \"";
const CLOSING: &str = "\",\n";

impl CheckpointState {
    /// Raised when a checkpoint is laid out differently.
    pub const FORMAT: u32 = 2;

    /// The file, with a checksum of itself.
    pub fn encode(&self) -> Vec<u8> {
        let text = serde_json::to_string_pretty(self).expect("a state can be written as JSON");
        let rest = text.strip_prefix("{\n").expect("a state has fields");
        let checksum = sha256(rest.as_bytes());
        format!("{OPENING}{checksum}{CLOSING}{rest}").into_bytes()
    }

    /// Reads the file. The error says what is wrong with it.
    pub fn decode(bytes: &[u8]) -> Result<CheckpointState, String> {
        let damaged = |what: &str| format!("{STATE} is damaged: {what}");
        let text = str::from_utf8(bytes).map_err(|_| damaged("it is not UTF-8"))?;
        let rest = text
            .strip_prefix(OPENING)
            .and_then(|text| text.split_once(CLOSING))
            .filter(|(checksum, rest)| *checksum == sha256(rest.as_bytes()))
            .map(|(_, rest)| rest)
            .ok_or_else(|| damaged("its checksum is wrong"))?;
        serde_json::from_str(&format!("{{{rest}")).map_err(|error| damaged(&error.to_string()))
    }

    /// What keeps this from being a checkpoint of a game as this program plays it.
    pub fn differences<P: Position>(&self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.format != Self::FORMAT {
            let (found, known) = (self.format, Self::FORMAT);
            differences.push(format!("it has format {found}, this program knows {known}"));
        }
        if self.rules != P::NAME {
            let (found, wanted) = (&self.rules, P::NAME);
            differences.push(format!("it is of the game {found}, not {wanted}"));
        } else if let Some(difference) = self.encoding_difference::<P>() {
            differences.push(format!("it has another encoding: {difference}"));
        }
        differences
    }

    fn encoding_difference<P: Position>(&self) -> Option<String> {
        match self.architecture.kind() {
            NetworkKind::Conv => Encoding::of::<P>().difference(&self.encoding),
            NetworkKind::Sparse => {
                let wanted = FeatureLayout::of::<P>().describe();
                (self.encoding != wanted)
                    .then(|| format!("{:?} instead of {wanted:?}", self.encoding))
            }
        }
    }
}
