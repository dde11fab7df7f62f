use garuda_rules::{Game, GameState, Move, Position};

/// More decisions no turn has.
const MOST: usize = 3;

/// A move as people count it: in Eternal chess all decisions of a player's turn, elsewhere one
/// decision. (The booklet's Sittuyin has one player place eight pieces in a row: each is a move.)
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct OpeningMove {
    codes: [u16; MOST],
    length: u8,
}

impl OpeningMove {
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Move> {
        let codes = self.codes.into_iter().take(usize::from(self.length));
        codes.map(Move::from_code)
    }

    /// Adds a decision. A turn longer than any is cut into several plays.
    pub(super) fn push(&mut self, mv: Move) {
        self.codes[usize::from(self.length)] = mv.code();
        self.length += 1;
    }

    /// Whether it is all of a move, having led from `before` to `after`.
    pub(super) fn is_complete<P: Position>(&self, before: &P, after: &GameState<P>) -> bool {
        const { assert!(P::DECISIONS_PER_TURN <= MOST) };
        usize::from(self.length) == P::DECISIONS_PER_TURN
            || after.turn() != before.turn()
            || after.outcome().is_some()
    }

    /// The first play of a line, or as much as there is of it; `None` if there is nothing.
    pub(super) fn first_of<P: Position>(
        before: &GameState<P>,
        line: &[Move],
    ) -> Option<OpeningMove> {
        let mut play = OpeningMove::default();
        let mut game = before.clone();
        for &mv in line {
            play.push(mv);
            game.play(mv);
            if play.is_complete(before.position(), &game) {
                break;
            }
        }
        (play.length > 0).then_some(play)
    }

    /// The decisions in UCI notation, with spaces between them.
    pub fn uci<P: Position>(&self, position: &P) -> String {
        uci(position, self.moves())
    }
}

/// Decisions from a position on in UCI notation, with spaces between them.
pub(super) fn uci<P: Position>(position: &P, moves: impl Iterator<Item = Move>) -> String {
    let mut position = *position;
    let words: Vec<_> = moves
        .map(|mv| {
            let word = position.uci(mv);
            position.play(mv);
            word
        })
        .collect();
    words.join(" ")
}
