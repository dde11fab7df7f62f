use serde_json::{Value, json};

use super::GameRow;
use garuda_rules::Color;

/// A game as one line.
pub(super) fn line(game: &GameRow<'_>) -> String {
    let record = game.record;
    let decisions: Vec<Value> = (game.decisions.iter())
        .map(|decision| {
            json!({
                "turn": decision.turn.to_string(),
                "move": decision.mv,
                "kind": decision.kind,
                "wdl": decision.wdl,
                "policy": decision.policy,
            })
        })
        .collect();
    let object = json!({
        "rules": record.rules(),
        "start": record.start(),
        "checkpoint": record.checkpoint(),
        "number": record.number(),
        "white": record.side(Color::White),
        "black": record.side(Color::Black),
        "seed": record.seed(),
        "result": game.result(),
        "termination": record.termination_name(),
        "decisions": decisions,
    });
    format!("{object}\n")
}
