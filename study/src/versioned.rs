//! Reports in files carry a version: a program reads those that it would write itself.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Report data with a field `version`, stored as JSON.
pub trait VersionedReport: Serialize + DeserializeOwned {
    /// The version that this program writes and reads.
    const VERSION: u32;

    fn from_json(json: &[u8]) -> Result<Self, ReportError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let Head { version } = serde_json::from_slice(json)?;
        if version != Self::VERSION {
            return Err(ReportError::Version {
                found: version,
                expected: Self::VERSION,
            });
        }
        Ok(serde_json::from_slice(json)?)
    }

    /// The text of a JSON file.
    fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("report data is valid JSON") + "\n"
    }
}

/// Why a text cannot be read as a report.
#[derive(Debug, Error)]
pub enum ReportError {
    #[error("not a report: {0}")]
    Json(#[from] serde_json::Error),
    #[error(
        "the report has version {found}, but this program reads version {expected}: run the command that writes it again"
    )]
    Version { found: u32, expected: u32 },
}
