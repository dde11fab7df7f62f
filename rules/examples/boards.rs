//! Draws a position of every rule set as `<rule set>.svg` into a directory: the pictures of the
//! README.
//!
//!     cargo run -p garuda-rules --example boards -- docs/images

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use garuda_rules::{Position, RuleSet, SvgOptions, svg, with_rule_set};

/// Sittuyin starts with most pieces in hand: a position after the set-up shows more.
const AFTER_SET_UP: &str = "1r2r3/1kssn1n1/3fpppp/pppp4/4PPPP/PPPPF3/1N1NSSK1/3R1R2[] w - - 0 9";

fn main() -> Result<(), Box<dyn Error>> {
    let directory = PathBuf::from(env::args_os().nth(1).ok_or("a directory is needed")?);
    fs::create_dir_all(&directory)?;
    for rule_set in RuleSet::ALL {
        let drawing = with_rule_set!(rule_set, P => draw::<P>()?);
        fs::write(directory.join(format!("{rule_set}.svg")), drawing)?;
    }
    Ok(())
}

fn draw<P: Position>() -> Result<String, Box<dyn Error>> {
    let position = match P::NAME {
        "sittuyin" => AFTER_SET_UP
            .parse::<P>()
            .map_err(|error| error.to_string())?,
        _ => P::start(),
    };
    Ok(svg(&position, &SvgOptions::default()))
}
