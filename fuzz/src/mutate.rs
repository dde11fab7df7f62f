//! Inputs that are nearly sound.

use std::ops::Range;

use rand::{Rng, RngExt};

/// What readers like to stumble over.
const PIECES: [&[u8]; 16] = [
    b"0",
    b"-1",
    b"1e999",
    b"18446744073709551615",
    b"null",
    b"[]",
    b"{}",
    b"\"",
    b"\n",
    b" ",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    "é".as_bytes(),
    "\u{202e}".as_bytes(),
    b"../",
];

/// A file of the corpus with a few changes, or bytes from nowhere.
pub(crate) fn mutated(corpus: &[Vec<u8>], longest: usize, rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = match corpus.is_empty() || rng.random_ratio(1, 16) {
        true => random_bytes(longest.min(64), rng),
        false => corpus[rng.random_range(..corpus.len())].clone(),
    };
    for _ in 0..1 << rng.random_range(0..4) {
        change(&mut bytes, corpus, rng);
    }
    bytes.truncate(longest);
    bytes
}

fn change(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], rng: &mut impl Rng) {
    let place = rng.random_range(..=bytes.len());
    match rng.random_range(0..8) {
        0 => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= 1 << rng.random_range(0..8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte = rng.random();
            }
        }
        2 => {
            // Another character of the same kind: digits stay digits.
            if let Some(byte) = bytes.get_mut(place) {
                *byte = match *byte {
                    b'0'..=b'9' => rng.random_range(b'0'..=b'9'),
                    b'a'..=b'z' => rng.random_range(b'a'..=b'z'),
                    b'A'..=b'Z' => rng.random_range(b'A'..=b'Z'),
                    _ => rng.random_range(b' '..=b'~'),
                };
            }
        }
        3 => drop(bytes.drain(part(bytes.len(), rng))),
        4 => {
            let copy = bytes[part(bytes.len(), rng)].to_vec();
            insert(bytes, place, &copy);
        }
        5 => insert(bytes, place, PIECES[rng.random_range(..PIECES.len())]),
        6 => insert(bytes, place, &random_bytes(8, rng)),
        _ => {
            if let Some(other) = corpus.get(rng.random_range(..corpus.len().max(1))) {
                insert(bytes, place, &other[part(other.len(), rng)]);
            }
        }
    }
}

fn insert(bytes: &mut Vec<u8>, place: usize, what: &[u8]) {
    bytes.splice(place..place, what.iter().copied());
}

/// A part of something, short ones more often than long ones.
fn part(length: usize, rng: &mut impl Rng) -> Range<usize> {
    let start = rng.random_range(..=length);
    let most = (length - start).min(1 << rng.random_range(0..12));
    start..start + rng.random_range(..=most)
}

fn random_bytes(most: usize, rng: &mut impl Rng) -> Vec<u8> {
    (0..rng.random_range(..=most))
        .map(|_| rng.random())
        .collect()
}
