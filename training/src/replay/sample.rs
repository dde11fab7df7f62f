use garuda_mcts::Wdl;
use garuda_model::sparse::FeatureLayout;
use garuda_rules::{Color, Game, GameState, Move, MoveList, Position, Termination};
use garuda_run::config::Config;
use garuda_run::records::{Decision, DecisionKind, GameRecord};
use garuda_torch::{Batch, GameSamples, SHORT_TERM_HORIZONS, Targets};

/// The settings that training targets depend on.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct SampleSettings {
    wdl_weight: f32,
    reduce_visits_weight: f32,
    length_limit_weight: f32,
}

impl From<&Config> for SampleSettings {
    fn from(config: &Config) -> Self {
        SampleSettings {
            wdl_weight: config.training.wdl_weight as f32,
            reduce_visits_weight: config.selfplay.reduce_visits_weight as f32,
            length_limit_weight: config.training.length_limit_weight as f32,
        }
    }
}

/// A position to train on and its targets.
#[derive(Debug)]
pub struct TrainingSample<P> {
    game: GameState<P>,
    legal: MoveList,
    policy: Vec<f32>,
    opponent_policy: Option<(MoveList, Vec<f32>)>,
    values: ValueTargets,
}

/// The targets of a position besides the policies.
#[derive(Copy, Clone, PartialEq, Debug)]
struct ValueTargets {
    wdl: Wdl,
    short_term_value: ShortTermValues,
    moves_left: Option<f32>,
    policy_weight: f32,
    value_weight: f32,
}

type ShortTermValues = [f32; SHORT_TERM_HORIZONS.len()];

impl ValueTargets {
    /// `later` are the [averages](later_values) after each ply, `turn` is the side to move.
    fn new(
        record: &GameRecord,
        ply: usize,
        decision: &Decision,
        later: &[ShortTermValues],
        turn: Color,
        settings: &SampleSettings,
    ) -> ValueTargets {
        let reached_limit = record.termination() == Some(Termination::LengthLimit);
        let weight = match decision.kind {
            DecisionKind::ReducedVisits => settings.reduce_visits_weight,
            _ => 1.0,
        };
        let sign = if turn == Color::White { 1.0 } else { -1.0 };
        ValueTargets {
            wdl: mixed(record.winner(), turn, decision.wdl, settings.wdl_weight),
            short_term_value: later[ply].map(|value| sign * value),
            moves_left: (!reached_limit).then_some((record.plies() - ply) as f32),
            policy_weight: weight,
            value_weight: if reached_limit {
                weight * settings.length_limit_weight
            } else {
                weight
            },
        }
    }

    fn with_policies<'a>(
        &self,
        policy: &'a [f32],
        opponent_policy: Option<(&'a [Move], &'a [f32])>,
    ) -> Targets<'a> {
        Targets {
            policy,
            opponent_policy,
            wdl: self.wdl,
            short_term_value: self.short_term_value,
            moves_left: self.moves_left,
            policy_weight: self.policy_weight,
            value_weight: self.value_weight,
        }
    }
}

impl<P: Position> TrainingSample<P> {
    /// The position before move `ply` of a verified record.
    pub fn new(record: &GameRecord, ply: usize, settings: &SampleSettings) -> TrainingSample<P> {
        let mut game = GameState::<P>::from_fen(record.start())
            .expect("a verified record has a start position");
        let mut turns = Vec::with_capacity(record.plies());
        let mut here = None;
        let mut opponent_policy = None;
        for (i, decision) in record.decisions().enumerate() {
            let turn = game.turn();
            turns.push(turn);
            if i == ply {
                here = Some((game.clone(), decision.clone()));
            } else if let Some((before, _)) = &here
                && opponent_policy.is_none()
                && before.turn() != turn
            {
                opponent_policy = Some(legal_policy(&game, &decision));
            }
            game.play(decision.mv);
        }
        let (game, decision) = here.expect("the ply is one of the record's");
        let (legal, policy) = legal_policy(&game, &decision);
        let values = later_values(record, &turns);
        TrainingSample {
            legal,
            policy,
            opponent_policy: opponent_policy.filter(|(_, policy)| !policy.is_empty()),
            values: ValueTargets::new(record, ply, &decision, &values, turns[ply], settings),
            game,
        }
    }

    pub fn game(&self) -> &GameState<P> {
        &self.game
    }

    pub fn targets(&self) -> Targets<'_> {
        (self.values).with_policies(&self.policy, self.opponent_policy())
    }

    /// Whether the position has a mirror image.
    pub fn has_mirror(&self) -> bool {
        self.game.position().mirrored().is_some()
    }

    pub fn wdl(&self) -> Wdl {
        self.values.wdl
    }

    /// Averages of the values that follow, for the side to move.
    pub fn short_term_value(&self) -> [f32; SHORT_TERM_HORIZONS.len()] {
        self.values.short_term_value
    }

    /// The policy over all legal moves.
    pub fn policy(&self) -> (&[Move], &[f32]) {
        (&self.legal, &self.policy)
    }

    /// The legal moves of the opponent's next decision and its policy, if it was searched.
    pub fn opponent_policy(&self) -> Option<(&[Move], &[f32])> {
        let (moves, policy) = self.opponent_policy.as_ref()?;
        Some((moves, policy))
    }
}

impl<P: Position> TrainingSample<P> {
    /// Adds the sample to a batch, mirrored if asked; only one that
    /// [has a mirror image](TrainingSample::has_mirror) may be.
    pub fn push_to(&self, batch: &mut Batch<P>, mirror: bool) {
        batch.push(&self.game, &self.legal, &self.targets(), mirror);
    }
}

/// The legal moves and each one's share of a decision's policy; no shares if there is none.
fn legal_policy<P: Position>(game: &GameState<P>, decision: &Decision) -> (MoveList, Vec<f32>) {
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    if decision.policy.is_empty() {
        return (legal, Vec::new());
    }
    let share = |mv: &Move| {
        let entry = decision.policy.iter().find(|(other, _)| other == mv);
        entry.map_or(0.0, |&(_, share)| share)
    };
    let policy = legal.iter().map(share).collect();
    (legal, policy)
}

fn result_for(winner: Option<Color>, turn: Color) -> Wdl {
    let chance = |b: bool| f32::from(u8::from(b));
    Wdl {
        win: chance(winner == Some(turn)),
        draw: chance(winner.is_none()),
        loss: chance(winner == Some(!turn)),
    }
}

fn mixed(winner: Option<Color>, turn: Color, searched: Wdl, wdl_weight: f32) -> Wdl {
    let result = result_for(winner, turn);
    let mix = |result: f32, searched: f32| wdl_weight * result + (1.0 - wdl_weight) * searched;
    Wdl {
        win: mix(result.win, searched.win),
        draw: mix(result.draw, searched.draw),
        loss: mix(result.loss, searched.loss),
    }
}

/// For every ply, exponential averages of the root values after it, and of the result at the end,
/// for White. Moves that were not searched have no value and are skipped.
fn later_values(record: &GameRecord, turns: &[Color]) -> Vec<ShortTermValues> {
    let mut later = [result_for(record.winner(), Color::White).value(); SHORT_TERM_HORIZONS.len()];
    let mut averages = vec![later; turns.len()];
    let searched: Vec<_> = record.wdls().zip(record.kinds()).collect();
    for (((wdl, kind), turn), average) in searched.iter().zip(turns).zip(&mut averages).rev() {
        *average = later;
        if *kind != DecisionKind::Unsearched {
            let sign = if *turn == Color::White { 1.0 } else { -1.0 };
            for (later, horizon) in later.iter_mut().zip(SHORT_TERM_HORIZONS) {
                let keep = 1.0 - 1.0 / horizon;
                *later = keep * *later + (1.0 - keep) * sign * wdl.value();
            }
        }
    }
    averages
}

/// All positions of a verified record, for a sparse network. Equal to its
/// [samples](TrainingSample) without the policies that a sparse network does not have.
pub fn game_samples<P: Position>(
    record: &GameRecord,
    layout: &FeatureLayout,
    settings: &SampleSettings,
) -> GameSamples {
    let mut game =
        GameState::<P>::from_fen(record.start()).expect("a verified record has a start position");
    let turns: Vec<_> = (record.moves())
        .map(|mv| {
            let turn = game.turn();
            game.play(mv);
            turn
        })
        .collect();
    let later = later_values(record, &turns);
    let mut samples = GameSamples::default();
    let mut game =
        GameState::<P>::from_fen(record.start()).expect("a verified record has a start position");
    for (ply, decision) in record.decisions().enumerate() {
        if decision.kind != DecisionKind::Unsearched {
            let (legal, policy) = legal_policy(&game, &decision);
            let values = ValueTargets::new(record, ply, &decision, &later, turns[ply], settings);
            samples.push(layout, &game, &legal, &values.with_policies(&policy, None));
        }
        game.play(decision.mv);
    }
    samples.shrink();
    samples
}
