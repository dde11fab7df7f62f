use std::iter::Peekable;
use std::str::{FromStr, SplitWhitespace};
use std::time::Duration;

use thiserror::Error;

use super::{Command, Go, StartPosition};

/// Why a line is not a valid command. Messages quote the offending text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseError {
    #[error("unknown command {0:?}")]
    Unknown(String),
    #[error("{0} has no arguments")]
    Missing(&'static str),
    #[error("{what} must be a number, not {text:?}")]
    Number { what: String, text: String },
    #[error("\"position\" must be followed by startpos, fen or sfen, not {0:?}")]
    Start(String),
    #[error("unknown argument {0:?} of \"go\"")]
    Go(String),
    #[error("\"setoption\" must be followed by \"name\"")]
    Option,
}

/// Longer text is truncated in messages.
const MAX_QUOTED: usize = 60;

pub(super) fn quote(text: &str) -> String {
    text.chars().take(MAX_QUOTED).collect()
}

impl Command {
    /// Parses a line. `None` for empty lines and commands that are ignored.
    pub fn parse(line: &str) -> Result<Option<Command>, ParseError> {
        let mut words = line.split_whitespace().peekable();
        let Some(first) = words.next() else {
            return Ok(None);
        };
        let command = match first {
            "uci" => Command::Uci,
            "usi" => Command::Usi,
            "isready" => Command::IsReady,
            "ucinewgame" | "usinewgame" => Command::NewGame,
            "position" => position(words)?,
            "go" => return go(words).map(Some),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "setoption" => set_option(words)?,
            "quit" => Command::Quit,
            "d" => Command::Display,
            "eval" => Command::Eval,
            "perft" => Command::Perft(number("the depth of perft", words.next())?),
            "debug" | "register" | "gameover" => return Ok(None),
            _ => return Err(ParseError::Unknown(quote(line.trim()))),
        };
        Ok(Some(command))
    }
}

fn number<N: FromStr>(what: &str, word: Option<&str>) -> Result<N, ParseError> {
    let text = word.unwrap_or_default();
    text.parse().map_err(|_| ParseError::Number {
        what: what.to_owned(),
        text: quote(text),
    })
}

/// Some GUIs send a negative time when the flag has fallen.
fn milliseconds(what: &str, word: Option<&str>) -> Result<Duration, ParseError> {
    let time: i64 = number(what, word)?;
    Ok(Duration::from_millis(time.max(0) as u64))
}

/// Numbers too large for the type saturate.
fn count(what: &str, word: Option<&str>) -> Result<u32, ParseError> {
    let count: u64 = number(what, word)?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

fn position(mut words: Peekable<SplitWhitespace<'_>>) -> Result<Command, ParseError> {
    let keyword = words.next().ok_or(ParseError::Missing("\"position\""))?;
    let mut text = Vec::new();
    while let Some(word) = words.next_if(|&word| word != "moves") {
        text.push(word);
    }
    let text = text.join(" ");
    let start = match keyword {
        "startpos" if text.is_empty() => StartPosition::Default,
        "startpos" => return Err(ParseError::Start(quote(&text))),
        "fen" => StartPosition::Fen(text),
        "sfen" => StartPosition::Sfen(text),
        _ => return Err(ParseError::Start(quote(keyword))),
    };
    let moves = words.skip(1).map(str::to_owned).collect();
    Ok(Command::Position { start, moves })
}

fn go(mut words: Peekable<SplitWhitespace<'_>>) -> Result<Command, ParseError> {
    let mut go = Go::default();
    while let Some(word) = words.next() {
        match word {
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !is_go_keyword(word)) {
                    go.searchmoves.push(mv.to_owned());
                }
            }
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "movetime" => go.movetime = Some(milliseconds(word, words.next())?),
            "nodes" => go.nodes = Some(count(word, words.next())?),
            "depth" => go.depth = Some(count(word, words.next())?),
            "mate" => {
                go.mate = true;
                // The length of the mate (in USI the time) is ignored: any mate is accepted.
                words.next_if(|word| *word == "infinite" || word.parse::<u64>().is_ok());
            }
            "wtime" => go.clocks.wtime = Some(milliseconds(word, words.next())?),
            "btime" => go.clocks.btime = Some(milliseconds(word, words.next())?),
            "winc" => go.clocks.winc = milliseconds(word, words.next())?,
            "binc" => go.clocks.binc = milliseconds(word, words.next())?,
            "byoyomi" => go.clocks.byoyomi = milliseconds(word, words.next())?,
            "movestogo" => go.clocks.movestogo = Some(count(word, words.next())?),
            "perft" => return Ok(Command::Perft(number("the depth of perft", words.next())?)),
            _ => return Err(ParseError::Go(quote(word))),
        }
    }
    Ok(Command::Go(go))
}

fn is_go_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 14] = [
        "ponder",
        "infinite",
        "movetime",
        "nodes",
        "depth",
        "mate",
        "wtime",
        "btime",
        "winc",
        "binc",
        "byoyomi",
        "movestogo",
        "perft",
        "searchmoves",
    ];
    KEYWORDS.contains(&word)
}

/// `name N` or `name N value V`; both can have several words.
fn set_option(mut words: Peekable<SplitWhitespace<'_>>) -> Result<Command, ParseError> {
    if words.next() != Some("name") {
        return Err(ParseError::Option);
    }
    let mut name = Vec::new();
    while let Some(word) = words.next_if(|&word| word != "value") {
        name.push(word);
    }
    let value: Vec<_> = words.skip(1).collect();
    Ok(Command::SetOption {
        name: name.join(" "),
        value: value.join(" "),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(line: &str) -> Command {
        Command::parse(line).unwrap().unwrap()
    }

    #[test]
    fn commands_are_parsed() {
        assert_eq!(Command::parse(""), Ok(None));
        assert_eq!(Command::parse(" \t "), Ok(None));
        assert_eq!(Command::parse("debug on"), Ok(None));
        assert_eq!(parsed("  isready \r"), Command::IsReady);
        let position = |start, moves: &[&str]| Command::Position {
            start,
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
        };
        assert_eq!(
            parsed("position startpos"),
            position(StartPosition::Default, &[])
        );
        assert_eq!(
            parsed("position startpos moves e4e5 d6e5"),
            position(StartPosition::Default, &["e4e5", "d6e5"])
        );
        assert_eq!(
            parsed("position fen 8/8 w - - 0 1 moves a1a2"),
            position(StartPosition::Fen("8/8 w - - 0 1".into()), &["a1a2"])
        );
        assert_eq!(
            parsed("position sfen 7/7 b - 1"),
            position(StartPosition::Sfen("7/7 b - 1".into()), &[])
        );
        let option = |name: &str, value: &str| Command::SetOption {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        assert_eq!(
            parsed("setoption name Move Overhead value 20"),
            option("Move Overhead", "20")
        );
        assert_eq!(
            parsed("setoption name EvalFile value a folder/a file.onnx"),
            option("EvalFile", "a folder/a file.onnx")
        );
        assert_eq!(parsed("setoption name EvalFile"), option("EvalFile", ""));
        assert_eq!(parsed("go perft 3"), Command::Perft(3));
        assert_eq!(parsed("perft 3"), Command::Perft(3));
    }

    #[test]
    fn go_arguments_are_parsed() {
        let Command::Go(go) =
            parsed("go searchmoves a1a2 S@c4 wtime -50 btime 2000 winc 10 movestogo 7 nodes 9")
        else {
            panic!("not a go command");
        };
        assert_eq!(go.searchmoves, ["a1a2", "S@c4"]);
        assert_eq!(go.clocks.wtime, Some(Duration::ZERO));
        assert_eq!(go.clocks.btime, Some(Duration::from_secs(2)));
        assert_eq!(go.clocks.winc, Duration::from_millis(10));
        assert_eq!((go.clocks.movestogo, go.nodes), (Some(7), Some(9)));
        assert!(!go.is_endless());
        for (line, endless) in [
            ("go", true),
            ("go infinite", true),
            ("go mate 3", true),
            ("go mate infinite", true),
            ("go ponder wtime 1000 btime 1000", true),
            ("go btime 0 wtime 0 byoyomi 1000", false),
            ("go byoyomi 1000", false),
            ("go depth 3", false),
            ("go nodes 99999999999999", false),
            ("go movetime 100", false),
        ] {
            let Command::Go(go) = parsed(line) else {
                panic!("{line}");
            };
            assert_eq!(go.is_endless(), endless, "{line}");
        }
    }

    #[test]
    fn errors_quote_the_offending_text() {
        for (line, message) in [
            ("xyzzy \u{7} 1", "unknown command \"xyzzy \\u{7} 1\""),
            ("go nodes", "nodes must be a number, not \"\""),
            ("go nodes many", "nodes must be a number, not \"many\""),
            ("go fast", "unknown argument \"fast\""),
            ("position", "has no arguments"),
            ("position here", "not \"here\""),
            ("position startpos e4e5", "not \"e4e5\""),
            ("setoption Hash 3", "followed by \"name\""),
            ("perft", "must be a number"),
            ("perft -1", "must be a number"),
        ] {
            let error = Command::parse(line).unwrap_err().to_string();
            assert!(error.contains(message), "{line}: {error}");
        }
        let long = "x".repeat(100_000);
        assert!(Command::parse(&long).unwrap_err().to_string().len() < 200);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn any_line_is_parsed_or_refused(line in "\\PC*") {
            let _ = Command::parse(&line);
        }

        #[test]
        fn any_words_are_parsed_or_refused(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "go", "position", "startpos", "fen", "sfen", "moves", "setoption", "name",
                    "value", "nodes", "wtime", "searchmoves", "mate", "infinite", "ponder", "-1",
                    "0", "7", "99999999999999999999", "e4e5", "\u{0}", "é", "perft", "d",
                ]),
                0..12,
            )
        ) {
            let line = words.join(" ");
            if let Err(error) = Command::parse(&line) {
                prop_assert!(!error.to_string().contains(['\n', '\0']));
            }
        }
    }
}
