use std::time::Instant;

use anyhow::{Context, bail, ensure};
use garuda_run::EngineCommand;

use super::process::{EngineGone, EngineProcess};

const VARIANT: &str = "UCI_Variant";

/// A UCI engine that has answered `uci`. Dropping it ends the engine.
#[derive(Debug)]
pub struct UciClient {
    command: EngineCommand,
    process: EngineProcess,
    options: Vec<EngineOption>,
}

/// An option that an engine offers.
#[derive(Debug)]
struct EngineOption {
    name: String,
    /// The values of an option of type `combo`.
    values: Option<Vec<String>>,
}

impl UciClient {
    /// Starts the engine and reads the options it offers.
    pub fn start(command: &EngineCommand, until: Instant) -> anyhow::Result<UciClient> {
        let mut process = EngineProcess::start(command)?;
        let not_uci = || format!("{command} does not speak UCI");
        process.send("uci").with_context(not_uci)?;
        let mut options = Vec::new();
        loop {
            let (_, line) = process.recv(until).with_context(not_uci)?;
            match line.split_whitespace().next() {
                Some("uciok") => break,
                Some("option") => options.extend(parse_option(&line)),
                _ => {}
            }
        }
        Ok(UciClient {
            command: command.clone(),
            process,
            options,
        })
    }

    fn option(&self, name: &str) -> Option<&EngineOption> {
        (self.options.iter()).find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Whether the engine says that it plays a game.
    pub fn plays(&self, rules: &str) -> bool {
        self.option(VARIANT).is_some_and(|variant| {
            (variant.values.as_ref()).is_none_or(|values| values.iter().any(|v| v == rules))
        })
    }

    /// Sets the game.
    pub fn set_variant(&mut self, rules: &str) -> anyhow::Result<()> {
        let command = &self.command;
        let Some(variant) = self.option(VARIANT) else {
            bail!("{command} cannot be set to {rules}: it has no option {VARIANT}");
        };
        ensure!(
            self.plays(rules),
            "{command} does not play {rules}: its {VARIANT} has {} other values",
            variant.values.as_ref().map_or(0, Vec::len)
        );
        self.set_option(VARIANT, rules)
    }

    pub fn set_option(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        if self.option(name).is_none() {
            let names: Vec<_> = self.options.iter().map(|o| o.name.as_str()).collect();
            bail!(
                "{} has no option {name:?}; it has {}",
                self.command,
                names.join(", ")
            );
        }
        self.send(&format!("setoption name {name} value {value}"))
            .with_context(|| format!("{} does not take options", self.command))
    }

    /// Waits until the engine has processed its options. An error that it reports, mostly a file
    /// that it cannot use, is an error here: it would play on without.
    pub fn finish_setup(&mut self, until: Instant) -> anyhow::Result<()> {
        let command = self.command.clone();
        let not_ready = || format!("{command} did not get ready");
        self.send("isready").with_context(not_ready)?;
        loop {
            let (_, line) = self.process.recv(until).with_context(not_ready)?;
            match line.split_once("info string ") {
                Some((_, text)) if text.to_ascii_lowercase().contains("error") => {
                    bail!("{command} says: {text}");
                }
                _ if line == "readyok" => return Ok(()),
                _ => {}
            }
        }
    }

    /// Waits until the engine has processed all commands.
    pub fn sync(&mut self, until: Instant) -> Result<(), EngineGone> {
        self.send("isready")?;
        self.wait_for("readyok", until).map(drop)
    }

    pub fn send(&mut self, line: &str) -> Result<(), EngineGone> {
        self.process.send(line)
    }

    /// The next line that starts with `word`, and when it came. Lines before it are skipped.
    pub fn wait_for(
        &mut self,
        word: &str,
        until: Instant,
    ) -> Result<(Instant, String), EngineGone> {
        loop {
            let (came, line) = self.process.recv(until)?;
            if line.split_whitespace().next() == Some(word) {
                return Ok((came, line));
            }
        }
    }

    /// Ends the engine at once, with all processes it started.
    pub fn kill(self) {
        self.process.kill();
    }
}

/// Parses `option name Some Name type combo default a var a var b`.
fn parse_option(line: &str) -> Option<EngineOption> {
    let rest = line.split_once("name ")?.1;
    let (name, rest) = rest.split_once(" type ")?;
    let values = rest.starts_with("combo").then(|| {
        (rest.split(" var ").skip(1))
            .map(|value| value.trim().to_owned())
            .collect()
    });
    Some(EngineOption {
        name: name.trim().to_owned(),
        values,
    })
}
