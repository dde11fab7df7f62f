use garuda_rules::{Game, GameState, Move, Position};

/// Largest number of decisions in a turn of any game.
const MAX_DECISIONS: usize = 3;

/// A move as people count it: in Eternal chess all decisions of a turn, elsewhere one decision.
/// (In the booklet's Sittuyin a player places eight pieces in a row: each is a move.)
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct OpeningMove {
    codes: [u16; MAX_DECISIONS],
    length: u8,
}

impl OpeningMove {
    pub fn decisions(&self) -> impl ExactSizeIterator<Item = Move> {
        let codes = self.codes.into_iter().take(usize::from(self.length));
        codes.map(Move::from_code)
    }

    /// Adds a decision. The move must not be complete.
    pub(super) fn push(&mut self, mv: Move) {
        self.codes[usize::from(self.length)] = mv.code();
        self.length += 1;
    }

    /// Whether no decision is missing, the move having led from `before` to `after`.
    pub(super) fn is_complete<P: Position>(&self, before: &P, after: &GameState<P>) -> bool {
        const { assert!(P::DECISIONS_PER_TURN <= MAX_DECISIONS) };
        usize::from(self.length) == P::DECISIONS_PER_TURN
            || after.turn() != before.turn()
            || after.outcome().is_some()
    }

    /// The first move of a line, possibly incomplete; `None` if the line is empty.
    pub(super) fn first_of<P: Position>(
        before: &GameState<P>,
        line: &[Move],
    ) -> Option<OpeningMove> {
        let mut first = OpeningMove::default();
        let mut game = before.clone();
        for &mv in line {
            first.push(mv);
            game.play(mv);
            if first.is_complete(before.position(), &game) {
                break;
            }
        }
        (first.length > 0).then_some(first)
    }

    /// The decisions in UCI notation, separated by spaces.
    pub fn uci<P: Position>(&self, position: &P) -> String {
        uci_line(position, self.decisions())
    }

    /// The decisions as people of this game write them, separated by spaces.
    pub fn notation<P: Position>(&self, position: &P) -> String {
        written(position, self.decisions(), P::display_move)
    }
}

/// Decisions from a position in UCI notation, separated by spaces.
pub(super) fn uci_line<P: Position>(position: &P, moves: impl Iterator<Item = Move>) -> String {
    written(position, moves, P::uci)
}

fn written<P: Position>(
    position: &P,
    moves: impl Iterator<Item = Move>,
    write: impl Fn(&P, Move) -> String,
) -> String {
    let mut position = *position;
    let moves: Vec<_> = moves
        .map(|mv| {
            let text = write(&position, mv);
            position.play(mv);
            text
        })
        .collect();
    moves.join(" ")
}
