//! Questions about positions as JSON, and their answers. A file of its own, so that it can be fuzzed.

use anyhow::Context;
use garuda_rules::{Color, Game, GameState, MoveList, Position, RuleSet, with_rule_set};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    game: String,
    #[serde(default)]
    fen: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
}

/// The answer to a question, which is one JSON object.
pub(crate) fn answer(line: &[u8]) -> anyhow::Result<Value> {
    let question: Question = serde_json::from_slice(line)?;
    let rule_set: RuleSet = question.game.parse()?;
    with_rule_set!(rule_set, P => describe::<P>(&question))
}

fn describe<P: Position>(question: &Question) -> anyhow::Result<Value> {
    let mut game = match &question.fen {
        Some(text) => GameState::<P>::from_fen(text)?,
        None => GameState::start(),
    };
    for (i, mv) in question.moves.iter().enumerate() {
        game.play_uci(mv)
            .with_context(|| format!("move {}", i + 1))?;
    }

    let position = game.position();
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut legal: Vec<_> = moves.iter().map(|&mv| position.uci(mv)).collect();
    legal.sort_unstable();
    let outcome = game.outcome_given(&moves).map(|outcome| {
        json!({
            "winner": outcome.winner.map(Color::letter),
            "reason": outcome.termination.name(),
        })
    });
    Ok(json!({
        "fen": position.to_string(),
        "turn": position.turn().letter(),
        "check": position.is_check(),
        "legal": legal,
        "outcome": outcome,
    }))
}
