use crate::{
    Color, FenError, Move, MoveError, MoveList, Outcome, Position, Repetition, Termination,
};

/// A game in progress, as a search sees it. The sides need not alternate.
pub trait Game: Clone + Send + Sync + 'static {
    /// The side to move.
    fn turn(&self) -> Color;

    /// Replaces the contents of `moves` by the legal moves. There may be some although the game
    /// is over.
    fn legal_moves(&self, moves: &mut MoveList);

    /// Plays a legal move.
    fn play(&mut self, mv: Move);

    /// How the game ended, if it did. `legal` are the legal moves, so that they need not be
    /// generated twice.
    fn outcome_given(&self, legal: &MoveList) -> Option<Outcome>;

    /// How the game ended, if it did.
    fn outcome(&self) -> Option<Outcome> {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        self.outcome_given(&moves)
    }

    /// Takes back all that was played since `earlier`, of which this game is a continuation.
    fn return_to(&mut self, earlier: &Self) {
        self.clone_from(earlier);
    }

    /// Index of a legal move that wins at once, if there is one. `legal` are all legal moves.
    ///
    /// Searches ask this of every new position. [`first_winning_move`] answers it for any game, but
    /// there is no default: a wrapper that forgot the fast answer of its game would halve the speed
    /// of a search and nothing else.
    fn winning_move(&self, legal: &MoveList) -> Option<usize>;

    /// Hash of the position together with all of its past that the rules look at: occurrences,
    /// counting, move rule. Equal keys may share an evaluation.
    fn state_key(&self) -> u64;
}

/// Index of the first move that wins at once, found by trying them all.
pub fn first_winning_move<G: Game>(game: &G, legal: &MoveList) -> Option<usize> {
    let mut next = game.clone();
    legal.iter().position(|&mv| {
        next.return_to(game);
        next.play(mv);
        let outcome = next.outcome();
        outcome.is_some_and(|outcome| outcome.winner == Some(game.turn()))
    })
}

/// A position and the past that led to it: repetition and length are known.
///
/// ```
/// use garuda_rules::{Game, Makruk};
///
/// let mut game = Makruk::start();
/// game.play_uci("e3e4")?;
/// game.play_uci("d6d5")?;
/// assert_eq!(game.plies(), 2);
/// assert_eq!(game.outcome(), None);
/// assert!(game.play_uci("e4e6").is_err());
/// # Ok::<(), garuda_rules::MoveError>(())
/// ```
#[derive(Debug)]
pub struct GameState<P> {
    position: P,
    /// The positions before this one, oldest first.
    past: Vec<Past>,
    /// Number of past positions by the low bits of their keys: a position whose number is 0 is
    /// new, and the past need not be searched for it.
    past_by_key: [u16; KEY_SLOTS],
    /// How often the position has occurred, this time included.
    occurrences: u8,
    /// The most that any position of the game has occurred.
    most_occurrences: u8,
    turns: u32,
}

const KEY_SLOTS: usize = 256;

fn key_slot(key: u64) -> usize {
    key as usize % KEY_SLOTS
}

#[derive(Copy, Clone, Debug)]
struct Past {
    key: u64,
    turn: Color,
    check: bool,
}

impl<P: Copy> Clone for GameState<P> {
    fn clone(&self) -> Self {
        GameState {
            past: self.past.clone(),
            ..*self
        }
    }

    /// Keeps the memory of the past: a search copies games all the time.
    fn clone_from(&mut self, source: &Self) {
        self.past.clone_from(&source.past);
        self.past_by_key = source.past_by_key;
        self.position = source.position;
        self.occurrences = source.occurrences;
        self.most_occurrences = source.most_occurrences;
        self.turns = source.turns;
    }
}

impl<P: Position> GameState<P> {
    /// The game's ordinary start.
    pub fn start() -> Self {
        Self::from_position(P::start())
    }

    /// A game that starts here, with nothing before it.
    pub fn from_position(position: P) -> Self {
        GameState {
            position,
            past: Vec::new(),
            past_by_key: [0; KEY_SLOTS],
            occurrences: 1,
            most_occurrences: 1,
            turns: 0,
        }
    }

    /// A game that starts at the position of a FEN.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        text.parse().map(Self::from_position)
    }

    /// The position as it stands.
    pub fn position(&self) -> &P {
        &self.position
    }

    /// How often the present position has occurred, this time included.
    pub fn occurrences(&self) -> u8 {
        self.occurrences
    }

    /// Moves (decisions) since the start.
    pub fn plies(&self) -> u32 {
        self.past.len() as u32
    }

    /// How often the turn has passed to the other side since the start.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// Plays a move given in UCI notation.
    pub fn play_uci(&mut self, text: &str) -> Result<Move, MoveError> {
        let mv = self.position.parse_uci(text)?;
        self.play(mv);
        Ok(mv)
    }

    fn occurrences_of_present(&self) -> u8 {
        let key = self.position.key();
        if self.past_by_key[key_slot(key)] == 0 {
            return 1;
        }
        let earlier = self
            .past
            .iter()
            .rev()
            .take(self.position.repetition_horizon())
            .filter(|past| past.key == key)
            .count();
        (earlier + 1).min(usize::from(u8::MAX)) as u8
    }

    fn repetition(&self) -> Option<Outcome> {
        if self.occurrences < P::REPETITION.occurrences() {
            return None;
        }
        match P::REPETITION {
            Repetition::Draw(_) => Some(Outcome::draw(Termination::Repetition)),
            Repetition::Loses(_) => Some(repetition_loss(self.cycle(), self.position.turn())),
        }
    }

    /// What was played since the first of the occurrences that count.
    fn cycle(&self) -> &[Past] {
        let key = self.position.key();
        let earlier = usize::from(P::REPETITION.occurrences()) - 1;
        let plies = self
            .past
            .iter()
            .rev()
            .enumerate()
            .filter(|(_, past)| past.key == key)
            .take(earlier)
            .last()
            .map_or(0, |(back, _)| back + 1);
        &self.past[self.past.len() - plies..]
    }
}

/// The outcome where repeating loses, after `cycle` came back to a position with `turn` to move.
fn repetition_loss(cycle: &[Past], turn: Color) -> Outcome {
    // Who was in check at every one of its turns was checked by every move of the other.
    let always_checked = |side: Color| {
        let mut turns = cycle.iter().filter(|past| past.turn == side).peekable();
        turns.peek().is_some() && turns.all(|past| past.check)
    };
    match (always_checked(turn), always_checked(!turn)) {
        (true, true) => Outcome::draw(Termination::PerpetualCheck),
        (true, false) => Outcome::win(turn, Termination::PerpetualCheck),
        (false, true) => Outcome::win(!turn, Termination::PerpetualCheck),
        (false, false) => Outcome::win(turn, Termination::Repetition),
    }
}

impl<P: Position> Game for GameState<P> {
    fn turn(&self) -> Color {
        self.position.turn()
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        self.position.legal_moves(moves);
    }

    fn play(&mut self, mv: Move) {
        let turn = self.position.turn();
        let key = self.position.key();
        self.past_by_key[key_slot(key)] += 1;
        self.past.push(Past {
            key,
            turn,
            check: matches!(P::REPETITION, Repetition::Loses(_)) && self.position.is_check(),
        });
        self.position.play(mv);
        if self.position.turn() != turn {
            self.turns += 1;
        }
        self.occurrences = self.occurrences_of_present();
        self.most_occurrences = self.most_occurrences.max(self.occurrences);
    }

    fn outcome_given(&self, legal: &MoveList) -> Option<Outcome> {
        self.position
            .terminal_outcome(legal)
            .or_else(|| self.repetition())
            .or_else(|| self.position.length_limit(self.plies(), self.turns))
    }

    fn winning_move(&self, legal: &MoveList) -> Option<usize> {
        // Only where repetition loses can it win, and only after as many occurrences but one.
        let by_repetition = matches!(P::REPETITION, Repetition::Loses(_))
            && self.most_occurrences + 1 >= P::REPETITION.occurrences();
        let (plies, turns) = (self.plies() + 1, self.turns + 1);
        if by_repetition || self.position.length_limit(plies, turns).is_some() {
            return first_winning_move(self, legal);
        }
        self.position.winning_move(legal)
    }

    fn return_to(&mut self, earlier: &Self) {
        for past in self.past.drain(earlier.past.len()..) {
            self.past_by_key[key_slot(past.key)] -= 1;
        }
        debug_assert_eq!(
            self.past.last().map(|past| past.key),
            earlier.past.last().map(|past| past.key),
            "this game is no continuation of the other"
        );
        self.position = earlier.position;
        self.occurrences = earlier.occurrences;
        self.most_occurrences = earlier.most_occurrences;
        self.turns = earlier.turns;
    }

    fn state_key(&self) -> u64 {
        // An odd multiplier keeps different counts from cancelling against Zobrist keys.
        let past = u64::from(self.occurrences).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.position.key() ^ self.position.clock_key() ^ past
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No position is known in which both sides can check each other for ever, so this is a
    /// made-up past.
    #[test]
    fn mutual_perpetual_check_is_a_draw() {
        let turns = [Color::Black, Color::White];
        let checks = turns.map(|turn| Past {
            key: 0,
            turn,
            check: true,
        });
        let draw = Outcome::draw(Termination::PerpetualCheck);
        assert_eq!(repetition_loss(&checks.repeat(6), Color::Black), draw);
        let mut almost = checks.repeat(6);
        almost[3].check = false;
        let loss = Outcome::win(Color::Black, Termination::PerpetualCheck);
        assert_eq!(repetition_loss(&almost, Color::Black), loss);
    }
}
