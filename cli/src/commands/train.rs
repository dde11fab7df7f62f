use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use garuda_run::RunDir;
use garuda_run::config::Config;
#[cfg(feature = "torch")]
use garuda_run::config::ConfigChange;
#[cfg(feature = "torch")]
use garuda_run::{Stop, init_logging};
#[cfg(feature = "torch")]
use garuda_selfplay::train::{TrainOptions, train};

/// Learn a game by self-play; goes on where it stopped.
///
/// Ctrl-C saves and ends; the same command goes on later as if nothing had happened.
#[derive(Args, Debug)]
pub(crate) struct Train {
    /// A configuration, such as configs/tori.toml, or the directory of a run to go on with
    config: PathBuf,
    /// The run's directory [default: runs/ and the configuration's name]
    #[arg(long)]
    run: Option<PathBuf>,
    /// End after so many minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// End when the run has so many games
    #[arg(long)]
    games: Option<u64>,
    /// End when the run has made so many checkpoints
    #[arg(long)]
    checkpoints: Option<u32>,
    /// Override a key of the configuration, as in training.batch_size=128
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    settings: Vec<String>,
    /// Continue a run with other settings than it was started with, or after its config.toml was
    /// changed
    #[arg(long)]
    accept_config_change: bool,
    /// Print one JSON object at the end instead of lines
    #[arg(long)]
    json: bool,
}

impl Train {
    #[cfg(feature = "torch")]
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (config, run) = self.resolve()?;
        let minutes = self
            .minutes
            .map(|minutes| Duration::try_from_secs_f64(minutes * 60.0))
            .transpose()
            .context("--minutes must be a number of minutes")?;
        let log = init_logging(!self.json);
        let summary = train(TrainOptions {
            run,
            config,
            config_change: match self.accept_config_change {
                true => ConfigChange::Accepted,
                false => ConfigChange::Refused,
            },
            stop: Stop::on_signals(minutes)?,
            games: self.games,
            checkpoints: self.checkpoints,
            log,
        })?;
        if self.json {
            writeln!(stdout(), "{}", serde_json::to_string(&summary)?)?;
        }
        Ok(())
    }

    #[cfg(not(feature = "torch"))]
    pub(crate) fn run(self) -> anyhow::Result<()> {
        self.resolve()?;
        Err(super::needs_torch("training"))
    }

    fn resolve(&self) -> anyhow::Result<(Config, PathBuf)> {
        if self.config.is_dir() {
            let config = RunDir::open(&self.config)?
                .config()
                .with_settings(&self.settings)?;
            let run = self.run.clone().unwrap_or_else(|| self.config.clone());
            return Ok((config, run));
        }
        let config = Config::read(&self.config, &self.settings)?;
        let run = self.run.clone().unwrap_or_else(|| {
            let name = self.config.file_stem().unwrap_or(self.config.as_os_str());
            Path::new("runs").join(name)
        });
        Ok((config, run))
    }
}
