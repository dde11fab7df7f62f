//! Playing with networks: tiny ones, written here byte by byte, as an export needs libtorch.

use std::path::{Path, PathBuf};

use garuda_model::{Encoding, Network};
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Position, RuleSet};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::process::{Engine, number};

/// An encoded protobuf message.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn int(mut self, field: u64, number: u64) -> Message {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Message {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Message {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u64, message: &Message) -> Message {
        self.bytes(field, &message.0)
    }
}

fn node(op: &str, inputs: &[&str], output: &str) -> Message {
    let node = inputs
        .iter()
        .fold(Message::default(), |node, input| node.text(1, input));
    node.text(2, output).text(3, output).text(4, op)
}

/// A matrix of pseudo-random numbers from −`scale` to `scale`.
fn matrix(name: &str, rows: usize, columns: usize, scale: f32) -> Message {
    let mut dims = Message::default();
    dims.varint(rows as u64);
    dims.varint(columns as u64);
    let number = |i: usize| scale * ((i.wrapping_mul(2_654_435_761) >> 7) % 200) as f32 / 100.0;
    let data: Vec<u8> = (0..rows * columns)
        .flat_map(|i| (number(i) - scale).to_le_bytes())
        .collect();
    Message::default()
        .bytes(1, &dims.0)
        .int(2, 1)
        .text(8, name)
        .bytes(9, &data)
}

/// A float tensor `[batch, rest…]`.
fn value(name: &str, rest: &[usize]) -> Message {
    let batch = Message::default().text(2, "batch");
    let shape = rest
        .iter()
        .fold(Message::default().message(1, &batch), |shape, &size| {
            shape.message(1, &Message::default().int(1, size as u64))
        });
    let tensor = Message::default().int(1, 1).message(2, &shape);
    let value_type = Message::default().message(1, &tensor);
    Message::default().text(1, name).message(2, &value_type)
}

/// A network that uses only the mean of each plane. Its outputs are not finite if `scale` is not.
fn write_network<P: Position>(folder: &Path, scale: f32) -> PathBuf {
    let encoding = Encoding::of::<P>();
    let planes = encoding.planes.len();
    let board = encoding.board;
    let graph = Message::default()
        .message(1, &node("GlobalAveragePool", &["planes"], "means"))
        .message(1, &node("Flatten", &["means"], "flat"))
        .message(1, &node("Gemm", &["flat", "moves"], "policy"))
        .message(1, &node("Gemm", &["flat", "values"], "value"))
        .message(1, &node("Softmax", &["value"], "wdl"))
        .text(2, "tiny")
        .message(5, &matrix("moves", planes, encoding.actions(), scale))
        .message(5, &matrix("values", planes, 3, 1.0))
        .message(
            11,
            &value("planes", &[planes, board.ranks.into(), board.files.into()]),
        )
        .message(12, &value("policy", &[encoding.actions()]))
        .message(12, &value("wdl", &[3]));
    let operators = Message::default().int(2, 17);
    let file = Message::default()
        .int(1, 8)
        .message(7, &graph)
        .message(8, &operators);
    let hash: String = Sha256::digest(&file.0)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let metadata = [
        ("garuda.rules", encoding.rules.to_owned()),
        ("garuda.encoding_version", Encoding::VERSION.to_string()),
        ("garuda.encoding", encoding.describe()),
        ("garuda.architecture", "conv 1x8".to_owned()),
        ("garuda.step", "0".to_owned()),
        ("garuda.run", "a test".to_owned()),
        ("garuda.hash", hash),
    ];
    let file = metadata.iter().fold(file, |file, (key, text)| {
        file.message(14, &Message::default().text(1, key).text(2, text))
    });
    let path = folder.join(format!("{} {scale}.onnx", encoding.rules));
    std::fs::write(&path, file.0).unwrap();
    path
}

fn option(name: &str, value: impl std::fmt::Display) -> String {
    format!("setoption name {name} value {value}")
}

#[test]
fn a_network_selects_its_rule_set() {
    let folder = TempDir::new().unwrap();
    let tori = write_network::<ToriPosition>(folder.path(), 1.0);
    let mut engine = Engine::start();
    engine.send(&option("EvalFile", tori.display()));
    let lines = engine.sync();
    assert!(
        lines[0].contains("playing torishogi with the network conv 1x8"),
        "{lines:?}"
    );
    let (lines, _) = engine.search("position startpos moves e4e5\ngo nodes 300");
    let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
    assert_eq!(number(last, "nodes"), Some(300));
    assert!(
        lines.iter().all(|line| !line.contains("no network")),
        "{lines:?}"
    );
    engine.send("eval");
    let network_eval = engine.sync();
    // Back to the material evaluator, and to the network again.
    engine.send(&option("EvalFile", "<empty>"));
    engine.send("eval");
    assert_ne!(engine.sync(), network_eval);
    engine.send(&option("EvalFile", tori.display()));
    engine.sync();
    engine.send("eval");
    assert_eq!(engine.sync(), network_eval);
}

#[test]
fn a_network_of_another_rule_set_is_refused() {
    let folder = TempDir::new().unwrap();
    let tori = write_network::<ToriPosition>(folder.path(), 1.0);
    let makruk = write_network::<MakrukPosition>(folder.path(), 1.0);
    let mut engine = Engine::with_variant("makruk");
    engine.send(&option("EvalFile", tori.display()));
    let lines = engine.sync();
    assert!(
        lines[0].contains("is for torishogi, but the variant is makruk"),
        "{lines:?}"
    );
    engine.search("position startpos moves a3a4\ngo nodes 20");
    engine.send(&option("EvalFile", makruk.display()));
    assert!(engine.sync()[0].contains("playing makruk"));
    // A refused network leaves the last one in place.
    engine.send(&option("EvalFile", tori.display()));
    assert!(engine.sync()[0].contains("error"));
    let (lines, _) = engine.search("go nodes 20");
    assert!(
        lines.iter().all(|line| !line.contains("no network")),
        "{lines:?}"
    );
    // Other rule sets are played without it.
    engine.send(&option("UCI_Variant", "eternal"));
    assert!(engine.sync()[0].contains("is for makruk, not eternal"));
    engine.search("go nodes 20");
    engine.send(&option("UCI_Variant", "makruk"));
    assert!(engine.sync()[0].contains("playing makruk"));
    engine.send(&option("USI_Variant", "torishogi"));
    engine.sync();
    // USI has one rule set only.
    engine.send("usi");
    engine.recv_until("usiok");
    engine.send(&option("EvalFile", tori.display()));
    assert!(engine.sync()[0].contains("playing torishogi"));
    engine.send(&option("EvalFile", makruk.display()));
    assert!(engine.sync()[0].contains("error"));
}

/// With a convolutional network one thread searches the tree: the number of threads changes only the
/// batch size, and with few nodes not even that.
#[test]
fn small_searches_do_not_depend_on_the_number_of_threads() {
    let folder = TempDir::new().unwrap();
    let tori = write_network::<ToriPosition>(folder.path(), 2.0);
    let search = |threads: usize| {
        let mut engine = Engine::start();
        engine.send(&option("Threads", threads));
        engine.send(&option("EvalFile", tori.display()));
        let (lines, best) = engine.search("go nodes 100");
        let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
        let (_, many) = engine.search("ucinewgame\ngo nodes 1000");
        assert!(!many.is_empty());
        (number(last, "cp"), best)
    };
    assert_eq!(search(1), search(2));
    assert_eq!(search(1), search(3));
}

#[test]
fn all_threads_search_with_a_sparse_network() {
    let mut engine = Engine::start();
    engine.send(&option("UCI_Variant", "torishogi"));
    for threads in [3, 1, 2] {
        engine.send(&option("Threads", threads));
        let (lines, _) = engine.search("ucinewgame\ngo nodes 3000");
        let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
        assert_eq!(number(last, "nodes"), Some(3000));
        engine.search("go movetime 30");
        engine.search("go nodes 500 searchmoves c3c4 e4e5");
    }
}

#[test]
fn threads_can_change_between_searches() {
    let folder = TempDir::new().unwrap();
    let tori = write_network::<ToriPosition>(folder.path(), 1.0);
    let mut engine = Engine::start();
    engine.send(&option("EvalFile", tori.display()));
    for threads in [2, 1, 4, 2] {
        engine.send(&option("Threads", threads));
        engine.send(&option("Hash", threads));
        engine.search("go nodes 200");
        engine.search("go movetime 30");
    }
}

#[test]
fn a_network_without_finite_outputs_is_refused() {
    let folder = TempDir::new().unwrap();
    let broken = write_network::<ToriPosition>(folder.path(), f32::INFINITY);
    for threads in [1, 2] {
        let mut engine = Engine::start();
        engine.send(&option("Threads", threads));
        // The shipped network is announced.
        engine.sync();
        engine.send(&option("EvalFile", broken.display()));
        let lines = engine.sync();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("error: the network is not used: the evaluator returned"));
        let (lines, _) = engine.search("position startpos moves a3a4\ngo nodes 100");
        // The shipped network plays on.
        let is_complaint = |line: &String| line.contains("error") || line.contains("no network");
        assert!(!lines.iter().any(is_complaint), "{lines:?}");
    }
}

#[test]
fn playing_without_a_network_is_announced() {
    for rules in RuleSet::ALL {
        let mut engine = Engine::with_variant(rules.name());
        let (lines, _) = engine.search("go nodes 100");
        let message = format!("no network for {rules}");
        let is_announced = lines.iter().any(|line| line.contains(&message));
        assert_eq!(is_announced, !Network::is_shipped(rules), "{lines:?}");
    }
}

#[test]
fn damaged_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let complete = std::fs::read(write_network::<ToriPosition>(folder.path(), 1.0)).unwrap();
    let path = folder.path().join("damaged.onnx");
    let mut engine = Engine::start();
    for length in [0, 1, 100, complete.len() / 2, complete.len() - 1] {
        std::fs::write(&path, &complete[..length]).unwrap();
        engine.send(&option("EvalFile", path.display()));
        let lines = engine.sync();
        assert!(
            lines[0].starts_with("info string error: "),
            "{length}: {lines:?}"
        );
    }
    engine.search("go nodes 10");
}

/// Reading a device could never end, opening a pipe could block, and a huge file could exhaust the
/// memory.
#[cfg(unix)]
#[test]
fn only_regular_files_of_limited_size_are_read() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let huge = folder.path().join("huge.onnx");
    let file = std::fs::File::create(&huge).unwrap();
    file.set_len(Network::MAX_BYTES + 1).unwrap();
    let mut engine = Engine::start();
    engine.sync();
    for (path, message) in [
        (Path::new("/dev/zero"), "not a regular file"),
        (&pipe, "not a regular file"),
        (folder.path(), "not a regular file"),
        (&huge, "at most"),
    ] {
        engine.send(&option("EvalFile", path.display()));
        let lines = engine.sync();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with("info string error: "), "{lines:?}");
        assert!(lines[0].contains(message), "{lines:?}");
    }
    engine.search("go nodes 10");
}
