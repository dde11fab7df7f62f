use garuda_mcts::{GumbelSettings, ValueScale};
use garuda_rules::{Color, GameState, Position};
use garuda_run::config::{Config, SelfplaySettings};
use garuda_run::records::GameHead;
use garuda_run::seeds;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// What the games of one checkpoint have in common. With the number of a game it says all about
/// how that game begins, and nothing else does.
#[derive(Clone, Debug)]
pub struct Plan<P> {
    pub(super) settings: SelfplaySettings,
    pub(super) search: GumbelSettings,
    seed: u64,
    checkpoint: u32,
    /// An older checkpoint that some games are played against.
    older: Option<u32>,
    start: P,
    varied_start_prob: f64,
    /// Share of searched positions that are learned from.
    pub(super) position_sample_rate: f64,
}

/// How a game begins.
#[derive(Debug)]
pub(super) struct Beginning<P> {
    pub(super) head: GameHead,
    pub(super) game: GameState<P>,
    /// Moves to be drawn from the raw policy.
    pub(super) policy_init_max_plies: u32,
    /// The side that an older checkpoint plays.
    pub(super) older_side: Option<Color>,
}

impl<P: Position> Plan<P> {
    /// The plan for the games of checkpoint `net`, when `positions` are recorded already and the
    /// numbers of other checkpoints are `earlier`.
    pub fn new(config: &Config, checkpoint: u32, earlier: &[u32], positions: u64) -> Plan<P> {
        let settings = &config.selfplay;
        let seed = config.run.seed;
        let left = 1.0 - positions as f64 / settings.varied_start_positions as f64;
        let older = match earlier.len() as u64 {
            0 => None,
            n => {
                let draw = seeds::derive(seed, "older", &[checkpoint.into()]);
                Some(earlier[(draw % n) as usize])
            }
        };
        let bootstrap = is_bootstrap(config, checkpoint);
        Plan {
            search: GumbelSettings {
                simulations: if bootstrap {
                    config.bootstrap.simulations
                } else {
                    simulations(config, positions)
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
            seed,
            checkpoint,
            older,
            start: config.start(),
            varied_start_prob: settings.varied_start_prob_end
                + (settings.varied_start_prob - settings.varied_start_prob_end) * left.max(0.0),
            position_sample_rate: position_sample_rate(config, checkpoint),
            settings: settings.clone(),
        }
    }

    pub fn checkpoint(&self) -> u32 {
        self.checkpoint
    }

    /// The older checkpoint that some of the games are played against.
    pub fn older(&self) -> Option<u32> {
        self.older
            .filter(|_| self.settings.past_opponent_prob > 0.0)
    }

    pub fn simulations(&self) -> u32 {
        self.search.simulations
    }

    /// How game `number` begins, and the generator for all that follows.
    pub(super) fn begin(&self, number: u64) -> (Beginning<P>, ChaCha8Rng) {
        let seed = seeds::derive(self.seed, "game", &[self.checkpoint.into(), number]);
        let mut rng = seeds::rng(seed);
        let start = if rng.random_bool(self.varied_start_prob) {
            self.start.varied_start(&mut rng)
        } else {
            self.start
        };
        let policy_init_max_plies = if rng.random_bool(self.settings.policy_init_prob) {
            rng.random_range(0..=self.settings.policy_init_max_plies)
        } else {
            0
        };
        let side = Color::ALL[rng.random_range(0..2)];
        let against_older = rng.random_bool(self.settings.past_opponent_prob);
        let older_side = (against_older && self.older.is_some()).then_some(side);
        let net_of = |color| match self.older {
            Some(older) if older_side == Some(color) => older,
            _ => self.checkpoint,
        };
        let beginning = Beginning {
            head: GameHead {
                rules: P::NAME.to_owned(),
                start: start.to_string(),
                checkpoint: self.checkpoint,
                number,
                sides: Color::ALL.map(net_of),
                seed,
            },
            game: GameState::from_position(start),
            policy_init_max_plies,
            older_side,
        };
        (beginning, rng)
    }
}

/// Whether the games of checkpoint `net` are played by search alone.
pub fn is_bootstrap(config: &Config, checkpoint: u32) -> bool {
    checkpoint == 0 && config.bootstrap.positions > 0
}

/// Share of searched positions that checkpoint `net`'s games keep to be learned from.
pub fn position_sample_rate(config: &Config, checkpoint: u32) -> f64 {
    if is_bootstrap(config, checkpoint) {
        config.bootstrap.position_sample_rate
    } else {
        1.0
    }
}

/// Simulations a decision once so many positions are recorded.
fn simulations(config: &Config, positions: u64) -> u32 {
    let search = &config.search;
    let reached = search
        .simulations_from
        .partition_point(|&from| from <= positions);
    search.simulations[reached.max(1) - 1]
}
