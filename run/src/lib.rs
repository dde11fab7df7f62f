//! What a run is: its configuration, seeds, game records, directory, metrics and ladder, and the
//! terminal output of the commands that work on it. Nothing here needs libtorch.

mod child_group;
pub mod config;
mod engine_spec;
mod files;
mod fleet_status;
pub mod labels;
mod ladder;
mod limit;
mod live;
mod metrics;
mod nnue_file;
mod output;
mod parallel;
mod player_spec;
pub mod records;
mod run_dir;
mod run_format;
pub mod seeds;
mod stop;
mod tally;
mod tensorboard;
pub mod testing;
mod text;

pub use indicatif::{BinaryBytes, HumanCount, HumanDuration};

pub use child_group::ChildGroup;
pub use engine_spec::{EngineCommand, UciSpec};
pub use files::{create_dir, write_atomically};
pub use fleet_status::{FleetStatus, FleetTrust, FleetWorker};
pub use ladder::{Ladder, MatchResult, Rating};
pub use limit::{GameClock, Limit};
pub use live::{LiveGame, LiveGames};
pub use metrics::{Event, LossStats, MatchStats, Metrics, SelfplayStats, TrainingStats};
pub use nnue_file::{check_nnue_name, shipped_nnue, write_nnue};
pub use output::{Log, ProgressPhase, StatusLine, init_logging};
pub use parallel::map_parallel;
pub use player_spec::{PlayerSpec, find_model, read_network};
pub use run_dir::{RunDir, checkpoint_name, lock_dir};
pub use stop::Stop;
pub use tally::Tally;
pub use tensorboard::TensorBoard;
pub use text::{counted, one_line, printable, program, shell_path, shell_word, shown_path};
