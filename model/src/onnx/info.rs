use garuda_rules::RuleSet;
use prost::Message;

use super::ModelError;
use super::proto::{Entry, Graph};
use crate::hash::sha256;
use crate::{Architecture, Encode, Encoding};

/// What an exported network says about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelInfo {
    pub rules: RuleSet,
    pub encoding_version: u32,
    /// The description of its inputs and actions, see [`Encoding::describe`].
    pub encoding: String,
    pub architecture: Architecture,
    /// Training steps behind it.
    pub step: u64,
    /// The run it comes from.
    pub run: String,
    /// SHA-256 of the network itself, in hexadecimal.
    pub hash: String,
}

const RULES: &str = "garuda.rules";
const ENCODING_VERSION: &str = "garuda.encoding_version";
const ENCODING: &str = "garuda.encoding";
const ARCHITECTURE: &str = "garuda.architecture";
const STEP: &str = "garuda.step";
const RUN: &str = "garuda.run";
const HASH: &str = "garuda.hash";

impl ModelInfo {
    /// Reads the metadata of a network and checks its hash.
    pub(super) fn read(entries: &[Entry], graph: &Graph) -> Result<ModelInfo, ModelError> {
        let get = |key| {
            let entry = entries.iter().find(|entry| entry.key == key);
            entry
                .map(|entry| entry.value.clone())
                .ok_or(ModelError::NoMetadata(key))
        };
        let info = ModelInfo {
            rules: get(RULES)?.parse()?,
            encoding_version: number(ENCODING_VERSION, get(ENCODING_VERSION)?)?,
            encoding: get(ENCODING)?,
            architecture: get(ARCHITECTURE)?.parse()?,
            step: number(STEP, get(STEP)?)?,
            run: get(RUN)?,
            hash: get(HASH)?,
        };
        let found = hash_of(graph);
        if found != info.hash {
            return Err(ModelError::Hash {
                expected: info.hash,
                found,
            });
        }
        Ok(info)
    }

    #[cfg(feature = "torch")]
    pub(crate) fn entries(&self) -> Vec<Entry> {
        [
            (RULES, self.rules.to_string()),
            (ENCODING_VERSION, self.encoding_version.to_string()),
            (ENCODING, self.encoding.clone()),
            (ARCHITECTURE, self.architecture.to_string()),
            (STEP, self.step.to_string()),
            (RUN, self.run.clone()),
            (HASH, self.hash.clone()),
        ]
        .map(|(key, value)| Entry {
            key: key.to_owned(),
            value,
        })
        .into()
    }

    /// Refuses a network of another game, or one that sees positions in another way.
    pub(crate) fn expect<P: Encode>(&self) -> Result<(), ModelError> {
        let (wanted, found) = (P::RULES, self.rules);
        if found != wanted {
            return Err(ModelError::OtherGame { wanted, found });
        }
        match Encoding::of::<P>().difference(&self.encoding) {
            Some(difference) => Err(ModelError::OtherEncoding {
                wanted: Encoding::VERSION,
                found: self.encoding_version,
                difference,
            }),
            None => Ok(()),
        }
    }
}

fn number<N: std::str::FromStr>(key: &'static str, value: String) -> Result<N, ModelError> {
    value
        .parse()
        .map_err(|_| ModelError::Metadata { key, value })
}

/// The hash of a network, whoever wrote it and when.
pub(crate) fn hash_of(graph: &Graph) -> String {
    sha256(&graph.encode_to_vec())
}
