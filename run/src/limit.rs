use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

/// How long an engine may think.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Nodes a move.
    Nodes(u64),
    /// Plies of the search of each move.
    Depth(u64),
    /// Time for each move.
    MoveTime(Duration),
    /// Time for the game, and what each move adds.
    Clock(GameClock),
}

/// The time a player has left, and what each of its moves adds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct GameClock {
    pub left: Duration,
    pub increment: Duration,
}

impl Limit {
    /// The words for the kinds of limits.
    pub const NAMES: [&'static str; 4] = ["nodes", "depth", "movetime", "clock"];

    /// Reads the value of a named limit; `None` if no limit has this name.
    pub fn read(name: &str, value: &str) -> Option<anyhow::Result<Limit>> {
        let limit = match name {
            "nodes" => positive(value).map(Limit::Nodes),
            "depth" => positive(value).map(Limit::Depth),
            "movetime" => positive(value).map(|ms| Limit::MoveTime(Duration::from_millis(ms))),
            "clock" => value.parse().map(Limit::Clock),
            _ => return None,
        };
        Some(limit.with_context(|| format!("{name}={value}")))
    }
}

fn positive(text: &str) -> anyhow::Result<u64> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => bail!("{text:?} is not a whole number above 0"),
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Limit::Depth(plies) => write!(f, "depth={plies}"),
            Limit::MoveTime(time) => write!(f, "movetime={}", time.as_millis()),
            Limit::Clock(clock) => write!(f, "clock={clock}"),
        }
    }
}

impl FromStr for GameClock {
    type Err = anyhow::Error;

    /// Reads `10+0.1` or `10`, in seconds.
    fn from_str(text: &str) -> anyhow::Result<GameClock> {
        let (left, increment) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |text: &str| {
            (text.parse().ok())
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                .with_context(|| {
                    format!("{text:?} is no time in seconds; a clock looks like 10+0.1")
                })
        };
        let clock = GameClock {
            left: seconds(left)?,
            increment: seconds(increment)?,
        };
        ensure!(!clock.left.is_zero(), "a clock needs time to start with");
        Ok(clock)
    }
}

impl fmt::Display for GameClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, increment) = (self.left.as_secs_f64(), self.increment.as_secs_f64());
        write!(f, "{left}+{increment}")
    }
}
