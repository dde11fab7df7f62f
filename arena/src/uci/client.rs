use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use garuda_run::{EngineCommand, UciSpec};

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
    /// Starts an engine and prepares it for a game: sets the variant and its options.
    pub fn launch(spec: &UciSpec, rules: &str, timeout: Duration) -> anyhow::Result<UciClient> {
        let until = Instant::now() + timeout;
        let mut client = UciClient::start(&spec.command, until)?;
        client.set_variant(rules)?;
        for (name, value) in &spec.options {
            client.set_option(name, value)?;
        }
        client.finish_setup(until)?;
        if let Some(file) = network_file(&spec.options) {
            client.check_network(file, rules, until)?;
        }
        Ok(client)
    }

    /// Makes sure that the engine evaluates with the network it was given. One that does not say so
    /// is trusted.
    fn check_network(&mut self, file: &str, rules: &str, until: Instant) -> anyhow::Result<()> {
        let command = self.command.clone();
        let refused = || format!("{command} cannot use the network {file:?}");
        self.send("position startpos").with_context(refused)?;
        self.send("go nodes 1").with_context(refused)?;
        loop {
            let (_, line) = self.process.recv(until).with_context(refused)?;
            let text = line.to_ascii_lowercase();
            if text.contains("classical evaluation enabled") {
                bail!(
                    "{command} plays without the network {file:?}: the file's name must begin with \
                     the variant's, as in {rules}-1.nnue"
                );
            }
            if text.starts_with("info string") && text.contains("error") {
                bail!("{command} says: {line}");
            }
            if text.starts_with("bestmove") {
                return Ok(());
            }
        }
    }

    /// Searches a position and returns the last score the engine gave and its move. `go` is the
    /// command that limits the search.
    pub fn analyse(
        &mut self,
        fen: &str,
        go: &str,
        until: Instant,
    ) -> Result<(Option<Score>, String), EngineGone> {
        self.send(&format!("position fen {fen}"))?;
        self.send(go)?;
        let mut score = None;
        loop {
            let (_, line) = self.process.recv(until)?;
            let mut words = line.split_whitespace();
            match words.next() {
                Some("info") => score = Score::of(&line).or(score),
                Some("bestmove") => {
                    return Ok((score, words.next().unwrap_or_default().to_owned()));
                }
                _ => {}
            }
        }
    }

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

/// What a search thinks of a position, for the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Score {
    /// In 1/100 of a pawn.
    Centipawns(i32),
    /// Moves until mate, negative for being mated.
    Mate(i32),
}

impl Score {
    /// The score of an `info` line. Bounds are no scores.
    pub fn of(line: &str) -> Option<Score> {
        let mut words = line.split_whitespace().skip_while(|&word| word != "score");
        words.next()?;
        let score = match (words.next()?, words.next()?.parse().ok()?) {
            ("cp", value) => Score::Centipawns(value),
            ("mate", moves) => Score::Mate(moves),
            _ => return None,
        };
        let is_bound = matches!(words.next(), Some("lowerbound" | "upperbound"));
        (!is_bound).then_some(score)
    }
}

/// The file of the network that options ask for.
fn network_file(options: &[(String, String)]) -> Option<&str> {
    let value = |name: &str| {
        let option = options
            .iter()
            .rev()
            .find(|(n, _)| n.eq_ignore_ascii_case(name));
        option.map(|(_, value)| value.as_str())
    };
    let is_off = value("Use NNUE").is_some_and(|value| value.eq_ignore_ascii_case("false"));
    value("EvalFile").filter(|file| !is_off && !file.is_empty() && *file != "<empty>")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read() {
        for (line, score) in [
            (
                "info depth 3 score cp -12 nodes 5 pv a1a2",
                Some(Score::Centipawns(-12)),
            ),
            ("info depth 3 score mate -2 nodes 5", Some(Score::Mate(-2))),
            ("info depth 3 score cp 40 lowerbound nodes 5", None),
            ("info string score", None),
            ("info depth 1 currmove a1a2", None),
        ] {
            assert_eq!(Score::of(line), score, "{line}");
        }
    }

    #[test]
    fn a_network_is_asked_for_unless_it_is_switched_off() {
        let options = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            (pairs.iter())
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect()
        };
        let with = |pairs: &[(&str, &str)]| network_file(&options(pairs)).map(str::to_owned);
        assert_eq!(with(&[("Hash", "1")]), None);
        assert_eq!(with(&[("evalfile", "a.nnue")]).as_deref(), Some("a.nnue"));
        assert_eq!(with(&[("EvalFile", "a.nnue"), ("Use NNUE", "false")]), None);
        assert_eq!(with(&[("EvalFile", "<empty>")]), None);
    }
}
