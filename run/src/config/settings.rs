//! Every key of a configuration: its type, default and range, in one table.

use garuda_model::NetworkKind;
use garuda_rules::RuleSet;
use serde::{Deserialize, Serialize};

use super::by_name;
use super::problems::{InRange, Problems};
use crate::PlayerSpec;

/// What evaluates the positions of the first games.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BootstrapEvaluator {
    /// Search alone: every move as likely, every position even.
    Uniform,
    /// A count of pieces.
    Material,
}

/// Whether self-play and training take turns.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhaseOrder {
    /// By the number of cores.
    Auto,
    Alternate,
    Overlap,
}

macro_rules! settings {
    ($(
        $(#[$section_doc:meta])*
        $section:ident: $Section:ident {
            $( $(#[$doc:meta])* $key:ident: $type:ty = $default:expr $(, in $range:expr)?; )*
        }
    )*) => {
        /// A whole configuration, every key present. Made by [`Config::read`] it has passed all
        /// checks.
        ///
        /// ```
        /// use garuda_run::config::Config;
        ///
        /// let text = "[game]\nrules = \"makruk\"";
        /// let settings = ["training.batch_size=128".to_owned()];
        /// let config = Config::parse("example", text, &settings)?;
        /// assert_eq!(config.game.rules.name(), "makruk");
        /// assert_eq!(config.training.batch_size, 128);
        /// # Ok::<(), garuda_run::config::ConfigError>(())
        /// ```
        #[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Config {
            $( $(#[$section_doc])* pub $section: $Section, )*
        }

        $(
            $(#[$section_doc])*
            #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
            #[serde(deny_unknown_fields, default)]
            pub struct $Section {
                $( $(#[$doc])* pub $key: $type, )*
            }

            impl Default for $Section {
                fn default() -> Self {
                    $Section { $( $key: $default.into(), )* }
                }
            }
        )*

        impl Config {
            pub(super) fn check_ranges(&self, problems: &mut Problems) {
                $( $( $(
                    self.$section.$key.check_range(
                        &$range,
                        concat!(stringify!($section), ".", stringify!($key)),
                        problems,
                    );
                )? )* )*
            }
        }
    };
}

settings! {
    /// Which game is learned.
    game: GameSettings {
        #[serde(with = "by_name")]
        rules: RuleSet = RuleSet::ToriShogi;
        /// FEN of the start position; empty for the game's own.
        start: String = "";
    }

    /// What belongs to the run as a whole.
    run: RunSettings {
        /// All randomness of a run follows from this number.
        seed: u64 = 1u64, in 0..=i64::MAX as u64;
    }

    /// Kind and size of the network.
    network: NetworkSettings {
        /// "conv": a residual tower of convolutions; "sparse": an integer network for CPUs.
        kind: NetworkKind = NetworkKind::Conv;
        /// Residual blocks of a convolutional network.
        blocks: u32 = 4u32, in 1..=40;
        /// Channels of a convolutional network.
        channels: u32 = 64u32, in 8..=512;
        /// Width of the feature sum of a sparse network.
        width: u32 = 256u32, in 32..=512;
        /// Neurons between the feature sum and the value of a sparse network.
        hidden: u32 = 32u32, in 1..=64;
        /// A trained network to start from: a file, a checkpoint or a run. Empty: an untrained one.
        init: String = "";
    }

    /// The tree search of self-play.
    search: SearchSettings {
        /// Simulations per decision, growing over the run.
        simulations: Vec<u32> = [24, 32, 48, 64], in 2..=10_000;
        /// Number of recorded positions from which each entry of `simulations` applies.
        simulations_from: Vec<u64> = [0, 60_000, 200_000, 500_000], in 0..=1_000_000_000_000;
        /// Share of the decisions with a full search, which are trained on …
        full_search_prob: f64 = 1.0, in 0.01..=1.0;
        /// … and the simulations of the others.
        cheap_simulations: u32 = 16u32, in 2..=10_000;
        /// How many moves the root considers.
        max_considered_actions: u32 = 16u32, in 2..=512;
        /// c_visit of σ.
        maxvisit_init: f64 = 50.0, in 0.0..=1_000.0;
        /// c_scale of σ.
        value_scale: f64 = 1.0, in 0.001..=100.0;
        /// Whether each new position is searched for a move that wins at once.
        check_win_in_one: bool = true;
        /// Value of a draw for either side.
        draw_value: f64 = 0.0, in -1.0..=1.0;
    }

    /// The first games, which no network plays.
    bootstrap: BootstrapSettings {
        /// Number of positions to train the first checkpoint on; 0: the untrained network plays.
        positions: u64 = 30_000u64, in 0..=100_000_000;
        /// Share of a game's positions that are trained on.
        position_sample_rate: f64 = 0.125, in 0.001..=1.0;
        /// Simulations per decision.
        simulations: u32 = 24u32, in 2..=10_000;
        /// The evaluator of these games.
        evaluator: BootstrapEvaluator = BootstrapEvaluator::Uniform;
    }

    /// How games are generated.
    selfplay: SelfplaySettings {
        /// Concurrent games of a shard; also the size of its evaluation batch.
        parallel_games: u32 = 32u32, in 1..=4_096;
        temperature: f64 = 1.0, in 0.0..=10.0;
        /// Plies for which the move is sampled with `temperature`.
        temperature_plies: u32 = 20u32, in 0..=10_000;
        /// Share of games that start with moves drawn from the raw policy.
        policy_init_prob: f64 = 0.25, in 0.0..=1.0;
        /// Largest number of these moves.
        policy_init_max_plies: u32 = 8u32, in 0..=1_000;
        /// Share of games from a varied start at the beginning of a run …
        varied_start_prob: f64 = 0.3, in 0.0..=1.0;
        /// … and the share it decays to …
        varied_start_prob_end: f64 = 0.05, in 0.0..=1.0;
        /// … over this number of recorded positions.
        varied_start_positions: u64 = 400_000u64, in 1..=1_000_000_000_000;
        /// Share of games in which one side is an older checkpoint.
        past_opponent_prob: f64 = 0.05, in 0.0..=1.0;
        /// A game is decided when the value has been beyond this …
        reduce_visits_value: f64 = 0.95, in 0.5..=1.0;
        /// … for this number of plies in a row.
        reduce_visits_plies: u32 = 6u32, in 1..=1_000;
        /// Simulations per decision in a decided game.
        reduce_visits_simulations: u32 = 8u32, in 2..=10_000;
        /// Training weight of positions of a decided game.
        reduce_visits_weight: f64 = 0.3, in 0.0..=1.0;
        /// Number of games per record file.
        games_per_record_file: u32 = 32u32, in 1..=4_096;
    }

    /// Which recorded positions are trained on.
    replay: ReplaySettings {
        /// Positions in the window at first; also the scale of its growth.
        window_min: u64 = 50_000u64, in 256..=1_000_000_000;
        window_expand_per_position: f64 = 0.4, in 0.0..=1.0;
        window_taper_exponent: f64 = 0.65, in 0.05..=1.0;
        /// Number of training samples per new position.
        samples_per_position: f64 = 3.5, in 0.1..=100.0;
        /// Share of games kept for validation.
        validation_fraction: f64 = 0.03, in 0.0..=0.5;
        /// Mirror a random half of the samples where the rules allow.
        mirror: bool = true;
    }

    /// Optimisation.
    training: TrainingSettings {
        /// Samples per step.
        batch_size: u32 = 256u32, in 2..=65_536;
        learning_rate: f64 = 0.001, in 1e-7..=1.0;
        warmup_steps: u64 = 200u64, in 0..=1_000_000;
        /// Steps at which the rate is multiplied by `lr_drop_factor`.
        lr_drops: Vec<u64> = [20_000, 40_000], in 1..=1_000_000_000;
        lr_drop_factor: f64 = 0.3, in 0.001..=1.0;
        grad_clip_norm: f64 = 1.0, in 0.001..=1_000.0;
        weight_decay: f64 = 1e-4, in 0.0..=1.0;
        /// Decay of the average of the weights that is exported.
        ema_decay: f64 = 0.999, in 0.0..=0.999_999;
        /// Share of the game's result in the value target; the rest is the search's value.
        wdl_weight: f64 = 0.7, in 0.0..=1.0;
        /// Value weight of games that ended at the length limit.
        length_limit_weight: f64 = 0.3, in 0.0..=1.0;
        policy_weight: f64 = 1.0, in 0.0..=100.0;
        soft_policy_weight: f64 = 2.0, in 0.0..=100.0;
        opponent_policy_weight: f64 = 0.15, in 0.0..=100.0;
        value_weight: f64 = 1.0, in 0.0..=100.0;
        short_term_value_weight: f64 = 0.3, in 0.0..=100.0;
        moves_left_weight: f64 = 0.05, in 0.0..=100.0;
        /// Number of steps in a row without a finite loss after which training returns to the last
        /// checkpoint.
        max_nonfinite_steps: u32 = 5u32, in 1..=1_000;
    }

    /// The rhythm of a run.
    checkpoint: CheckpointSettings {
        /// Approximate number of new positions between two checkpoints.
        positions: u64 = 16_000u64, in 1..=100_000_000;
        /// Length of a game assumed before any was played.
        expected_plies: u32 = 80u32, in 1..=10_000;
        /// Checkpoints that keep what is needed to train on; older ones keep the network alone.
        keep_optimizer_states: u32 = 3u32, in 2..=1_000_000;
    }

    /// Matches of each checkpoint.
    evaluation: EvaluationSettings {
        /// Games of a match, in pairs from one opening; 0 for no evaluation.
        games: u32 = 40u32, in 0..=100_000;
        simulations: u32 = 64u32, in 1..=100_000;
        /// Milliseconds per move instead of `simulations`; 0: not limited by time.
        movetime: u32 = 0u32, in 0..=3_600_000;
        /// Random plies before the players take over.
        opening_plies: u32 = 4u32, in 0..=100;
        /// Share of pairs from a varied start.
        varied_start_prob: f64 = 0.0, in 0.0..=1.0;
        /// Evaluate every n-th checkpoint.
        every: u32 = 1u32, in 1..=10_000;
        /// How many predecessors are played: the last one, and others further back.
        predecessors: u32 = 2u32, in 1..=100;
        /// Fixed players of the ladder.
        #[serde(with = "by_name::list")]
        anchors: Vec<PlayerSpec> = [PlayerSpec::Random, PlayerSpec::AlphaBeta(None)];
        /// Elo difference to the predecessor beyond which, error bar included, a weaker checkpoint
        /// makes the run return to it; 0: never.
        regression_elo: f64 = 150.0, in 0.0..=10_000.0;
    }

    /// When to warn.
    warnings: WarningSettings {
        /// Validation minus training value loss.
        value_gap: f64 = 0.05, in 0.0..=10.0;
        /// Share of drawn games.
        draw_share: f64 = 0.9, in 0.0..=1.0;
        /// Mean entropy of the policy targets, in nats.
        entropy: f64 = 0.05, in 0.0..=10.0;
        /// Share of games that end at the length limit.
        length_limit_share: f64 = 0.3, in 0.0..=1.0;
    }

    /// Defaults of `garuda openings`. They do not change training.
    openings: OpeningsSettings {
        /// Moves whose value is within this of the best one's are good; values go from −1 to 1.
        margin: f64 = 0.05, in 0.0..=2.0;
        /// Visits of a search; 0 for statistics of the games alone.
        visits: u32 = 400u32, in 0..=10_000_000;
        /// Searches of each move, with different random numbers.
        searches: u32 = 4u32, in 2..=64;
        /// Moves from the position on that are looked at.
        plies: u32 = 2u32, in 1..=20;
        /// Good moves of a position that are followed further, at most.
        width: u32 = 4u32, in 1..=1_000;
        /// Turns of Eternal chess that are searched at a position, at most.
        turns: u32 = 60u32, in 1..=100_000;
    }

    /// How the machine is used.
    machine: MachineSettings {
        /// Whether playing and learning alternate or overlap; "auto" by the number of cores.
        phases: PhaseOrder = PhaseOrder::Auto;
        /// Shards of self-play, one a core; 0 for as many as there are cores for it.
        shards: u32 = 0u32, in 0..=1_024;
        /// Threads of training; 0 for as many as there are cores for it.
        threads: u32 = 0u32, in 0..=1_024;
    }

    /// What is written besides the run itself.
    output: OutputSettings {
        /// SVG plots in the run directory.
        plots: bool = true;
        /// TensorBoard event files in the run directory.
        tensorboard: bool = false;
    }
}
