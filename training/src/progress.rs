use garuda_run::TrainingStats;
use garuda_run::config::{Config, FrozenSettings};
use serde::{Deserialize, Serialize};

use garuda_selfplay::generate::{is_bootstrap, recorded_share};

/// How far a run has come, kept with each checkpoint. With the records it is all that a run
/// needs to go on as if it had never stopped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Number of the checkpoint.
    pub checkpoint: u32,
    /// Number of checkpoints, the last before this one, whose games it has not learned from.
    pub behind: u32,
    /// Games and positions of all earlier checkpoints.
    pub games: u64,
    pub positions: u64,
    /// Training samples that positions have bought and no step has used yet.
    pub samples_left: f64,
    /// Factor of the learning rate; each return after losses that were not finite halves it.
    pub rate_scale: f64,
    /// Positions of a game, on average, of the last checkpoint's games.
    pub positions_per_game: f64,
    /// The earlier checkpoint whose network this is, if the run returned to it.
    pub returned_to: Option<u32>,
    /// The training that made the network.
    pub training: Option<TrainingStats>,
    /// The settings it was made with.
    pub config: FrozenSettings,
}

impl Progress {
    pub(super) fn beginning(config: &Config) -> Progress {
        Progress {
            checkpoint: 0,
            behind: 0,
            games: 0,
            positions: 0,
            samples_left: 0.0,
            rate_scale: 1.0,
            positions_per_game: f64::from(config.checkpoint.expected_plies)
                * recorded_share(config, 0),
            returned_to: None,
            training: None,
            config: FrozenSettings::of(config),
        }
    }

    /// How many games this checkpoint plays.
    pub(super) fn games_to_play(&self, config: &Config) -> u64 {
        let positions = if is_bootstrap(config, self.checkpoint) {
            config.bootstrap.positions
        } else {
            config.checkpoint.positions
        };
        let games = positions as f64 / self.positions_per_game.max(1.0);
        games.round().max(1.0) as u64
    }
}
