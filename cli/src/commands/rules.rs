use std::io::{BufRead, Write, stdin, stdout};

use clap::Args;
use serde_json::json;

use crate::rules_json::answer;

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
