use anyhow::{Context, bail};
use garuda_arena::players::GameLine;
use garuda_rules::{Game, GameState, Position};

/// The position that is studied, and the start of the games that count.
#[derive(Debug)]
pub struct OpeningRoot<P: Copy> {
    start: P,
    line: GameLine<P>,
    from: Option<String>,
}

impl<P: Position> OpeningRoot<P> {
    /// The ordinary start of a run, or the position that `from` names: as a FEN, or as moves from
    /// the start, separated by spaces or commas.
    pub fn new(start: P, from: Option<&str>) -> anyhow::Result<OpeningRoot<P>> {
        let line = match from {
            None => GameLine::new(start),
            Some(text) => read(start, text)?,
        };
        if let Some(outcome) = line.game().outcome() {
            bail!("the game is over in this position: {}", outcome.termination);
        }
        Ok(OpeningRoot {
            start,
            line,
            from: from.map(ToOwned::to_owned),
        })
    }

    pub fn start(&self) -> &P {
        &self.start
    }

    /// The game up to the position.
    pub fn game(&self) -> &GameState<P> {
        self.line.game()
    }

    /// The moves to the position, and where they start: there if it was named by a FEN.
    pub fn line(&self) -> &GameLine<P> {
        &self.line
    }

    /// The position asked for, as a FEN or moves; `None` for the start.
    pub fn from(&self) -> Option<&str> {
        self.from.as_deref()
    }
}

fn read<P: Position>(start: P, text: &str) -> anyhow::Result<GameLine<P>> {
    let error = match text.trim().parse() {
        Ok(position) => return Ok(GameLine::new(position)),
        Err(error) => error,
    };
    let mut line = GameLine::new(start);
    for (i, uci) in text
        .split([' ', ','])
        .filter(|uci| !uci.is_empty())
        .enumerate()
    {
        let mv = line.position().parse_uci(uci).with_context(|| {
            let number = i + 1;
            format!("{text:?} is neither a FEN ({error}) nor legal moves: move {number}")
        })?;
        line.play(mv);
    }
    Ok(line)
}
