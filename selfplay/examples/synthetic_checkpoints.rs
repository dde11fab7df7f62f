//! Gives a run of random games its checkpoints, metrics and ladder, so that it can be shown and
//! continued like a run of days:
//!
//!     cargo run --release --package garuda-study --example synthetic_run -- torishogi runs/long 1000000 10000 network.kind=sparse network.width=32
//!     cargo run --release --package garuda-selfplay --features torch --example synthetic_checkpoints -- runs/long
//!     /usr/bin/time -v target/release/garuda status runs/long

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use garuda_model::checkpoint_files::OPTIMIZER;
use garuda_model::{AveragedNetwork, TrainParams, Trainer};
use garuda_rules::{Position, with_rule_set};
use garuda_run::config::FrozenSettings;
use garuda_run::records::RecordStore;
use garuda_run::{
    Event, Ladder, MatchResult, Metrics, RunDir, SelfplayStats, Tally, TrainingStats,
    checkpoint_name,
};
use garuda_selfplay::train::Progress;

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
    let mut metrics = Metrics::open(&run.metrics())?;
    let mut ladder = Ladder::open(&run.ladder())?;
    let (mut games, mut positions) = (0, 0);
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
        trainer.save(&directory, "synthetic", &progress)?;
        if checkpoint < last {
            fs::remove_file(directory.join(OPTIMIZER))?;
        }
        games += count;
        positions += of_checkpoint;
        metrics.add(Event::Training(training))?;
        metrics.add(Event::Selfplay(SelfplayStats {
            checkpoint,
            games: count,
            positions: of_checkpoint,
            total_positions: positions,
            ..SelfplayStats::default()
        }))?;
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
    ladder.write(&run.ladder(), &[])?;
    let count = played.len();
    println!("{count} checkpoints, {games} games, {positions} positions");
    Ok(())
}
