//! Finished games: what a record holds, the files it is kept in, and the proof that it is sound.

mod batch;
mod record;
mod scan;
mod store;
mod verify;

pub use batch::{BatchError, decode_batch, encode_batch};
pub use record::{Decision, DecisionKind, GameHead, GameRecord, PolicyError};
pub use scan::{ScanProgress, Scanned, scan};
pub(crate) use store::is_record_file_name;
pub use store::{Loaded, RecordStore, StoredGame};
pub use verify::{RecordError, verify};
