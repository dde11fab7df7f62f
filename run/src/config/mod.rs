//! The configuration of a run: strict TOML.

mod by_name;
mod frozen;
mod problems;
mod read;
mod resolve;
mod sense;
mod settings;

pub use frozen::{ConfigChange, FrozenSettings};
pub use read::ConfigError;
pub use settings::{
    BootstrapEvaluator, BootstrapSettings, CheckpointSettings, Config, EvaluationSettings,
    GameSettings, MachineSettings, NetworkSettings, OpeningsSettings, OutputSettings, PhaseOrder,
    ReplaySettings, RunSettings, SearchSettings, SelfplaySettings, TrainingSettings,
    WarningSettings,
};
