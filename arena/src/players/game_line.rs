use garuda_rules::{Game, GameState, Move, Position};

/// A game with its start and all moves since, as engines and records need it.
#[derive(Clone, Debug)]
pub struct GameLine<P: Copy> {
    start: P,
    moves: Vec<Move>,
    game: GameState<P>,
}

impl<P: Position> GameLine<P> {
    pub fn new(start: P) -> GameLine<P> {
        GameLine {
            start,
            moves: Vec::new(),
            game: GameState::from_position(start),
        }
    }

    pub fn start(&self) -> &P {
        &self.start
    }

    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The game after all moves.
    pub fn game(&self) -> &GameState<P> {
        &self.game
    }

    pub fn position(&self) -> &P {
        self.game.position()
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.moves.push(mv);
        self.game.play(mv);
    }

    /// The moves in UCI notation.
    pub fn uci_moves(&self) -> Vec<String> {
        let mut position = self.start;
        let mut written = Vec::with_capacity(self.moves.len());
        for &mv in &self.moves {
            written.push(position.uci(mv));
            position.play(mv);
        }
        written
    }
}
