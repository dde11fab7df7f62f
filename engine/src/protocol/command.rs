use std::time::Duration;

/// A line from the program that uses the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    Uci,
    Usi,
    IsReady,
    NewGame,
    Position {
        start: Start,
        /// As they were written.
        moves: Vec<String>,
    },
    Go(Go),
    Stop,
    PonderHit,
    SetOption {
        name: String,
        value: String,
    },
    Quit,
    /// Show the position.
    Display,
    /// Show what the evaluator thinks of the position without searching.
    Eval,
    Perft(u32),
}

/// Where a game starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    Own,
    Fen(String),
    /// As shogi programs write it: the first player is `b`, and hands are a field of their own.
    Sfen(String),
}

/// What to search, and for how long.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Go {
    /// The only moves to look at; any if there are none.
    pub searchmoves: Vec<String>,
    /// Searches in the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    pub infinite: bool,
    pub movetime: Option<Duration>,
    pub nodes: Option<u32>,
    pub depth: Option<u32>,
    /// Searches for a mate, however long it takes.
    pub mate: bool,
    pub clocks: Clocks,
}

/// The clocks of both sides. In UCI `w` is the first player, in USI it is `b`.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Clocks {
    pub wtime: Option<Duration>,
    pub btime: Option<Duration>,
    pub winc: Duration,
    pub binc: Duration,
    pub byoyomi: Duration,
    pub movestogo: Option<u32>,
}

impl Go {
    /// Whether only `stop`, `ponderhit` or a proof ends it.
    pub fn is_endless(&self) -> bool {
        self.infinite || self.ponder || !self.has_limit()
    }

    fn has_limit(&self) -> bool {
        let Clocks {
            wtime,
            btime,
            byoyomi,
            ..
        } = self.clocks;
        let clock = wtime.is_some() || btime.is_some() || !byoyomi.is_zero();
        clock || self.movetime.is_some() || self.nodes.is_some() || self.depth.is_some()
    }
}
