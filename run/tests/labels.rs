//! Label files: the layout, damage, and directories that continue.

use std::fs;

use garuda_model::nnue::{NnueLayout, NnuePosition};
use garuda_rules::Position;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;
use garuda_run::labels::{Label, LabelDir, LabelSource, decode_label_file, encode_label_file};

fn layout() -> NnueLayout {
    NnueLayout::of::<ToriPosition>().unwrap()
}

fn labels() -> Vec<Label> {
    let fen = "3k3/7/7/7/7/7/3K3[SSp] b - - 0 1";
    let position = NnuePosition::of(&layout(), &fen.parse::<ToriPosition>().unwrap()).unwrap();
    let label = Label {
        position,
        game: 0x0403_0201,
        win: 0x2211,
        draw: 0x4433,
        result: Some(-1),
    };
    let start = NnuePosition::of(&layout(), &ToriPosition::start()).unwrap();
    let unplayed = Label {
        position: start,
        result: None,
        ..label
    };
    vec![label, unplayed]
}

/// The layout of docs/nnue.md.
#[test]
fn files_are_laid_out_as_documented() {
    let bytes = encode_label_file(&layout(), &labels()).unwrap();
    assert_eq!(&bytes[..8], b"garuda\x01\x01");
    assert_eq!(&bytes[8..40], blake3::hash(&bytes[40..]).as_bytes());
    let payload = zstd::bulk::decompress(&bytes[44..], 1 << 20).unwrap();
    assert_eq!(bytes[40..44], (payload.len() as u32).to_le_bytes());
    assert_eq!(payload.len(), 2 * (49 + 16 + 1 + 9));
    let mut expected = vec![0; 49];
    expected[3] = 1 + 2 * 8;
    expected[45] = 1 + 2 * 8 + 1;
    // Hands by the engine's order of types: S F C L R P +S +F.
    expected.extend([2, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend([0, 0, 0, 0, 0, 1, 0, 0]);
    expected.push(1);
    expected.extend([1, 2, 3, 4, 0x11, 0x22, 0x33, 0x44, 0xff]);
    assert_eq!(payload[..75], expected);
    assert_eq!(payload[149], 2);
    assert_eq!(decode_label_file(&layout(), &bytes).unwrap(), labels());
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let bytes = encode_label_file(&layout(), &labels()).unwrap();
    let refused = |bytes: &[u8], words: &str| {
        let error = decode_label_file(&layout(), bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(&[], "does not start like");
    refused(&bytes[..bytes.len() - 1], "checksum");
    for place in [8, 41, 60] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        refused(&damaged, "checksum");
    }
    let makruk = NnueLayout::of::<MakrukPosition>().unwrap();
    let error = decode_label_file(&makruk, &bytes).unwrap_err().to_string();
    assert!(error.contains("no number of labels"), "{error}");
}

#[test]
fn directories_continue_with_the_same_source_only() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("labels");
    let source = LabelSource {
        rules: "torishogi".to_owned(),
        labeller: "a network".to_owned(),
        successors: 2,
        games: vec![("00000000.games".to_owned(), "ab".to_owned())],
        files: 3,
    };
    let dir = LabelDir::open_or_create(&path, &source).unwrap();
    dir.write(&layout(), 1, &labels()).unwrap();
    fs::write(path.join("00000002.labels.tmp"), "cut off").unwrap();
    let dir = LabelDir::open_or_create(&path, &source).unwrap();
    assert_eq!(dir.numbers().unwrap(), [1]);
    assert!(dir.has(1) && !dir.has(2));
    assert!(!path.join("00000002.labels.tmp").exists());
    assert_eq!(dir.read(&layout(), 1).unwrap(), labels());
    let other = LabelSource {
        successors: 3,
        ..source.clone()
    };
    let error = LabelDir::open_or_create(&path, &other).unwrap_err();
    assert!(error.to_string().contains("successors 2, not 3"), "{error}");
    let foreign = root.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("notes"), "").unwrap();
    let error = LabelDir::open_or_create(&foreign, &source).unwrap_err();
    assert!(error.to_string().contains("not empty"), "{error}");
    assert!(LabelDir::open(&foreign).is_err());
}
