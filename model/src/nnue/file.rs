//! The file: little endian, uncompressed, one fixed architecture.

use super::error::NnueFileError;
use super::layout::NnueLayout;
use super::network::{HIDDEN_1, HIDDEN_2, NnueNetwork, NnueStack, PADDED_1, STACKS, WIDTH};

/// What the engine reads the file's kind from.
const VERSION: u32 = 0x7AF3_2F20;
const NETWORK_HASH: u32 = 0x3C10_3E72;
const FEATURES_HASH: u32 = 0x5F23_48B8;
const STACK_HASH: u32 = 0x6333_76CA;
/// Longer descriptions are refused.
pub(super) const MAX_DESCRIPTION: usize = 1 << 16;

/// Version, hash and length of the description.
const HEADER: usize = 12;
const STACK_BYTES: usize =
    4 + HIDDEN_1 * 4 + HIDDEN_1 * 2 * WIDTH + HIDDEN_2 * 4 + HIDDEN_2 * PADDED_1 + 4 + HIDDEN_2;

impl NnueNetwork {
    /// Number of bytes of a file for a number of features.
    pub fn file_len(features: usize, description: usize) -> usize {
        HEADER
            + description
            + 4
            + WIDTH * 2
            + features * (WIDTH * 2 + STACKS * 4)
            + STACKS * STACK_BYTES
    }

    /// The file. Equal networks give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let features = self.psqt.len() / STACKS;
        let mut out = Vec::with_capacity(Self::file_len(features, self.description.len()));
        let number = |out: &mut Vec<u8>, n: u32| out.extend_from_slice(&n.to_le_bytes());
        number(&mut out, VERSION);
        number(&mut out, NETWORK_HASH);
        number(&mut out, self.description.len() as u32);
        out.extend_from_slice(self.description.as_bytes());
        number(&mut out, FEATURES_HASH);
        out.extend(self.bias.iter().flat_map(|n| n.to_le_bytes()));
        out.extend(self.rows.iter().flat_map(|n| n.to_le_bytes()));
        out.extend(self.psqt.iter().flat_map(|n| n.to_le_bytes()));
        for stack in &self.stacks {
            number(&mut out, STACK_HASH);
            out.extend(stack.bias_1.iter().flat_map(|n| n.to_le_bytes()));
            out.extend(stack.weights_1.iter().map(|&n| n as u8));
            out.extend(stack.bias_2.iter().flat_map(|n| n.to_le_bytes()));
            out.extend(stack.weights_2.iter().map(|&n| n as u8));
            out.extend_from_slice(&stack.bias_3.to_le_bytes());
            out.extend(stack.weights_3.iter().map(|&n| n as u8));
        }
        out
    }

    /// Reads a file for a game. Refuses what the engine would refuse, and a file of another length.
    pub fn from_bytes(layout: &NnueLayout, bytes: &[u8]) -> Result<NnueNetwork, NnueFileError> {
        Self::read(layout.game(), layout.features(), bytes)
    }

    /// Reads a file for a game with a number of features.
    pub fn read(
        game: &'static str,
        features: usize,
        bytes: &[u8],
    ) -> Result<NnueNetwork, NnueFileError> {
        let truncated = |expected| NnueFileError::Truncated {
            game,
            expected,
            found: bytes.len(),
        };
        let shortest = Self::file_len(features, 0);
        let mut reader = Reader(bytes);
        if bytes.len() < HEADER {
            return Err(truncated(shortest));
        }
        reader.expect("the version", VERSION)?;
        reader.expect("the hash", NETWORK_HASH)?;
        let length = reader.u32() as usize;
        if length > MAX_DESCRIPTION {
            return Err(NnueFileError::LongDescription(length));
        }
        let expected = shortest + length;
        if bytes.len() < expected {
            return Err(truncated(expected));
        }
        if bytes.len() > expected {
            return Err(NnueFileError::TooLong(bytes.len() - expected));
        }
        // From here on the reader has all that it is asked for.
        let description = String::from_utf8_lossy(reader.take(length)).into_owned();
        reader.expect("the hash of the features", FEATURES_HASH)?;
        let bias = reader.i16s(WIDTH);
        let rows = reader.i16s(features * WIDTH);
        let psqt = reader.i32s(features * STACKS);
        let mut stacks = Vec::with_capacity(STACKS);
        for number in 0..STACKS {
            reader.expect("the hash of a stack", STACK_HASH)?;
            let stack = NnueStack {
                bias_1: reader.i32s(HIDDEN_1),
                weights_1: reader.i8s(HIDDEN_1 * 2 * WIDTH),
                bias_2: reader.i32s(HIDDEN_2),
                weights_2: reader.i8s(HIDDEN_2 * PADDED_1),
                bias_3: reader.u32() as i32,
                weights_3: reader.i8s(HIDDEN_2),
            };
            check_padding(number, &stack)?;
            stacks.push(stack);
        }
        Ok(NnueNetwork {
            description,
            bias,
            rows,
            psqt,
            stacks,
        })
    }
}

/// The engine would multiply these weights by what happens to lie behind the 16 inputs.
fn check_padding(stack: usize, layers: &NnueStack) -> Result<(), NnueFileError> {
    for (output, row) in layers.weights_2.chunks_exact(PADDED_1).enumerate() {
        let padding = row[HIDDEN_1..].iter().position(|&weight| weight != 0);
        if let Some(place) = padding {
            return Err(NnueFileError::Padding {
                stack,
                output,
                input: HIDDEN_1 + place,
                weight: row[HIDDEN_1 + place],
            });
        }
    }
    Ok(())
}

/// Reads bytes of which there are known to be enough.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn u32(&mut self) -> u32 {
        let bytes = self.take(4).try_into().expect("four were taken");
        u32::from_le_bytes(bytes)
    }

    fn expect(&mut self, what: &'static str, expected: u32) -> Result<(), NnueFileError> {
        let found = self.u32();
        if found == expected {
            return Ok(());
        }
        Err(NnueFileError::Number {
            what,
            expected,
            found,
        })
    }

    fn i8s(&mut self, count: usize) -> Vec<i8> {
        self.take(count).iter().map(|&byte| byte as i8).collect()
    }

    fn i16s(&mut self, count: usize) -> Vec<i16> {
        let (chunks, _) = self.take(2 * count).as_chunks();
        chunks.iter().map(|&two| i16::from_le_bytes(two)).collect()
    }

    fn i32s(&mut self, count: usize) -> Vec<i32> {
        let (chunks, _) = self.take(4 * count).as_chunks();
        (chunks.iter())
            .map(|&four| i32::from_le_bytes(four))
            .collect()
    }
}
