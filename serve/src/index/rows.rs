use std::cmp::Ordering;

use garuda_rules::{Color, Position};
use garuda_run::records::{DecisionKind, GameRecord};
use rayon::slice::ParallelSliceMut;

/// How many decisions of a game are in the index.
pub(crate) const MAX_PLIES: usize = 60;

/// The value of a decision without a search.
const NOT_SEARCHED: i16 = i16::MIN;

/// A move of a game in a position. The first build of an index sorts tens of millions of these:
/// they are as small as can be, and what is the same for all moves of a game is in [`IndexedGame`].
#[derive(Copy, Clone, Debug)]
pub(super) struct PlayedMove {
    /// SQLite orders the keys of positions as signed numbers.
    position: i64,
    /// The place of the game in its chunk.
    game: u32,
    mv: u16,
    /// The search's value for the side to move, from −255 to 255: whole numbers, so that the order
    /// of games does not matter in sums.
    value: i16,
}

/// A game as the index lists it.
#[derive(Clone, Debug)]
pub(super) struct IndexedGame {
    pub(super) checkpoint: u32,
    pub(super) number: u64,
    pub(super) winner: Option<Color>,
    pub(super) termination: String,
    pub(super) plies: usize,
    /// Whether it started elsewhere than the run's games ordinarily do.
    pub(super) varied: bool,
    /// Whether its moves count: not if an earlier record file has the same game.
    pub(super) counts: bool,
}

/// What the games of one checkpoint show of a move in a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct MoveRow {
    pub(super) position: i64,
    pub(super) mv: u16,
    pub(super) varied: bool,
    pub(super) checkpoint: u32,
    pub(super) white: u32,
    pub(super) draws: u32,
    pub(super) black: u32,
    pub(super) value_sum: i64,
    pub(super) value_count: u32,
    /// The highest number of a game.
    pub(super) last_game: u64,
}

/// A verified game and its moves, which are numbered as of game 0. A game counts once in a position,
/// when it first comes there.
pub(super) fn of_game<P: Position>(
    record: &GameRecord,
    ordinary: &P,
) -> (IndexedGame, Vec<PlayedMove>) {
    let mut position: P = (record.start().parse()).expect("a verified record has a valid start");
    let game = IndexedGame {
        checkpoint: record.checkpoint(),
        number: record.number(),
        winner: record.winner(),
        termination: record.termination_name().to_owned(),
        plies: record.plies(),
        varied: position.key() != ordinary.key(),
        counts: true,
    };
    let mut moves: Vec<PlayedMove> = Vec::with_capacity(record.plies().min(MAX_PLIES));
    let decisions = record.moves().zip(record.kinds()).zip(record.wdls());
    for ((mv, kind), wdl) in decisions.take(MAX_PLIES) {
        let key = position.key().cast_signed();
        if moves.iter().all(|played| played.position != key) {
            moves.push(PlayedMove {
                position: key,
                game: 0,
                mv: mv.code(),
                value: match kind {
                    DecisionKind::Unsearched => NOT_SEARCHED,
                    _ => (wdl.value() * 255.0).round() as i16,
                },
            });
        }
        position.play(mv);
    }
    (game, moves)
}

/// The moves of some games, for one transaction.
#[derive(Default)]
pub(super) struct PlayedMoves(Vec<PlayedMove>);

impl PlayedMoves {
    /// Adds the moves of the game at a place of the chunk.
    pub(super) fn add(&mut self, game: usize, moves: &[PlayedMove]) {
        let game = u32::try_from(game).expect("a chunk has fewer games than moves");
        let moves = moves.iter().map(|&played| PlayedMove { game, ..played });
        self.0.extend(moves);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The rows that they add up to, in the order of the table.
    pub(super) fn rows(&mut self, games: &[IndexedGame]) -> impl Iterator<Item = MoveRow> {
        (self.0).par_sort_unstable_by(|a, b| compare(a, b, games));
        (self.0)
            .chunk_by(move |a, b| compare(a, b, games).is_eq())
            .filter_map(move |group| sum(group, games))
    }
}

/// The order of the table's rows.
fn compare(a: &PlayedMove, b: &PlayedMove, games: &[IndexedGame]) -> Ordering {
    let of_game = |played: &PlayedMove| {
        let game = &games[played.game as usize];
        (game.varied, game.checkpoint)
    };
    let order = (a.position, a.mv).cmp(&(b.position, b.mv));
    order.then_with(|| of_game(a).cmp(&of_game(b)))
}

/// The row of moves that differ by their games alone; `None` if none of these counts.
fn sum(group: &[PlayedMove], games: &[IndexedGame]) -> Option<MoveRow> {
    let mut total: Option<MoveRow> = None;
    for played in group {
        let game = &games[played.game as usize];
        if !game.counts {
            continue;
        }
        let row = total.get_or_insert(MoveRow {
            position: played.position,
            mv: played.mv,
            varied: game.varied,
            checkpoint: game.checkpoint,
            white: 0,
            draws: 0,
            black: 0,
            value_sum: 0,
            value_count: 0,
            last_game: game.number,
        });
        match game.winner {
            Some(Color::White) => row.white += 1,
            None => row.draws += 1,
            Some(Color::Black) => row.black += 1,
        }
        if played.value != NOT_SEARCHED {
            row.value_sum += i64::from(played.value);
            row.value_count += 1;
        }
        row.last_game = row.last_game.max(game.number);
    }
    total
}
