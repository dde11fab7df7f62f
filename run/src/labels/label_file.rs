//! A label file as bytes. `docs/nnue.md` describes the layout byte by byte, and a test holds the code
//! to it.

use garuda_model::nnue::{NnueLayout, NnuePosition};
use thiserror::Error;

/// What the file is, and the version of the layout.
const MAGIC: [u8; 8] = *b"garuda\x01\x01";
const HASH: usize = 32;
const HEADER: usize = MAGIC.len() + HASH + 4;
/// No label file is larger, whatever it says of itself: compressed, and decompressed.
const MAX_FILE: usize = 16 << 20;
const MAX_PAYLOAD: usize = 32 << 20;
const COMPRESSION: i32 = 3;
/// Bytes of a label besides its position.
const REST: usize = 9;
/// The result of a position whose game did not go on to it.
const NO_RESULT: i8 = 2;

/// A position, what a search gives it, and how its game ended; both for the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub position: NnuePosition,
    /// Number of the game that the position belongs to, to hold out whole games.
    pub game: u32,
    /// The search's chances in 1/65535.
    pub win: u16,
    pub draw: u16,
    /// 1 a win, 0 a draw, −1 a loss; `None` for a position that was not played.
    pub result: Option<i8>,
}

impl Label {
    /// The search's expected score, from 0 to 1.
    pub fn value(&self) -> f32 {
        (f32::from(self.win) + f32::from(self.draw) / 2.0) / 65535.0
    }
}

/// Why bytes are not a label file.
#[derive(Debug, Error)]
pub enum LabelFileError {
    #[error("{0} bytes are more than a label file can have")]
    TooLarge(usize),
    #[error("it does not start like a label file of this version")]
    Magic,
    #[error("the checksum does not match: the file is damaged")]
    Checksum,
    #[error("it claims a content of {0} bytes, more than a label file can have")]
    Claim(usize),
    #[error("it cannot be decompressed: {0}")]
    Compression(std::io::Error),
    #[error("its {found} bytes are no number of labels of {each} bytes")]
    Length { found: usize, each: usize },
    #[error("label {0} has a position, chances or a result that cannot be")]
    Content(usize),
}

/// The bytes of a label file.
pub fn encode_label_file(layout: &NnueLayout, labels: &[Label]) -> Result<Vec<u8>, LabelFileError> {
    let mut payload = Vec::with_capacity(labels.len() * label_len(layout));
    for label in labels {
        label.position.write(layout, &mut payload);
        payload.extend(label.game.to_le_bytes());
        payload.extend(label.win.to_le_bytes());
        payload.extend(label.draw.to_le_bytes());
        payload.extend(label.result.unwrap_or(NO_RESULT).to_le_bytes());
    }
    if payload.len() > MAX_PAYLOAD {
        return Err(LabelFileError::TooLarge(payload.len()));
    }
    let compressed =
        zstd::bulk::compress(&payload, COMPRESSION).map_err(LabelFileError::Compression)?;
    let mut checked = (payload.len() as u32).to_le_bytes().to_vec();
    checked.extend(compressed);
    let hash = blake3::hash(&checked);
    let bytes = [&MAGIC[..], hash.as_bytes(), &checked].concat();
    match bytes.len() > MAX_FILE {
        true => Err(LabelFileError::TooLarge(bytes.len())),
        false => Ok(bytes),
    }
}

/// Reads the labels of a file of a game. Memory is bounded whatever the bytes say.
pub fn decode_label_file(layout: &NnueLayout, bytes: &[u8]) -> Result<Vec<Label>, LabelFileError> {
    if bytes.len() > MAX_FILE {
        return Err(LabelFileError::TooLarge(bytes.len()));
    }
    if bytes.len() < HEADER || bytes[..MAGIC.len()] != MAGIC {
        return Err(LabelFileError::Magic);
    }
    let (hash, checked) = bytes[MAGIC.len()..].split_at(HASH);
    if blake3::hash(checked).as_bytes() != hash {
        return Err(LabelFileError::Checksum);
    }
    let (length, compressed) = checked.split_at(4);
    let length = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
    if length > MAX_PAYLOAD {
        return Err(LabelFileError::Claim(length));
    }
    let payload =
        zstd::bulk::decompress(compressed, length).map_err(LabelFileError::Compression)?;
    let each = label_len(layout);
    if payload.len() != length || !length.is_multiple_of(each) {
        return Err(LabelFileError::Length {
            found: payload.len(),
            each,
        });
    }
    (payload.chunks_exact(each).enumerate())
        .map(|(i, bytes)| read_label(layout, bytes).ok_or(LabelFileError::Content(i)))
        .collect()
}

fn label_len(layout: &NnueLayout) -> usize {
    NnuePosition::encoded_len(layout) + REST
}

fn read_label(layout: &NnueLayout, bytes: &[u8]) -> Option<Label> {
    let (position, rest) = bytes.split_at(NnuePosition::encoded_len(layout));
    let &[g0, g1, g2, g3, w0, w1, d0, d1, result] = rest else {
        return None;
    };
    let (win, draw) = (u16::from_le_bytes([w0, w1]), u16::from_le_bytes([d0, d1]));
    win.checked_add(draw)?;
    Some(Label {
        position: NnuePosition::read(layout, position)?,
        game: u32::from_le_bytes([g0, g1, g2, g3]),
        win,
        draw,
        result: match result as i8 {
            NO_RESULT => None,
            result @ -1..=1 => Some(result),
            _ => return None,
        },
    })
}

/// No file larger than this need be read.
pub(super) const MAX_BYTES: u64 = MAX_FILE as u64;
