use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;
use garuda_run::config::Config;
use garuda_run::{PlayerSpec, RunDir};

use crate::torch::{Torch, linked};

const EXAMPLES: &str = "\
Examples:
  garuda train configs/tori.toml                    start or resume the run runs/tori
  garuda train runs/tori --minutes 60               resume a run for an hour
  garuda train configs/makruk.toml --run runs/big --set network.width=512
  garuda train configs/tori.toml --run runs/more --init runs/tori   start from a trained network
  garuda train configs/tori.toml --listen 0.0.0.0:4222              other machines play too
  garuda train configs/tori.toml --nats tls://broker:4222           the same, through a broker that others run";

/// Train a network by self-play, from a new run's start or where a run stopped.
///
/// Games of self-play, training and evaluation take turns (or overlap) until the run is stopped.
/// Everything is kept in the run's directory. Ctrl-C saves and ends; the same command resumes the
/// run, with the same games and weights as if it had never stopped.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct TrainArgs {
    /// A configuration, such as configs/tori.toml, or the directory of a run to resume
    #[arg(value_name = "CONFIG|RUN")]
    config: PathBuf,
    /// The run's directory [default: runs/ followed by the configuration's name]
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// End after a number of minutes
    #[arg(long, value_name = "N")]
    pub minutes: Option<f64>,
    /// End when the run has a number of games
    #[arg(long, value_name = "N")]
    pub games: Option<u64>,
    /// End when the run has a number of checkpoints
    #[arg(long, value_name = "N")]
    pub checkpoints: Option<u32>,
    /// Start a new run from a trained network of the same game, kind and size: a sparse network's
    /// file, a checkpoint, a run, or a game with a shipped network
    ///
    /// A sparse network may also be narrower than the configuration says (network.width): it is made
    /// wider without changing what it says, and learns on.
    #[arg(long, value_name = "NET")]
    init: Option<String>,
    /// Override a key of the configuration, as in training.batch_size=128; configs/reference.toml lists
    /// all keys
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    settings: Vec<String>,
    /// Continue a run with other settings than it was started with, or after its config.toml was
    /// changed
    #[arg(long)]
    pub accept_config_change: bool,
    /// Run the engines (uci:<command>) among evaluation.anchors. Without this a configuration or a
    /// run that has any is refused, because its author chose the commands
    #[arg(long)]
    allow_engines: bool,
    /// Let other machines play too: start a broker for `garuda worker` on this address. Without an
    /// address only this machine reaches it; port 0 is any free one
    #[arg(
        long, value_name = "ADDRESS", group = "broker",
        num_args = 0..=1, default_missing_value = "127.0.0.1:4222"
    )]
    pub listen: Option<SocketAddr>,
    /// The same through a broker that others run (nats-server 2.15 or newer), as in
    /// tls://broker:4222. Its configuration must include RUN/broker/accounts.conf, which this writes
    #[arg(long, value_name = "ADDRESS", group = "broker")]
    pub nats: Option<String>,
    /// File with the certificate of the authority that signed the other broker's, unless this machine
    /// trusts it anyway
    #[arg(long, value_name = "FILE", requires = "nats")]
    pub ca: Option<PathBuf>,
    /// Leave all games to workers: this machine trains, and plays only the games that it checks
    #[arg(long, requires = "broker")]
    pub workers_only: bool,
    /// Print one JSON object at the end instead of lines
    #[arg(long)]
    pub json: bool,
}

impl TrainArgs {
    pub(crate) fn run(self, torch: Option<&dyn Torch>) -> anyhow::Result<()> {
        let (run, config) = self.resolve()?;
        ensure!(
            self.allow_engines || engines(&config).is_empty(),
            "evaluation.anchors has {}: training would run this on your machine. If you trust the configuration, add --allow-engines",
            engines(&config).join(", ")
        );
        linked(torch, "training")?.train(&self, run, config)
    }

    /// The run's directory and the configuration.
    fn resolve(&self) -> anyhow::Result<(PathBuf, Config)> {
        let init = self
            .init
            .as_ref()
            .map(|path| format!("network.init={path:?}"));
        let settings: Vec<_> = self.settings.iter().cloned().chain(init).collect();
        if self.config.is_dir() {
            let config = RunDir::open(&self.config)?
                .config()
                .with_settings(&settings)?;
            let run = self.run.clone().unwrap_or_else(|| self.config.clone());
            return Ok((run, config));
        }
        let config = Config::read(&self.config, &settings)?;
        let run = self.run.clone().unwrap_or_else(|| {
            let name = self.config.file_stem().unwrap_or(self.config.as_os_str());
            Path::new("runs").join(name)
        });
        Ok((run, config))
    }
}

/// The anchors that are programs.
fn engines(config: &Config) -> Vec<String> {
    (config.evaluation.anchors.iter())
        .filter(|anchor| matches!(anchor, PlayerSpec::Uci(_)))
        .map(ToString::to_string)
        .collect()
}
