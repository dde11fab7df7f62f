use std::collections::BTreeMap;

use garuda_rules::Position;
use serde::{Deserialize, Serialize};

use crate::checkpoint_files::STATE;
use crate::hash::sha256;
use crate::sparse::FeatureLayout;
use crate::{Architecture, Encoding, NetworkKind};

/// What a checkpoint belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    pub(super) format: u32,
    pub(super) rules: String,
    pub(super) encoding: String,
    pub(super) architecture: Architecture,
    pub(super) step: u64,
    pub(super) run: String,
    /// The hashes of the other files.
    pub(super) files: BTreeMap<String, String>,
    /// The caller's own.
    pub(super) notes: serde_json::Value,
}

/// The start of the file: the hash of everything after its line.
const OPENING: &str = "{\n  \"checksum\": \"";
const CLOSING: &str = "\",\n";

impl State {
    /// Raised when a checkpoint is laid out differently.
    pub(super) const FORMAT: u32 = 2;

    pub(super) fn encode(&self) -> Vec<u8> {
        let text = serde_json::to_string_pretty(self).expect("a state can be written as JSON");
        let rest = text.strip_prefix("{\n").expect("a state has fields");
        let checksum = sha256(rest.as_bytes());
        format!("{OPENING}{checksum}{CLOSING}{rest}").into_bytes()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<State, String> {
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
    pub(super) fn differences<P: Position>(&self) -> Vec<String> {
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
