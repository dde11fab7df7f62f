//! A record file as bytes: a header, a checksum, and compressed columns. `docs/run-directory.md`
//! describes the layout byte by byte, and a test holds the code to it.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use thiserror::Error;

use super::GameRecord;

/// What the file is, and the version of the layout.
const MAGIC: [u8; 8] = *b"garuda\x00\x01";
const HASH: usize = 32;
const HEADER: usize = MAGIC.len() + HASH + 4;

/// Version of the layout of record files.
pub const RECORD_VERSION: u32 = MAGIC[MAGIC.len() - 1] as u32;

/// What no record file exceeds, whatever it says of itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct RecordLimits {
    /// Bytes of the file.
    pub file: usize,
    /// Bytes of its content, decompressed.
    pub content: usize,
}

const MAX_FILE: usize = 32 << 20;
const MAX_PAYLOAD: usize = 128 << 20;

impl RecordLimits {
    /// Of files in a run directory.
    const STORED: RecordLimits = RecordLimits {
        file: MAX_FILE,
        content: MAX_PAYLOAD,
    };
}

pub(super) const CODING: Configuration<LittleEndian, Fixint, Limit<MAX_PAYLOAD>> =
    bincode::config::standard()
        .with_fixed_int_encoding()
        .with_limit::<MAX_PAYLOAD>();

const COMPRESSION: i32 = 9;

/// Why bytes are not a record file.
#[derive(Debug, Error)]
pub enum RecordFileError {
    #[error("{0} bytes are more than a record file can have")]
    TooLarge(usize),
    #[error("it does not start like a record file of this version")]
    Magic,
    #[error("the checksum does not match: the file is damaged")]
    Checksum,
    #[error("it claims a content of {0} bytes, more than a record file can have")]
    Claim(usize),
    #[error("its content has {0} bytes, and it claims {1}")]
    Length(usize, usize),
    #[error("it cannot be decompressed: {0}")]
    Compression(std::io::Error),
    #[error("it cannot be decoded: {0}")]
    Decode(String),
    #[error("{0} bytes are left over")]
    Leftover(usize),
    #[error("record {0} has columns of the wrong length or impossible values")]
    Columns(usize),
}

/// The bytes of a record file.
pub fn encode_record_file(records: &[GameRecord]) -> Result<Vec<u8>, RecordFileError> {
    let payload =
        bincode::encode_to_vec(records, CODING).expect("plain columns can always be encoded");
    if payload.len() > MAX_PAYLOAD {
        return Err(RecordFileError::TooLarge(payload.len()));
    }
    let compressed =
        zstd::bulk::compress(&payload, COMPRESSION).map_err(RecordFileError::Compression)?;
    let mut bytes = Vec::with_capacity(HEADER + compressed.len());
    bytes.extend(MAGIC);
    bytes.extend([0; HASH]);
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(compressed);
    if bytes.len() > MAX_FILE {
        return Err(RecordFileError::TooLarge(bytes.len()));
    }
    let hash = blake3::hash(&bytes[MAGIC.len() + HASH..]);
    bytes[MAGIC.len()..][..HASH].copy_from_slice(hash.as_bytes());
    Ok(bytes)
}

/// Reads the records of a file. Memory is bounded whatever the bytes say.
pub fn decode_record_file(bytes: &[u8]) -> Result<Vec<GameRecord>, RecordFileError> {
    decode_bounded_record_file(bytes, RecordLimits::STORED)
}

/// The same with closer limits, for files from strangers.
pub fn decode_bounded_record_file(
    bytes: &[u8],
    limits: RecordLimits,
) -> Result<Vec<GameRecord>, RecordFileError> {
    if bytes.len() > limits.file {
        return Err(RecordFileError::TooLarge(bytes.len()));
    }
    if bytes.len() < HEADER || bytes[..MAGIC.len()] != MAGIC {
        return Err(RecordFileError::Magic);
    }
    let (hash, checked) = bytes[MAGIC.len()..].split_at(HASH);
    if blake3::hash(checked).as_bytes() != hash {
        return Err(RecordFileError::Checksum);
    }
    let (length, compressed) = checked.split_at(4);
    let length = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
    if length > limits.content {
        return Err(RecordFileError::Claim(length));
    }
    let payload =
        zstd::bulk::decompress(compressed, length).map_err(RecordFileError::Compression)?;
    if payload.len() != length {
        return Err(RecordFileError::Length(payload.len(), length));
    }
    let (records, used): (Vec<GameRecord>, usize) = bincode::decode_from_slice(&payload, CODING)
        .map_err(|e| RecordFileError::Decode(e.to_string()))?;
    if used != payload.len() {
        return Err(RecordFileError::Leftover(payload.len() - used));
    }
    match records.iter().position(|record| !record.is_well_formed()) {
        Some(i) => Err(RecordFileError::Columns(i)),
        None => Ok(records),
    }
}

/// No file larger than this need be read.
pub(super) fn is_too_large(length: u64) -> bool {
    length > MAX_FILE as u64
}
