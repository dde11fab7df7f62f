//! Gives a run of random games its checkpoints, metrics and ladder, so that it can be shown and
//! continued like a run of days:
//!
//!     cargo run --release --package garuda-study --example synthetic_run -- torishogi runs/long 1000000 10000 network.kind=sparse network.width=32
//!     cargo run --release --package garuda-training --example synthetic_checkpoints -- runs/long
//!     /usr/bin/time -v target/release/garuda status runs/long

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use garuda_model::CheckpointState;
use garuda_model::checkpoint_files::{OPTIMIZER, STATE};
use garuda_rules::{Position, with_rule_set};
use garuda_run::config::FrozenSettings;
use garuda_run::records::RecordStore;
use garuda_run::{
    Event, Ladder, MatchResult, RunDir, SelfplayStats, Tally, TrainingStats, checkpoint_name,
};
use garuda_torch::{AveragedNetwork, TrainParams, Trainer};
use garuda_training::Progress;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [run] = arguments.as_slice() else {
        anyhow::bail!("usage: synthetic_checkpoints DIRECTORY");
    };
    let run = RunDir::open(Path::new(run))?;
    with_rule_set!(run.config().game.rules, P => make::<P>(&run))
}

fn make<P: Position>(run: &RunDir) -> anyhow::Result<()> {
    // Games and positions by checkpoint.
    let mut played: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    RecordStore::open(&run.games())?.load::<P>(|games| {
        played.clear();
        for game in games {
            let (count, positions) = played.entry(game.checkpoint).or_default();
            *count += 1;
            *positions += game.positions;
        }
        games.len()
    })?;
    let config = run.config();
    let network = AveragedNetwork::<P>::new(config.network.architecture()?, config.run.seed);
    let trainer = Trainer::from_network(network, TrainParams::default());
    let mut events = String::new();
    let mut ladder = Ladder::open(&run.ladder())?;
    let (mut games, mut positions) = (0, 0);
    let mut first: Option<PathBuf> = None;
    let last = played.keys().last().copied().unwrap_or(0);
    for (&checkpoint, &(count, of_checkpoint)) in &played {
        let training = TrainingStats {
            checkpoint,
            ..TrainingStats::default()
        };
        let progress = Progress {
            checkpoint,
            behind: 0,
            games,
            positions,
            samples_left: 0.0,
            rate_scale: 1.0,
            positions_per_game: of_checkpoint as f64 / count as f64,
            returned_to: None,
            training: Some(training.clone()),
            config: FrozenSettings::of(config),
        };
        let directory = run.checkpoint(checkpoint);
        match &first {
            // The optimiser's file is all that earlier checkpoints lack.
            Some(first) if checkpoint < last => link(first, &directory, &progress)?,
            _ => {
                trainer.save(&directory, "synthetic", &progress)?;
                first.get_or_insert(directory);
            }
        }
        games += count;
        positions += of_checkpoint;
        let selfplay = SelfplayStats {
            checkpoint,
            games: count,
            positions: of_checkpoint,
            total_positions: positions,
            ..SelfplayStats::default()
        };
        for event in [Event::Training(training), Event::Selfplay(selfplay)] {
            events += &(serde_json::to_string(&event)? + "\n");
        }
        if checkpoint > 0 {
            let mut tally = Tally::default();
            tally.add_pair([1, 0]);
            ladder.add(MatchResult {
                first: checkpoint_name(checkpoint),
                second: checkpoint_name(checkpoint - 1),
                simulations: 64,
                movetime: 0,
                tally,
                distinct_games: tally.games(),
                ends: BTreeMap::new(),
            });
        }
    }
    if let Some(first) = first.filter(|_| played.len() > 1) {
        fs::remove_file(first.join(OPTIMIZER))?;
    }
    fs::write(run.metrics(), events)?;
    ladder.write(&run.ladder(), &[])?;
    let count = played.len();
    println!("{count} checkpoints, {games} games, {positions} positions");
    Ok(())
}

/// A checkpoint that shares its network with another one: ten thousand would take as much room and
/// time as the run that they stand for.
fn link(other: &Path, directory: &Path, progress: &Progress) -> anyhow::Result<()> {
    fs::create_dir(directory)?;
    for entry in fs::read_dir(other)? {
        let name = entry?.file_name();
        if name != OPTIMIZER && name != STATE {
            fs::hard_link(other.join(&name), directory.join(&name))?;
        }
    }
    let state = CheckpointState::decode(&fs::read(other.join(STATE))?);
    let mut state = state.map_err(anyhow::Error::msg)?;
    state.notes = serde_json::to_value(progress)?;
    fs::write(directory.join(STATE), state.encode())?;
    Ok(())
}
