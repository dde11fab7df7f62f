use garuda_rules::{Position, RuleSet, UnknownRuleSet};

use crate::sparse::FeatureLayout;
use crate::{Architecture, Encoding, NetworkError};

/// The metadata of an exported network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkInfo {
    /// The name of the game it plays.
    pub rules: String,
    pub encoding_version: u32,
    /// The description of its inputs and actions, see [`Encoding::describe`].
    pub encoding: String,
    pub architecture: Architecture,
    /// Number of training steps behind it.
    pub step: u64,
    /// The run it comes from.
    pub run: String,
    /// SHA-256 of the network without its metadata, in hexadecimal.
    pub hash: String,
}

const RULES: &str = "garuda.rules";
const ENCODING_VERSION: &str = "garuda.encoding_version";
const ENCODING: &str = "garuda.encoding";
const ARCHITECTURE: &str = "garuda.architecture";
const STEP: &str = "garuda.step";
const RUN: &str = "garuda.run";
const HASH: &str = "garuda.hash";

impl NetworkInfo {
    /// The rule set that it plays, if that is in the table.
    pub fn rule_set(&self) -> Result<RuleSet, UnknownRuleSet> {
        self.rules.parse()
    }

    /// Reads the metadata of a file, whose value for a key is `get(key)`, and checks that `hash` is
    /// the one it was exported with.
    pub(crate) fn from_metadata<'a>(
        get: impl Fn(&str) -> Option<&'a str>,
        hash: String,
    ) -> Result<NetworkInfo, NetworkError> {
        let get = |key| get(key).ok_or(NetworkError::NoMetadata(key));
        let info = NetworkInfo {
            rules: get(RULES)?.to_owned(),
            encoding_version: number(ENCODING_VERSION, get(ENCODING_VERSION)?)?,
            encoding: get(ENCODING)?.to_owned(),
            architecture: get(ARCHITECTURE)?.parse()?,
            step: number(STEP, get(STEP)?)?,
            run: get(RUN)?.to_owned(),
            hash: get(HASH)?.to_owned(),
        };
        if hash != info.hash {
            return Err(NetworkError::Hash {
                expected: info.hash,
                found: hash,
            });
        }
        Ok(info)
    }

    /// The keys and values that a file stores.
    pub(crate) fn metadata(&self) -> [(&'static str, String); 7] {
        [
            (RULES, self.rules.clone()),
            (ENCODING_VERSION, self.encoding_version.to_string()),
            (ENCODING, self.encoding.clone()),
            (ARCHITECTURE, self.architecture.to_string()),
            (STEP, self.step.to_string()),
            (RUN, self.run.clone()),
            (HASH, self.hash.clone()),
        ]
    }

    /// Refuses a network of another game or encoding than the planes of `P`.
    pub(crate) fn expect<P: Position>(&self) -> Result<(), NetworkError> {
        if self.rules != P::NAME {
            return Err(NetworkError::OtherGame {
                wanted: P::NAME,
                found: self.rules.clone(),
            });
        }
        match Encoding::of::<P>().difference(&self.encoding) {
            Some(difference) => Err(NetworkError::OtherEncoding {
                wanted: Encoding::VERSION,
                found: self.encoding_version,
                difference,
            }),
            None => Ok(()),
        }
    }

    /// Refuses a network of another game, or one that looks at other features than `layout` has.
    pub(crate) fn expect_features(&self, layout: &FeatureLayout) -> Result<(), NetworkError> {
        if self.rules != layout.game() {
            return Err(NetworkError::OtherGame {
                wanted: layout.game(),
                found: self.rules.clone(),
            });
        }
        if self.encoding == layout.describe() {
            return Ok(());
        }
        Err(NetworkError::OtherEncoding {
            wanted: FeatureLayout::VERSION,
            found: self.encoding_version,
            difference: format!("{:?} instead of {:?}", self.encoding, layout.describe()),
        })
    }
}

fn number<N: std::str::FromStr>(key: &'static str, value: &str) -> Result<N, NetworkError> {
    value.parse().map_err(|_| NetworkError::Metadata {
        key,
        value: value.to_owned(),
    })
}
