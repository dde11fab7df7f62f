use std::io::{Write, stdout};
use std::time::Instant;

use clap::Args;
use garuda_rules::{Position, RuleSet, divide, perft, with_rule_set};
use serde_json::json;

use crate::print_note;

const EXAMPLES: &str = "\
Examples:
  garuda perft makruk 4
  garuda perft torishogi 2 --divide
  garuda perft makruk 3 --fen '8/8/4k3/8/8/4K3/4P3/8 w - - 0 1'";

/// Count the leaves of the tree of moves at a depth.
///
/// The count can be compared with other programs' perft: draws do not end a line, and Tori Shogi's
/// swallow-drop mates count as moves. In Eternal chess and the set-up of Sittuyin each decision
/// (deport, move, place) is one ply. The last line of the output is the count alone.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct PerftArgs {
    /// makruk, sittuyin, sittuyin-booklet, torishogi (or tori), eternal
    game: RuleSet,
    /// Depth in plies
    depth: u32,
    /// FEN of the position to count from, instead of the game's start
    #[arg(long)]
    fen: Option<String>,
    /// Also print the count for each first move
    #[arg(long)]
    divide: bool,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl PerftArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        with_rule_set!(self.game, P => self.count::<P>())
    }

    fn count<P: Position>(&self) -> anyhow::Result<()> {
        let position = match &self.fen {
            Some(text) => text.parse::<P>()?,
            None => P::start(),
        };
        let start = Instant::now();
        let (nodes, parts) = if self.divide {
            let mut parts: Vec<_> = divide(&position, self.depth)
                .into_iter()
                .map(|(mv, n)| (position.uci(mv), n))
                .collect();
            parts.sort();
            let nodes = match self.depth {
                0 => 1,
                _ => parts.iter().map(|(_, n)| n).sum(),
            };
            (nodes, parts)
        } else {
            (perft(&position, self.depth), Vec::new())
        };
        let seconds = start.elapsed().as_secs_f64();

        let mut out = stdout().lock();
        if self.json {
            let mut object = json!({
                "game": self.game.name(),
                "fen": position.to_string(),
                "depth": self.depth,
                "nodes": nodes,
                "seconds": seconds,
            });
            if self.divide {
                object["divide"] = parts.into_iter().collect();
            }
            writeln!(out, "{object}")?;
        } else {
            for (mv, n) in parts {
                writeln!(out, "{mv}: {n}")?;
            }
            writeln!(out, "{nodes}")?;
            let rate = nodes as f64 / seconds / 1e6;
            print_note(format_args!("{seconds:.3} s, {rate:.1} million leaves/s"));
        }
        Ok(())
    }
}
