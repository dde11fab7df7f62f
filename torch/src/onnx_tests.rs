use std::fs::File;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use garuda_model::onnx::proto::{self, Attribute, Node, Tensor};
use garuda_model::onnx::{check, content_hash, structure};
use garuda_model::{ConvShape, Network};
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Position, RuleSet, with_rule_set};
use prost::Message;

use crate::{TrainParams, Trainer};

fn export<P: Position>(shape: ConvShape) -> Vec<u8> {
    let trainer = Trainer::<P>::new(shape, TrainParams::default(), 1);
    trainer.averaged().export("a run").bytes().to_vec()
}

fn exported() -> Vec<u8> {
    export::<ToriPosition>(ConvShape::new(1, 8).unwrap())
}

/// The exported file with its message changed.
fn changed(change: impl FnOnce(&mut proto::Model)) -> Vec<u8> {
    let mut model = proto::Model::decode(exported().as_slice()).unwrap();
    change(&mut model);
    model.encode_to_vec()
}

/// The exported file with another graph, as if it had been exported.
fn regraphed(change: impl FnOnce(&mut proto::Graph)) -> Vec<u8> {
    changed(|model| {
        change(model.graph.as_mut().unwrap());
        let hash = content_hash(model);
        let mut entries = model.metadata_props.iter_mut();
        let entry = entries.find(|entry| entry.key == "garuda.hash").unwrap();
        entry.value = hash;
    })
}

fn refusal(bytes: &[u8]) -> String {
    Network::from_bytes(bytes).unwrap_err().to_string()
}

#[test]
fn metadata_of_a_network() {
    let info = Network::from_bytes(&exported()).unwrap().info().clone();
    assert_eq!(info.rules, "torishogi");
    assert_eq!(info.architecture.to_string(), "conv 1x8");
    assert_eq!((info.step, info.run.as_str()), (0, "a run"));
    assert_eq!(info.hash.len(), 64);
}

#[test]
fn networks_of_another_game_or_encoding_are_refused() {
    let network = Network::from_bytes(&exported()).unwrap();
    let error = network.evaluator::<MakrukPosition>(1).unwrap_err();
    assert_eq!(error.to_string(), "the network plays torishogi, not makruk");

    let older = changed(|model| {
        for entry in &mut model.metadata_props {
            entry.value = entry.value.replace("encoding 1 of", "encoding 0 of");
        }
    });
    let network = Network::from_bytes(&older).unwrap();
    let error = network.evaluator::<ToriPosition>(1).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("\"encoding 0 of torishogi\""), "{text}");
}

#[test]
fn files_that_are_not_networks_are_refused() {
    assert!(refusal(b"\x08\x07hello").contains("not an ONNX file"));
    assert!(refusal(&[]).contains("not exported by Garuda"));
    let foreign = changed(|model| model.metadata_props.clear());
    assert!(refusal(&foreign).contains("not exported by Garuda"));
    let nonsense = changed(|model| {
        let mut entries = model.metadata_props.iter_mut();
        let step = entries.find(|entry| entry.key == "garuda.step");
        step.unwrap().value = "many".to_owned();
    });
    assert!(refusal(&nonsense).contains("\"many\""));
}

#[test]
fn damaged_networks_are_refused_without_a_panic() {
    let other_weights = changed(|model| {
        model.graph.as_mut().unwrap().initializer[0].raw_data[3] ^= 1;
    });
    assert!(refusal(&other_weights).contains("damaged"));
    let other_operators = changed(|model| model.opset_import[0].version = 16);
    assert!(refusal(&other_operators).contains("damaged"));
    let whole = exported();
    for length in (0..whole.len()).step_by(97) {
        Network::from_bytes(&whole[..length]).unwrap_err();
    }
    for at in (0..whole.len()).step_by(61) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x04;
        // Only names that do not matter, such as the run's, may change unnoticed.
        let _ = Network::from_bytes(&flipped);
    }
}

/// Pipes and devices could block or never end, and memory is finite.
#[test]
fn only_regular_files_of_bounded_size_are_read() {
    let root = tempfile::tempdir().unwrap();
    let read = |path: &Path| {
        let (sender, receiver) = mpsc::channel();
        let path = path.to_owned();
        thread::spawn(move || sender.send(Network::read(&path).unwrap_err()));
        let error = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        let text = error.to_string();
        let source = std::error::Error::source(&error).unwrap().to_string();
        format!("{text}: {source}")
    };
    assert!(read(Path::new("no/such.onnx")).contains("no/such.onnx"));
    let refusal = "it is not a regular file";
    assert!(read(Path::new("/dev/zero")).contains(refusal));
    assert!(read(root.path()).contains(refusal));
    let pipe = root.path().join("pipe.onnx");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert!(read(&pipe).contains(refusal));
    let huge = root.path().join("huge.onnx");
    File::create(&huge).unwrap().set_len(1 << 40).unwrap();
    assert!(read(&huge).contains("at most 1073741824 are read"));
}

/// What the schema lacks is neither hashed nor run.
#[test]
fn unknown_fields_are_dropped() {
    let whole = exported();
    // Field 25 of the model (local functions), and field 15 of the graph (sparse weights).
    let mut extended = whole.clone();
    extended.extend([0xca, 0x01, 3, 0x0a, 1, b'f']);
    extended.extend([0x3a, 3, 0x7a, 1, 0]);
    let network = Network::from_bytes(&extended).unwrap();
    assert!(network.bytes() == whole);
    let hash = Network::from_bytes(&whole).unwrap().info().hash.clone();
    assert_eq!(network.info().hash, hash);
}

fn node(operator: &str, input: &[&str], output: &str, attribute: Vec<Attribute>) -> Node {
    Node {
        input: input.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        name: output.to_owned(),
        op_type: operator.to_owned(),
        attribute,
    }
}

fn ints(name: &str, ints: &[i64]) -> Attribute {
    Attribute {
        name: name.to_owned(),
        ints: ints.to_vec(),
        r#type: 7,
        ..Default::default()
    }
}

fn axis(axis: i64) -> Attribute {
    Attribute {
        name: "axis".to_owned(),
        i: Some(axis),
        r#type: 2,
        ..Default::default()
    }
}

fn with_nodes(nodes: impl IntoIterator<Item = Node>) -> String {
    refusal(&regraphed(|graph| graph.node.extend(nodes)))
}

#[test]
fn only_the_operators_of_networks_are_run() {
    for operator in [
        "Loop",
        "If",
        "Scan",
        "ConstantOfShape",
        "Expand",
        "Tile",
        "Foreign",
    ] {
        let text = with_nodes([node(operator, &["planes"], "x", vec![])]);
        assert!(
            text.contains(&format!("the operator {operator} of")),
            "{text}"
        );
        assert!(text.contains("not one of those"), "{text}");
    }
    // The same holds for attributes, and for what mixes the positions of a batch.
    for bad in [
        node("Relu", &["planes"], "x", vec![axis(1)]),
        node("Softmax", &["planes"], "x", vec![axis(1), axis(1)]),
        node("Softmax", &["planes"], "x", vec![axis(0)]),
        node("Concat", &["planes", "planes"], "x", vec![axis(0)]),
        node("Flatten", &["planes"], "x", vec![axis(0)]),
        node(
            "Transpose",
            &["planes"],
            "x",
            vec![ints("perm", &[1, 0, 2, 3])],
        ),
        node(
            "Transpose",
            &["planes"],
            "x",
            vec![ints("perm", &[0, 1, 1, 2])],
        ),
        node("MatMul", &["planes", "planes"], "x", vec![]),
        node("Add", &["planes", "wdl"], "x", vec![]),
        node("Add", &["planes", "nowhere"], "x", vec![]),
        node("Relu", &["planes"], "wdl", vec![]),
    ] {
        let text = with_nodes([bad]);
        assert!(
            text.contains("the network cannot be run: the operator"),
            "{text}"
        );
    }
}

#[test]
fn small_files_cannot_ask_for_much_memory_or_time() {
    // A thousand million numbers after thirty nodes.
    let names: Vec<_> = (0..=30).map(|i| format!("double{i}")).collect();
    let double =
        |names: &[String]| node("Concat", &[&names[0], &names[0]], &names[1], vec![axis(1)]);
    let first = node("Relu", &["planes"], "double0", vec![]);
    let text = with_nodes(std::iter::once(first).chain(names.windows(2).map(double)));
    assert!(text.contains("numbers or more per position"), "{text}");

    // A border as wide as one likes.
    let wide = regraphed(|graph| {
        let mut nodes = graph.node.iter_mut();
        let conv = nodes.find(|node| node.op_type == "Conv").unwrap();
        let mut attributes = conv.attribute.iter_mut();
        let pads = attributes.find(|attribute| attribute.name == "pads");
        pads.unwrap().ints = vec![100_000; 4];
    });
    assert!(refusal(&wide).contains("the operator Conv of"));

    // A constant that is larger than its data.
    for (dims, data_type) in [
        (vec![1 << 40], 1),
        (vec![1 << 32, 1 << 32], 1),
        (vec![-1], 1),
        (vec![1], 8),
    ] {
        let text = refusal(&regraphed(|graph| {
            graph.initializer.push(Tensor {
                dims: dims.clone(),
                data_type,
                name: "huge".to_owned(),
                raw_data: vec![0; 4],
            });
        }));
        assert!(text.contains("the constant \"huge\""), "{text}");
    }

    // Two bytes in the file are a hundred and more in memory.
    let text = refusal(&regraphed(|graph| {
        graph.node.extend(vec![Node::default(); 1 << 20]);
    }));
    assert!(text.contains("at most 1048576 are read"), "{text}");
}

/// Networks that can be configured are far from all limits.
#[test]
fn the_largest_networks_are_within_the_limits() {
    let blocks = 2;
    let more = (ConvShape::MAX_BLOCKS / blocks) as usize;
    let shape = ConvShape::new(blocks, ConvShape::MAX_CHANNELS).unwrap();
    for rules in RuleSet::ALL {
        let bytes = with_rule_set!(rules, P => export::<P>(shape));
        assert!(bytes.len() * more < Network::MAX_BYTES as usize);
        assert!(structure::structure_len(&bytes) * more < structure::MAX_BYTES / 4);
        let model = proto::Model::decode(bytes.as_slice()).unwrap();
        let cost = check::check(&model.graph.unwrap()).unwrap();
        assert!(cost.memory < check::MAX_MEMORY / 4, "{cost:?}");
        assert!(cost.work * more < check::MAX_WORK / 2, "{cost:?}");
    }
}
