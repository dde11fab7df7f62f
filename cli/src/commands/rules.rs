use std::io::{BufRead, Write, stdin, stdout};

use anyhow::Context;
use clap::Args;
use garuda_rules::{Color, Game, GameState, MoveList, Position, RuleSet, with_rule_set};
use serde::Deserialize;
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Example:
  echo '{\"game\":\"makruk\",\"moves\":[\"e3e4\"]}' | garuda rules";

/// Answer questions about positions: one JSON object per line in, one per line out.
///
/// In:  {"game":"torishogi","fen":null,"moves":["e4e5"]}   (fen null: the game's start)
///
/// Out: {"fen":"…","turn":"b","check":false,"legal":["a6a5",…],"outcome":null}
///
/// At a game's end "outcome" is {"winner":"w"|"b"|null,"reason":"checkmate"}; "legal" is empty
/// only if there are no legal moves, and further moves are accepted. Bad input is answered by
/// {"error":"…"}, and the next line is read.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
pub(crate) struct RulesArgs {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    game: String,
    #[serde(default)]
    fen: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
}

impl RulesArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut input = stdin().lock();
        let mut out = stdout().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let reply = answer(&line).unwrap_or_else(|e| json!({ "error": format!("{e:#}") }));
            writeln!(out, "{reply}")?;
            out.flush()?;
        }
    }
}

fn answer(line: &[u8]) -> anyhow::Result<Value> {
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
