use bincode::{Decode, Encode};
use garuda_mcts::Wdl;
use garuda_rules::{Color, Move, Outcome, Termination};
use thiserror::Error;

/// A finished game, with all that training and statistics need: everything else is derived by
/// replaying it through the rules.
///
/// Self-describing, and the same bytes wherever it was generated. Decisions are kept column by
/// column, which compresses well; see [`GameRecord::decisions`].
///
/// ```no_run
/// use garuda_run::records::decode_record_file;
///
/// let bytes = std::fs::read("runs/tori/games/00000000.games")?;
/// for record in decode_record_file(&bytes)? {
///     println!("{} after {} plies", record.termination_name(), record.plies());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
pub struct GameRecord {
    /// The rule set's name.
    rules: String,
    /// FEN of the start position.
    start: String,
    /// Number of the checkpoint whose games these are: the newest when the game started.
    checkpoint: u32,
    /// Number of the game among that checkpoint's.
    number: u64,
    /// The checkpoints that played White and Black.
    sides: [u32; 2],
    seed: u64,
    /// 1 White, 0 a draw, −1 Black.
    result: i8,
    /// Why the game ended, by name.
    termination: String,
    moves: Vec<u16>,
    kinds: Vec<u8>,
    /// Chances of a win and of a draw in 1/255 at the root, for the side to move.
    wins: Vec<u8>,
    draws: Vec<u8>,
    /// How many entries of the next two columns belong to a decision.
    policy_lengths: Vec<u8>,
    policy_moves: Vec<u16>,
    /// A code of the logarithm of a move's share: see [`share_of`].
    policy_shares: Vec<u8>,
}

/// What is known of a game before its first move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameHead {
    pub rules: String,
    pub start: String,
    pub checkpoint: u32,
    pub number: u64,
    pub sides: [u32; 2],
    pub seed: u64,
}

/// One move of a game and what the search thought.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    pub mv: Move,
    pub kind: DecisionKind,
    /// The search's chances for the side to move.
    pub wdl: Wdl,
    /// The search's improved policy, the most likely move first. Empty unless searched.
    pub policy: Vec<(Move, f32)>,
}

/// How a move came about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum DecisionKind {
    /// Not searched: an opening move, or a forced one. No target for training.
    Unsearched,
    /// A full search.
    Searched,
    /// A search with fewer visits in a decided game: trained on with less weight.
    ReducedVisits,
}

impl DecisionKind {
    const ALL: [DecisionKind; 3] = [
        DecisionKind::Unsearched,
        DecisionKind::Searched,
        DecisionKind::ReducedVisits,
    ];
}

/// A policy that is none.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("decision {ply} has the policy share {share}")]
pub struct PolicyError {
    ply: usize,
    share: f32,
}

/// Shares are kept to within 2 %; below e^(-250/24), 0.003 %, they are dropped.
const SHARE_STEPS: f32 = 24.0;
const LAST_SHARE: f32 = 250.0;
const MAX_ENTRIES: usize = 255;

fn code_of(share: f32) -> Option<u8> {
    let code = (-share.ln() * SHARE_STEPS).round();
    (code <= LAST_SHARE).then_some(code.max(0.0) as u8)
}

fn share_of(code: u8) -> f32 {
    (-f32::from(code) / SHARE_STEPS).exp()
}

impl GameRecord {
    pub fn new(
        head: GameHead,
        decisions: &[Decision],
        outcome: Outcome,
    ) -> Result<GameRecord, PolicyError> {
        let mut record = GameRecord {
            rules: head.rules,
            start: head.start,
            checkpoint: head.checkpoint,
            number: head.number,
            sides: head.sides,
            seed: head.seed,
            result: match outcome.winner {
                Some(Color::White) => 1,
                None => 0,
                Some(Color::Black) => -1,
            },
            termination: outcome.termination.name().to_owned(),
            moves: Vec::with_capacity(decisions.len()),
            kinds: Vec::with_capacity(decisions.len()),
            wins: Vec::with_capacity(decisions.len()),
            draws: Vec::with_capacity(decisions.len()),
            policy_lengths: Vec::with_capacity(decisions.len()),
            policy_moves: Vec::new(),
            policy_shares: Vec::new(),
        };
        for (ply, decision) in decisions.iter().enumerate() {
            record.push(ply, decision)?;
        }
        record.policy_moves.shrink_to_fit();
        record.policy_shares.shrink_to_fit();
        Ok(record)
    }

    fn push(&mut self, ply: usize, decision: &Decision) -> Result<(), PolicyError> {
        let part = |chance: f32| (chance * 255.0).round().clamp(0.0, 255.0) as u8;
        self.moves.push(decision.mv.code());
        self.kinds.push(decision.kind as u8);
        self.wins.push(part(decision.wdl.win));
        let left = 255 - part(decision.wdl.win);
        self.draws.push(part(decision.wdl.draw).min(left));

        let mut entries = Vec::with_capacity(decision.policy.len());
        for &(mv, share) in &decision.policy {
            if !(0.0..=1.0001).contains(&share) {
                return Err(PolicyError { ply, share });
            }
            if let Some(code) = code_of(share) {
                entries.push((code, mv.code()));
            }
        }
        entries.sort_unstable();
        entries.truncate(MAX_ENTRIES);
        self.policy_lengths.push(entries.len() as u8);
        for (code, mv) in entries {
            self.policy_moves.push(mv);
            self.policy_shares.push(code);
        }
        Ok(())
    }

    /// What was known before the first move.
    pub fn head(&self) -> GameHead {
        GameHead {
            rules: self.rules.clone(),
            start: self.start.clone(),
            checkpoint: self.checkpoint,
            number: self.number,
            sides: self.sides,
            seed: self.seed,
        }
    }

    pub fn rules(&self) -> &str {
        &self.rules
    }

    pub fn start(&self) -> &str {
        &self.start
    }

    /// Number of the checkpoint whose games these are.
    pub fn checkpoint(&self) -> u32 {
        self.checkpoint
    }

    /// Number of the game among its checkpoint's.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The checkpoint that played a side.
    pub fn side(&self, color: Color) -> u32 {
        self.sides[usize::from(color == Color::Black)]
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub fn winner(&self) -> Option<Color> {
        match self.result {
            0 => None,
            n if n > 0 => Some(Color::White),
            _ => Some(Color::Black),
        }
    }

    pub fn termination_name(&self) -> &str {
        &self.termination
    }

    /// Why the game ended; `None` for a reason that this version does not know.
    pub fn termination(&self) -> Option<Termination> {
        Termination::ALL
            .into_iter()
            .find(|r| r.name() == self.termination)
    }

    /// Moves, in decisions.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Decisions that can be trained on.
    pub fn positions(&self) -> usize {
        let unsearched = DecisionKind::Unsearched as u8;
        self.kinds.iter().filter(|&&k| k != unsearched).count()
    }

    /// Whether all columns are as long as they must be and hold what they can hold. Everything
    /// below relies on it, and a record that was read from outside need not have it.
    pub(super) fn is_well_formed(&self) -> bool {
        let n = self.moves.len();
        let entries: usize = self.policy_lengths.iter().map(|&l| usize::from(l)).sum();
        [
            self.kinds.len(),
            self.wins.len(),
            self.draws.len(),
            self.policy_lengths.len(),
        ] == [n; 4]
            && [self.policy_moves.len(), self.policy_shares.len()] == [entries; 2]
            && self.kinds.iter().all(|&k| usize::from(k) < 3)
            && (self.wins.iter().zip(&self.draws)).all(|(w, d)| w.checked_add(*d).is_some())
            && (-1..=1).contains(&self.result)
    }

    pub fn moves(&self) -> impl ExactSizeIterator<Item = Move> {
        self.moves.iter().map(|&code| Move::from_code(code))
    }

    pub fn kinds(&self) -> impl ExactSizeIterator<Item = DecisionKind> {
        self.kinds
            .iter()
            .map(|&k| DecisionKind::ALL[usize::from(k)])
    }

    /// The search's chances at each decision, for the side then to move.
    pub fn wdls(&self) -> impl ExactSizeIterator<Item = Wdl> {
        self.wins.iter().zip(&self.draws).map(|(&w, &d)| Wdl {
            win: f32::from(w) / 255.0,
            draw: f32::from(d) / 255.0,
            loss: f32::from(255 - w - d) / 255.0,
        })
    }

    /// The moves that the policies of all decisions name.
    pub(super) fn policy_moves(&self) -> impl Iterator<Item = impl ExactSizeIterator<Item = Move>> {
        let mut rest = self.policy_moves.as_slice();
        self.policy_lengths.iter().map(move |&length| {
            let (moves, after) = rest.split_at(usize::from(length));
            rest = after;
            moves.iter().map(|&code| Move::from_code(code))
        })
    }

    /// The policies of all decisions, each summing to 1 unless it is empty.
    pub fn policies(&self) -> impl Iterator<Item = Vec<(Move, f32)>> {
        let mut start = 0;
        self.policy_lengths.iter().map(move |&length| {
            let entries = start..start + usize::from(length);
            start = entries.end;
            let shares = self.policy_shares[entries.clone()].iter();
            let sum: f32 = shares.clone().map(|&code| share_of(code)).sum();
            self.policy_moves[entries]
                .iter()
                .zip(shares)
                .map(|(&mv, &code)| (Move::from_code(mv), share_of(code) / sum))
                .collect()
        })
    }

    /// All decisions in order.
    pub fn decisions(&self) -> impl Iterator<Item = Decision> {
        self.moves()
            .zip(self.kinds())
            .zip(self.wdls())
            .zip(self.policies())
            .map(|(((mv, kind), wdl), policy)| Decision {
                mv,
                kind,
                wdl,
                policy,
            })
    }

    /// A name that follows from the content alone.
    pub fn name(&self) -> String {
        let bytes = bincode::encode_to_vec(self, super::record_file::CODING)
            .expect("plain columns can always be encoded");
        blake3::hash(&bytes).to_hex()[..32].to_owned()
    }
}
