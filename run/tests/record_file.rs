//! The bytes of a record file, as `docs/run-directory.md` describes them.

use std::fs;
use std::path::Path;

use garuda_mcts::Wdl;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, GameState, Move, Outcome, Termination};
use garuda_run::records::{
    Decision, DecisionKind, GameHead, GameRecord, decode_record_file, encode_record_file,
};

/// Writes the payload by the tables of the page, without the code under test.
#[derive(Default)]
struct Payload(Vec<u8>);

impl Payload {
    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    fn length(self, length: usize) -> Self {
        self.bytes(&(length as u64).to_le_bytes())
    }

    fn list(self, elements: &[u8]) -> Self {
        self.length(elements.len()).bytes(elements)
    }

    fn list_of_u16(self, elements: &[u16]) -> Self {
        let bytes: Vec<u8> = elements.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.length(elements.len()).bytes(&bytes)
    }
}

const START: &str = "rpckcpl/3f3/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR[] w - - 0 1";

/// A game of two moves that is well formed, whatever the rules say of its end.
fn record() -> (GameRecord, [u16; 3]) {
    let mut game = GameState::<ToriPosition>::from_fen(START).unwrap();
    let moves = ["e4e5", "a7a6"].map(|text| game.play_uci(text).unwrap());
    let other = Move::from_code(moves[0].code() ^ 1);
    let decisions = [
        Decision {
            mv: moves[0],
            kind: DecisionKind::Searched,
            wdl: Wdl {
                win: 0.6,
                draw: 0.2,
                loss: 0.2,
            },
            // e^(−9/24) and e^(−28/24), to the nearest codes.
            policy: vec![(other, 0.3114), (moves[0], 0.6873)],
        },
        Decision {
            mv: moves[1],
            kind: DecisionKind::Unsearched,
            wdl: Wdl {
                win: 0.0,
                draw: 1.0,
                loss: 0.0,
            },
            policy: Vec::new(),
        },
    ];
    let head = GameHead {
        rules: "torishogi".to_owned(),
        start: START.to_owned(),
        checkpoint: 0x0102_0304,
        number: 0x1112_1314_1516_1718,
        sides: [0x0102_0304, 0x0a0b_0c0d],
        seed: 0x2122_2324_2526_2728,
    };
    let outcome = Outcome::win(Color::Black, Termination::Checkmate);
    let record = GameRecord::new(head, &decisions, outcome).unwrap();
    (record, [moves[0].code(), moves[1].code(), other.code()])
}

fn payload() -> Vec<u8> {
    let (_, [first, second, other]) = record();
    Payload::default()
        .length(1)
        .list(b"torishogi")
        .list(START.as_bytes())
        .bytes(&[4, 3, 2, 1])
        .bytes(&[0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11])
        .bytes(&[4, 3, 2, 1, 0x0d, 0x0c, 0x0b, 0x0a])
        .bytes(&[0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21])
        .bytes(&[0xff])
        .list(b"checkmate")
        .list_of_u16(&[first, second])
        .list(&[1, 0])
        .list(&[153, 0])
        .list(&[51, 255])
        .list(&[2, 0])
        .list_of_u16(&[first, other])
        .list(&[9, 28])
        .0
}

fn file(payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    let compressed = zstd::bulk::compress(payload, 3).unwrap();
    let checked = [&length[..], &compressed].concat();
    let hash = blake3::hash(&checked);
    [&b"garuda\x00\x01"[..], hash.as_bytes(), &checked].concat()
}

#[test]
fn bytes_are_as_documented() {
    let (record, _) = record();
    let written = encode_record_file(std::slice::from_ref(&record)).unwrap();
    assert_eq!(written[..8], *b"garuda\x00\x01");
    assert_eq!(written[8..40], *blake3::hash(&written[40..]).as_bytes());
    let length = u32::from_le_bytes(written[40..44].try_into().unwrap()) as usize;
    let found = zstd::bulk::decompress(&written[44..], 1 << 20).unwrap();
    assert_eq!(found.len(), length);
    assert_eq!(found, payload());
    // However it was compressed.
    assert_eq!(decode_record_file(&file(&payload())).unwrap(), [record]);
}

/// A file that an earlier build wrote: it must be readable for as long as the version of the layout
/// stays.
#[test]
fn a_file_of_an_earlier_build_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.games");
    assert_eq!(
        decode_record_file(&fs::read(path).unwrap()).unwrap(),
        [record().0]
    );
}
