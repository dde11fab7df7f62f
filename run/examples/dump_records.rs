//! Prints the games of a run as text, ordered by checkpoint and number, so that two runs can be
//! compared by `diff`: `cargo run -p garuda-run --example dump_records -- RUN`.
//!
//! Per game one line "checkpoint number start winner", then one line per decision: the move, how it
//! was chosen, the search's value and its policy.

use std::env;
use std::io::{BufWriter, Write, stdout};
use std::path::Path;

use anyhow::Context;
use garuda_rules::with_rule_set;
use garuda_run::RunDir;
use garuda_run::records::scan;

fn main() -> anyhow::Result<()> {
    let path = env::args_os().nth(1).context("usage: dump_records RUN")?;
    let run = RunDir::open(Path::new(&path))?;
    let rule_set = run.config().game.rules;
    let mut records = Vec::new();
    with_rule_set!(rule_set, P => scan::<P, _>(
        &run.games(),
        <[_]>::to_vec,
        |games| records.extend(games),
        |_| (),
    ))?;
    records.sort_by_key(|record| (record.checkpoint(), record.number()));
    let mut out = BufWriter::new(stdout().lock());
    for record in records {
        let (checkpoint, number) = (record.checkpoint(), record.number());
        let (start, winner) = (record.start(), record.winner());
        writeln!(out, "{checkpoint} {number} {start} {winner:?}")?;
        for decision in record.decisions() {
            let (mv, kind) = (decision.mv, decision.kind);
            let (wdl, policy) = (decision.wdl, decision.policy);
            writeln!(out, "{mv:?} {kind:?} {wdl:?} {policy:?}")?;
        }
    }
    out.flush()?;
    Ok(())
}
