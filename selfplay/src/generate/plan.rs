use std::collections::BTreeMap;
use std::iter;

use garuda_mcts::{GumbelSettings, ValueScale};
use garuda_rules::{Color, GameState, Move, Position};
use garuda_run::config::{BootstrapEvaluator, Config, SelfplaySettings};
use garuda_run::records::GameHead;
use garuda_run::seeds;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// What the games of one checkpoint follow from, together with its network: equal specifications
/// make equal games on any machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlanSpec {
    pub config: Config,
    pub checkpoint: u32,
    /// An earlier checkpoint that plays one side of some games.
    pub past_opponent: Option<u32>,
    /// Positions recorded when the checkpoint was made.
    pub positions: u64,
}

impl PlanSpec {
    /// Draws the past opponent from the numbers of `earlier` checkpoints.
    pub fn new(config: Config, checkpoint: u32, earlier: &[u32], positions: u64) -> PlanSpec {
        let past_opponent = match earlier.len() as u64 {
            0 => None,
            n => {
                let draw = seeds::derive(config.run.seed, "older", &[checkpoint.into()]);
                Some(earlier[(draw % n) as usize])
            }
        };
        PlanSpec {
            config,
            checkpoint,
            past_opponent,
            positions,
        }
    }
}

/// What the games of one checkpoint have in common. With the number of a game it determines how
/// that game starts and what is drawn in it.
#[derive(Clone, Debug)]
pub struct Plan<P> {
    spec: PlanSpec,
    pub(super) search: GumbelSettings,
    /// Share of the decisions that get a full search, and the simulations of the others.
    pub(super) full_search_prob: f64,
    pub(super) cheap_simulations: u32,
    start: P,
    varied_start_prob: f64,
    /// Share of searched positions that are learned from.
    pub(super) position_sample_rate: f64,
    /// Where games start in an experiment, by the upper part of their numbers; empty in self-play.
    arms: BTreeMap<u64, ArmStart<P>>,
}

/// Where the games of an experiment's arm start.
#[derive(Clone, PartialEq, Debug)]
pub struct ArmStart<P> {
    pub start: P,
    /// Moves that every game starts with.
    pub line: Vec<Move>,
    /// Pieces that one side places on given squares in the set-up phase.
    pub set_up: Option<(Color, Vec<Move>)>,
}

/// Bits of a game's number that count the games of its arm. The bits above are the arm's identity.
const ARM_GAME_BITS: u32 = 24;

impl<P: Position> ArmStart<P> {
    /// Number of games that an arm can have.
    pub const MAX_GAMES: u64 = 1 << ARM_GAME_BITS;

    /// Follows from what the arm is, whatever other arms there are.
    pub fn id(&self) -> u64 {
        let mut numbers = vec![self.start.key(), self.start.clock_key()];
        numbers.extend(self.line.iter().map(|mv| u64::from(mv.code())));
        if let Some((color, moves)) = &self.set_up {
            numbers.push(u64::MAX - u64::from(*color == Color::Black));
            numbers.extend(moves.iter().map(|mv| u64::from(mv.code())));
        }
        seeds::derive(0, "arm", &numbers) >> ARM_GAME_BITS
    }

    /// The number of one of its games in records.
    pub fn game_number(&self, game: u64) -> u64 {
        debug_assert!(game < Self::MAX_GAMES);
        (self.id() << ARM_GAME_BITS) | game
    }
}

/// How a game starts.
#[derive(Debug)]
pub(super) struct GameStart<P> {
    pub(super) head: GameHead,
    pub(super) game: GameState<P>,
    /// Number of moves to be drawn from the raw policy.
    pub(super) policy_init_plies: u32,
    /// The side that the past opponent plays.
    pub(super) past_opponent_side: Option<Color>,
    /// Moves that the game starts with, and those that one side makes in the set-up phase.
    pub(super) line: Vec<Move>,
    pub(super) set_up: Option<(Color, Vec<Move>)>,
    /// For everything that is drawn later in the game.
    pub(super) rng: ChaCha8Rng,
}

impl<P: Position> Plan<P> {
    /// `P` must be of the configuration's rule set.
    pub fn new(spec: PlanSpec) -> Plan<P> {
        let PlanSpec {
            config,
            checkpoint,
            positions,
            ..
        } = &spec;
        let settings = &config.selfplay;
        let left = 1.0 - *positions as f64 / settings.varied_start_positions as f64;
        Plan {
            search: GumbelSettings {
                simulations: if is_bootstrap(config, *checkpoint) {
                    config.bootstrap.simulations
                } else {
                    simulations(config, *positions)
                },
                max_considered_actions: config.search.max_considered_actions as usize,
                gumbel_scale: 1.0,
                values: ValueScale {
                    maxvisit_init: config.search.maxvisit_init as f32,
                    scale: config.search.value_scale as f32,
                },
                check_win_in_one: config.search.check_win_in_one,
                draw_value: config.search.draw_value as f32,
            },
            // The first games are cheap as they are.
            full_search_prob: if is_bootstrap(config, *checkpoint) {
                1.0
            } else {
                config.search.full_search_prob
            },
            cheap_simulations: config.search.cheap_simulations,
            start: config.start(),
            varied_start_prob: settings.varied_start_prob_end
                + (settings.varied_start_prob - settings.varied_start_prob_end) * left.max(0.0),
            position_sample_rate: if is_bootstrap(config, *checkpoint) {
                config.bootstrap.position_sample_rate
            } else {
                1.0
            },
            arms: BTreeMap::new(),
            spec,
        }
    }

    /// A plan of games from given starts, searched without noise. Everything that self-play draws to
    /// see more positions is left out, except for the temperature.
    pub fn of_arms(spec: PlanSpec, arms: impl IntoIterator<Item = ArmStart<P>>) -> Plan<P> {
        let mut plan = Plan::new(spec);
        plan.search.gumbel_scale = 0.0;
        plan.arms = arms.into_iter().map(|arm| (arm.id(), arm)).collect();
        plan
    }

    pub fn spec(&self) -> &PlanSpec {
        &self.spec
    }

    pub(super) fn settings(&self) -> &SelfplaySettings {
        &self.spec.config.selfplay
    }

    /// The checkpoint whose games these are.
    pub fn checkpoint(&self) -> u32 {
        self.spec.checkpoint
    }

    /// The earlier checkpoint that plays one side of some games.
    pub fn past_opponent(&self) -> Option<u32> {
        self.spec
            .past_opponent
            .filter(|_| self.settings().past_opponent_prob > 0.0)
    }

    /// What plays instead of networks, if the games are the first ones.
    pub fn bootstrap(&self) -> Option<BootstrapEvaluator> {
        let PlanSpec {
            config, checkpoint, ..
        } = &self.spec;
        is_bootstrap(config, *checkpoint).then_some(config.bootstrap.evaluator)
    }

    /// The checkpoints whose networks play: none in bootstrap games.
    pub fn checkpoints(&self) -> Vec<u32> {
        match self.bootstrap() {
            Some(_) => Vec::new(),
            None => iter::once(self.checkpoint())
                .chain(self.past_opponent())
                .collect(),
        }
    }

    /// Concurrent games of a shard, and capacity of its evaluators.
    pub fn parallel_games(&self) -> usize {
        self.settings().parallel_games as usize
    }

    pub fn simulations(&self) -> u32 {
        self.search.simulations
    }

    /// What is known of game `number` before its first move.
    pub fn head(&self, number: u64) -> GameHead {
        self.start_game(number).head
    }

    /// How game `number` starts.
    pub(super) fn start_game(&self, number: u64) -> GameStart<P> {
        match self.arms.get(&(number >> ARM_GAME_BITS)) {
            Some(arm) => self.start_arm_game(arm, number),
            None => self.start_selfplay_game(number),
        }
    }

    fn start_arm_game(&self, arm: &ArmStart<P>, number: u64) -> GameStart<P> {
        let checkpoint = self.checkpoint();
        let seed = seeds::derive(self.spec.config.run.seed, "arm game", &[number]);
        GameStart {
            head: GameHead {
                rules: P::NAME.to_owned(),
                start: arm.start.to_string(),
                checkpoint,
                number,
                sides: [checkpoint; 2],
                seed,
            },
            game: GameState::from_position(arm.start),
            policy_init_plies: 0,
            past_opponent_side: None,
            line: arm.line.clone(),
            set_up: arm.set_up.clone(),
            rng: seeds::rng(seed),
        }
    }

    fn start_selfplay_game(&self, number: u64) -> GameStart<P> {
        let settings = self.settings();
        let checkpoint = self.checkpoint();
        let run_seed = self.spec.config.run.seed;
        let seed = seeds::derive(run_seed, "game", &[checkpoint.into(), number]);
        let mut rng = seeds::rng(seed);
        let start = if rng.random_bool(self.varied_start_prob) {
            self.start.varied_start(&mut rng)
        } else {
            self.start
        };
        let policy_init_plies = if rng.random_bool(settings.policy_init_prob) {
            rng.random_range(0..=settings.policy_init_max_plies)
        } else {
            0
        };
        // Drawn whether or not there is an opponent, so that later draws do not depend on it.
        let side = Color::ALL[rng.random_range(0..2)];
        let is_against_past = rng.random_bool(settings.past_opponent_prob);
        let past_opponent = self.spec.past_opponent.filter(|_| is_against_past);
        let checkpoint_of = |color| match past_opponent {
            Some(past) if color == side => past,
            _ => checkpoint,
        };
        GameStart {
            head: GameHead {
                rules: P::NAME.to_owned(),
                start: start.to_string(),
                checkpoint,
                number,
                sides: Color::ALL.map(checkpoint_of),
                seed,
            },
            game: GameState::from_position(start),
            policy_init_plies,
            past_opponent_side: past_opponent.map(|_| side),
            line: Vec::new(),
            set_up: None,
            rng,
        }
    }
}

/// Whether no network plays the games of a checkpoint.
pub fn is_bootstrap(config: &Config, checkpoint: u32) -> bool {
    checkpoint == 0 && config.bootstrap.positions > 0 && config.network.init.is_empty()
}

/// Share of the decisions of a checkpoint's games that are recorded to train on.
pub fn recorded_share(config: &Config, checkpoint: u32) -> f64 {
    if is_bootstrap(config, checkpoint) {
        config.bootstrap.position_sample_rate
    } else {
        config.search.full_search_prob
    }
}

/// Simulations per decision when a number of positions is recorded.
fn simulations(config: &Config, positions: u64) -> u32 {
    let search = &config.search;
    let reached = search
        .simulations_from
        .partition_point(|&from| from <= positions);
    search.simulations[reached.max(1) - 1]
}
