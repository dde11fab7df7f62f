use std::fmt;
use std::str::FromStr;

use anyhow::{Context, ensure};

use crate::Limit;

/// The command line of an engine: a program and its arguments, quoted as in a shell. It is executed
/// without one: nothing in it is expanded or redirected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineCommand {
    /// As it was written.
    text: String,
    program: String,
    arguments: Vec<String>,
}

impl EngineCommand {
    pub fn program(&self) -> &str {
        &self.program
    }

    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }
}

impl FromStr for EngineCommand {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<EngineCommand> {
        let text = text.trim();
        ensure!(
            !text.contains(char::is_control),
            "an engine's command must be one line without control characters"
        );
        let mut words = shlex::split(text)
            .with_context(|| format!("{text:?}: a quote or backslash has no end"))?
            .into_iter();
        let program = (words.next())
            .filter(|program| !program.is_empty())
            .context("the command is empty")?;
        Ok(EngineCommand {
            text: text.to_owned(),
            program,
            arguments: words.collect(),
        })
    }
}

impl fmt::Display for EngineCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An engine as named on the command line, after the `uci:`.
///
/// `command?Name=Value&Name=Value` where the names are options of the engine or one of the limits
/// `nodes`, `depth`, `movetime` and `clock`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UciSpec {
    pub command: EngineCommand,
    pub options: Vec<(String, String)>,
    /// `None` if the match sets it.
    pub limit: Option<Limit>,
}

impl FromStr for UciSpec {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<UciSpec> {
        let (command, settings) = match text.split_once('?') {
            None => (text, None),
            Some((command, settings)) => (command, Some(settings)),
        };
        ensure!(
            !command.trim().is_empty(),
            "a command must follow uci:, as in uci:fairy-stockfish?nodes=1000&Threads=1"
        );
        ensure!(
            !text.contains(char::is_control),
            "an engine's command and options must be one line without control characters"
        );
        let mut spec = UciSpec {
            command: command.parse()?,
            options: Vec::new(),
            limit: None,
        };
        for setting in settings.into_iter().flat_map(|text| text.split('&')) {
            let (name, value) = setting
                .split_once('=')
                .with_context(|| format!("{setting:?} must look like Name=Value"))?;
            match Limit::read(name, value) {
                None => spec.options.push((name.to_owned(), value.to_owned())),
                Some(limit) => {
                    ensure!(
                        spec.limit.replace(limit?).is_none(),
                        "{command} has two limits; one of {} is enough",
                        Limit::NAMES.join(", ")
                    );
                }
            }
        }
        Ok(spec)
    }
}

impl fmt::Display for UciSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.command.fmt(f)?;
        let limit = self.limit.iter().map(ToString::to_string);
        let options = (self.options.iter()).map(|(name, value)| format!("{name}={value}"));
        for (i, setting) in limit.chain(options).enumerate() {
            write!(f, "{}{setting}", if i == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read_and_written() {
        for (text, written) in [
            ("engine", "engine"),
            ("node uci.js --fast", "node uci.js --fast"),
            ("'my engine' \"a b\"?nodes=5", "'my engine' \"a b\"?nodes=5"),
            ("e?nodes=5", "e?nodes=5"),
            (
                "e?Skill Level=3&clock=10+0.1&Hash=1",
                "e?clock=10+0.1&Skill Level=3&Hash=1",
            ),
            ("e?EvalFile=a=b.nnue", "e?EvalFile=a=b.nnue"),
            ("e?movetime=250", "e?movetime=250"),
            ("e?depth=5&Use NNUE=true", "e?depth=5&Use NNUE=true"),
            ("e?clock=60", "e?clock=60+0"),
        ] {
            let spec: UciSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), written);
            assert_eq!(written.parse::<UciSpec>().unwrap(), spec);
        }
    }

    #[test]
    fn commands_are_split_into_words_and_nothing_is_expanded() {
        let text = r#"'an engine' "$HOME" a\ b ; rm -rf ~ `x` $(y) > z | w &"#;
        let command: EngineCommand = text.parse().unwrap();
        assert_eq!(command.program(), "an engine");
        let words = [
            "$HOME", "a b", ";", "rm", "-rf", "~", "`x`", "$(y)", ">", "z", "|", "w", "&",
        ];
        assert_eq!(command.arguments(), words);
        assert_eq!(command.to_string(), text);
    }

    #[test]
    fn bad_specs_are_refused_with_words() {
        for (text, words) in [
            ("", "a command must follow"),
            ("?nodes=1", "a command must follow"),
            ("e?nodes", "must look like Name=Value"),
            ("e?nodes=0", "above 0"),
            ("e?nodes=many", "above 0"),
            ("e?clock=0", "needs time"),
            ("e?clock=-3", "10+0.1"),
            ("e?clock=1e300", "10+0.1"),
            ("e?nodes=1&movetime=1", "two limits"),
            ("e?A=1\nquit", "one line"),
            ("'e", "has no end"),
            ("''", "empty"),
        ] {
            let error = text.parse::<UciSpec>().unwrap_err();
            assert!(format!("{error:#}").contains(words), "{text:?}: {error:#}");
        }
    }
}
