use std::time::Duration;

/// A command of the GUI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    Uci,
    Usi,
    IsReady,
    NewGame,
    Position {
        start: StartPosition,
        /// In the notation of the protocol, not parsed yet.
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
    /// `d`: show the position.
    Display,
    /// Show the evaluation of the position without search.
    Eval,
    Perft(u32),
}

/// The position before the moves of a `position` command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartPosition {
    /// `startpos`
    Default,
    Fen(String),
    /// In shogi notation: the first player is `b`, and the hands are a separate field.
    Sfen(String),
}

/// The arguments of `go`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Go {
    /// If not empty, only these moves are searched.
    pub searchmoves: Vec<String>,
    /// Search on the opponent's time until `ponderhit` or `stop`.
    pub ponder: bool,
    pub infinite: bool,
    pub movetime: Option<Duration>,
    pub nodes: Option<u32>,
    pub depth: Option<u32>,
    /// Search until a mate is proven.
    pub mate: bool,
    pub clocks: Clocks,
}

/// The clocks of both sides. The first player is `w` in UCI and `b` in USI.
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
    /// Whether the search has no limit and ends only by `stop`, `ponderhit` or a proof.
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
