use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;

use crate::serve;

const EXAMPLES: &str = "\
Examples:
  garuda serve                                play all games, and read their rules
  garuda serve runs/tori --open               a run, in the browser at once
  garuda serve runs/tori runs/makruk tori.onnx
  garuda serve runs/tori --bind 0.0.0.0 --token \"$(openssl rand -hex 16)\"";

/// Show runs in a browser: watch training, explore openings, replay games, and play.
///
/// Without a run it offers the games to play and explains their rules. The page works offline and
/// changes nothing; a run gets one file, index.sqlite, which can be deleted at any time. Only this
/// machine can open the page, unless --bind and --token say otherwise.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// Runs, and network files to play against
    #[arg(value_name = "RUN|NETWORK")]
    pub(crate) sources: Vec<PathBuf>,
    /// Port of the page [default: 8642, or the next free one]
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Address to listen on; one that others can reach needs --token
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub(crate) bind: IpAddr,
    /// Secret that browsers must know: letters and digits, at least 12 of them
    #[arg(long)]
    pub(crate) token: Option<String>,
    /// Another name of this machine that browsers may use
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
}

impl ServeArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        serve::serve(self)
    }
}
