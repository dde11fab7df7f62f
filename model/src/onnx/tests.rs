use garuda_rules::makruk::MakrukPosition;
use garuda_rules::tori::ToriPosition;
use prost::Message;

use super::*;
use crate::{ConvShape, Network, TrainParams, Trainer};

fn exported() -> Vec<u8> {
    let shape = ConvShape::new(1, 8).unwrap();
    let trainer = Trainer::<ToriPosition>::new(shape, TrainParams::default(), 1);
    trainer.export("a run").bytes().to_vec()
}

/// The file with its message changed.
fn changed(change: impl FnOnce(&mut proto::Model)) -> Vec<u8> {
    let mut model = proto::Model::decode(exported().as_slice()).unwrap();
    change(&mut model);
    model.encode_to_vec()
}

fn refusal(bytes: Vec<u8>) -> String {
    Network::from_bytes(&bytes).unwrap_err().to_string()
}

#[test]
fn a_model_tells_what_it_is() {
    let info = Network::from_bytes(&exported()).unwrap().info().clone();
    assert_eq!(info.rules, "torishogi");
    assert_eq!(info.architecture.to_string(), "conv 1x8");
    assert_eq!((info.step, info.run.as_str()), (0, "a run"));
    assert_eq!(info.hash.len(), 64);
}

#[test]
fn a_model_of_another_game_or_encoding_is_refused_in_words() {
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
fn files_that_are_not_models_are_refused_in_words() {
    assert!(refusal(b"\x08\x07hello".to_vec()).contains("not an ONNX file"));
    assert!(refusal(Vec::new()).contains("not exported by Garuda"));
    let foreign = changed(|model| model.metadata_props.clear());
    assert!(refusal(foreign).contains("not exported by Garuda"));
    let nonsense = changed(|model| {
        let step = model
            .metadata_props
            .iter_mut()
            .find(|entry| entry.key == "garuda.step");
        step.unwrap().value = "many".to_owned();
    });
    assert!(refusal(nonsense).contains("\"many\""));
    let error = Network::read(std::path::Path::new("no/such.onnx")).unwrap_err();
    assert!(error.to_string().contains("no/such.onnx"));
}

#[test]
fn a_damaged_model_is_refused_and_never_a_panic() {
    let other_weights = changed(|model| {
        model.graph.as_mut().unwrap().initializer[0].raw_data[3] ^= 1;
    });
    assert!(refusal(other_weights).contains("damaged"));
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
