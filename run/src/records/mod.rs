//! Finished games: what a record holds, the files it is kept in, and the proof that it is sound.

mod record;
mod record_file;
mod scan;
mod store;
mod verify;

pub use record::{Decision, DecisionKind, GameHead, GameRecord, PolicyError};
pub use record_file::{
    RECORD_VERSION, RecordFileError, RecordLimits, decode_bounded_record_file, decode_record_file,
    encode_record_file,
};
pub use scan::{ScanProgress, Scanned, scan};
pub(crate) use store::is_record_file_name;
pub use store::{Loaded, RecordStore, StoredGame, read_record_file, record_files};
pub use verify::{RecordError, verify};
