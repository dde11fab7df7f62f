//! The questions that `garuda rules` answers. The program has no library, but this file of it stands
//! alone.

#[path = "../../cli/src/rules_json.rs"]
mod rules_json;

/// Every line is answered, or refused with a message.
pub fn rules(input: &[u8]) {
    for line in input.split(|&byte| byte == b'\n').take(8) {
        match rules_json::answer(line) {
            Ok(answer) => {
                let fen = answer["fen"].as_str().expect("an answer has a position");
                assert!(!fen.is_empty());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
