//! The size of an ONNX file apart from its weights, found without decoding it.
//!
//! Weights are decoded to what they are in the file, but a message of two bytes becomes a hundred:
//! a small file could exhaust memory.

/// The largest structure that is decoded. The largest convolutional network has a tenth of it.
pub const MAX_BYTES: usize = 1 << 20;

/// Tags of the fields on the path to the weights, see `proto.rs`.
const GRAPH: u64 = 7;
const INITIALIZER: u64 = 5;
const RAW_DATA: u64 = 9;

/// Number of bytes in a file that are not the data of its tensors.
pub fn structure_len(model: &[u8]) -> usize {
    let data: usize = fields(model, GRAPH)
        .flat_map(|graph| fields(graph, INITIALIZER))
        .flat_map(|tensor| fields(tensor, RAW_DATA))
        .map(<[u8]>::len)
        .sum();
    model.len() - data
}

/// The contents of a message's length-delimited fields of this tag, up to its end or to what is not
/// protobuf.
fn fields(mut message: &[u8], wanted: u64) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        loop {
            let (tag, contents) = next_field(&mut message)?;
            if tag == wanted {
                return Some(contents);
            }
        }
    })
}

/// The tag and contents of the first field, which is cut off the message.
fn next_field<'a>(message: &mut &'a [u8]) -> Option<(u64, &'a [u8])> {
    let key = varint(message)?;
    let length = match key & 7 {
        0 => {
            varint(message)?;
            0
        }
        1 => 8,
        2 => usize::try_from(varint(message)?).ok()?,
        5 => 4,
        _ => return None,
    };
    let (contents, rest) = message.split_at_checked(length)?;
    *message = rest;
    // The other wire types hold numbers.
    let tag = key >> 3;
    Some((tag, if key & 7 == 2 { contents } else { &[] }))
}

fn varint(message: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = message.split_first()?;
        *message = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::super::proto;
    use super::*;

    #[test]
    fn only_the_data_of_tensors_is_left_out() {
        let tensor = |length| proto::Tensor {
            dims: vec![2, 3],
            name: "weights".to_owned(),
            raw_data: vec![1; length],
            ..Default::default()
        };
        let model = |lengths: [usize; 2]| {
            let graph = proto::Graph {
                node: vec![proto::Node::default(); 3],
                initializer: lengths.map(tensor).to_vec(),
                name: "graph".to_owned(),
                ..Default::default()
            };
            let model = proto::Model {
                ir_version: 8,
                graph: Some(graph),
                ..Default::default()
            };
            model.encode_to_vec()
        };
        let small = structure_len(&model([1, 1]));
        assert_eq!(model([1, 1]).len() - small, 2);
        // Only the lengths themselves take more bytes.
        assert!(structure_len(&model([1_000, 100_000])) <= small + 12);
        // From what cannot be read on, everything counts.
        let cut = &model([1_000, 100_000])[..90_000];
        assert_eq!(structure_len(cut), cut.len());
        assert_eq!(structure_len(&[0xff; 100]), 100);
        assert_eq!(structure_len(&[]), 0);
    }
}
