use anyhow::{Context, bail};
use garuda_rules::{Game, GameState, Position};

/// The position whose moves are looked at, and where the games that count began.
#[derive(Debug)]
pub struct OpeningRoot<P> {
    start: P,
    game: GameState<P>,
    from: Option<String>,
}

impl<P: Position> OpeningRoot<P> {
    /// The ordinary start of a run, or the position that `from` names: by its text form, or by
    /// the moves that lead to it from the start, with spaces or commas between them.
    pub fn new(start: P, from: Option<&str>) -> anyhow::Result<OpeningRoot<P>> {
        let game = match from {
            None => GameState::from_position(start),
            Some(text) => read(start, text)?,
        };
        if let Some(outcome) = game.outcome() {
            bail!("there the game is over by {}", outcome.termination);
        }
        Ok(OpeningRoot {
            start,
            game,
            from: from.map(ToOwned::to_owned),
        })
    }

    pub fn start(&self) -> &P {
        &self.start
    }

    /// The game up to the position.
    pub fn game(&self) -> &GameState<P> {
        &self.game
    }

    /// What was asked for, if it was not the start.
    pub fn from(&self) -> Option<&str> {
        self.from.as_deref()
    }
}

fn read<P: Position>(start: P, text: &str) -> anyhow::Result<GameState<P>> {
    let error = match text.trim().parse() {
        Ok(position) => return Ok(GameState::from_position(position)),
        Err(error) => error,
    };
    let mut game = GameState::from_position(start);
    for (i, word) in text
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .enumerate()
    {
        game.play_uci(word).with_context(|| {
            let moves = format!("as moves, number {} is not legal", i + 1);
            format!("{text:?} is no position ({error}); {moves}")
        })?;
    }
    Ok(game)
}
