use garuda_rules::{Color, Position};
use garuda_run::records::{DecisionKind, GameRecord};

/// How many decisions of a game are in the index.
pub(crate) const MAX_PLIES: usize = 60;

/// What the games of one checkpoint show of a move in a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct MoveRow {
    pub(super) position: u64,
    pub(super) mv: u16,
    /// Whether the games started elsewhere than the run's games ordinarily do.
    pub(super) varied: bool,
    pub(super) checkpoint: u32,
    pub(super) white: u32,
    pub(super) draws: u32,
    pub(super) black: u32,
    /// Sum of the search's values for the side to move, each from −255 to 255: whole numbers, so
    /// that the order of games does not matter.
    pub(super) value_sum: i64,
    pub(super) value_count: u32,
    /// The highest number of a game.
    pub(super) last_game: u64,
}

impl MoveRow {
    /// SQLite orders the keys of positions as signed numbers.
    pub(super) fn key(&self) -> (i64, u16, bool, u32) {
        (
            self.position.cast_signed(),
            self.mv,
            self.varied,
            self.checkpoint,
        )
    }

    fn add(&mut self, other: &MoveRow) {
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
        self.value_sum += other.value_sum;
        self.value_count += other.value_count;
        self.last_game = self.last_game.max(other.last_game);
    }
}

/// Sorts rows and adds up those of one key.
pub(super) fn sort_and_merge(rows: &mut Vec<MoveRow>) {
    rows.sort_unstable_by_key(MoveRow::key);
    rows.dedup_by(|next, kept| {
        let same = next.key() == kept.key();
        if same {
            kept.add(next);
        }
        same
    });
}

/// What a verified game adds. A game counts once in a position, when it first comes there.
pub(super) fn of_game<P: Position>(record: &GameRecord, ordinary: &P) -> (bool, Vec<MoveRow>) {
    let mut position: P = (record.start().parse()).expect("a verified record has a valid start");
    let varied = position.key() != ordinary.key();
    let winner = record.winner();
    let mut rows: Vec<MoveRow> = Vec::with_capacity(record.plies().min(MAX_PLIES));
    let decisions = record.moves().zip(record.kinds()).zip(record.wdls());
    for ((mv, kind), wdl) in decisions.take(MAX_PLIES) {
        let key = position.key();
        if rows.iter().all(|row| row.position != key) {
            let searched = kind != DecisionKind::Unsearched;
            rows.push(MoveRow {
                position: key,
                mv: mv.code(),
                varied,
                checkpoint: record.checkpoint(),
                white: u32::from(winner == Some(Color::White)),
                draws: u32::from(winner.is_none()),
                black: u32::from(winner == Some(Color::Black)),
                value_sum: if searched {
                    (wdl.value() * 255.0).round() as i64
                } else {
                    0
                },
                value_count: u32::from(searched),
                last_game: record.number(),
            });
        }
        position.play(mv);
    }
    (varied, rows)
}
