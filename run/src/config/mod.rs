//! The configuration of a run: strict TOML.

mod frozen;
mod problems;
mod read;
mod settings;

pub use frozen::{ConfigChange, FrozenSettings};
pub use read::ConfigError;
pub use settings::{
    BootstrapSettings, CheckpointSettings, Config, EvaluationSettings, GameSettings,
    MachineSettings, NetworkSettings, OpeningsSettings, OutputSettings, ReplaySettings,
    RunSettings, SearchSettings, SelfplaySettings, TrainingSettings, WarningSettings,
};
