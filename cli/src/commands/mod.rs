//! The command line: one file per command.

mod bench;
mod export;
mod export_games;
mod fleet;
mod gauntlet;
mod label;
mod ladder;
mod match_;
mod openings;
mod perft;
mod play;
mod player_args;
mod report_output;
mod rules;
mod scan_progress;
mod serve;
mod status;
mod train;
mod values;
mod worker;

use clap::{Parser, Subcommand};

use crate::features::build_note;
use crate::torch::Torch;

pub use export::{KingBucketsArg, NnueArgs};
pub(crate) use export_games::ExportGamesArgs;
#[cfg(feature = "serve")]
pub(crate) use export_games::GamesFormat;
pub(crate) use fleet::FleetArgs;
#[cfg(feature = "fleet")]
pub(crate) use fleet::FleetCommands;
#[cfg(feature = "serve")]
pub(crate) use scan_progress::scan_progress;
pub(crate) use serve::ServeArgs;
pub use train::TrainArgs;
pub(crate) use worker::WorkerArgs;

const EXAMPLES: &str = "\
First steps:
  garuda train configs/tori-quick.toml    train a small network for Tori Shogi
  garuda status runs/tori-quick           how far it is
  garuda ladder runs/tori-quick           how strong its checkpoints are
  garuda play runs/tori-quick             play against the newest one
  garuda play alphabeta:1000 --game makruk    play without any network
  garuda serve runs/tori-quick            watch it, explore it and play against it in a browser

`garuda COMMAND --help` explains a command, with examples.";

/// Trains networks for chess variants by self-play: Makruk, Sittuyin, Tori Shogi, Eternal chess.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 100, after_help = build_note(), after_long_help = format!("{EXAMPLES}\n\n{}", build_note()).trim_end().to_owned())]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Commands,
}

#[derive(Subcommand, Debug)]
enum Commands {
    Train(TrainArgs),
    Worker(WorkerArgs),
    Fleet(FleetArgs),
    Match(Box<match_::MatchArgs>),
    Gauntlet(gauntlet::GauntletArgs),
    Ladder(ladder::LadderArgs),
    Openings(openings::OpeningsArgs),
    Values(values::ValuesArgs),
    Status(status::StatusArgs),
    Label(label::LabelArgs),
    Export(export::ExportArgs),
    ExportGames(ExportGamesArgs),
    Play(play::PlayArgs),
    Serve(ServeArgs),
    Bench(bench::BenchArgs),
    Perft(perft::PerftArgs),
    Rules(rules::RulesArgs),
}

impl Cli {
    pub(crate) fn run(self, torch: Option<&dyn Torch>) -> anyhow::Result<()> {
        match self.command {
            Commands::Train(args) => args.run(torch),
            Commands::Worker(args) => args.run(),
            Commands::Fleet(args) => args.run(),
            Commands::Match(args) => args.run(),
            Commands::Gauntlet(args) => args.run(),
            Commands::Ladder(args) => args.run(),
            Commands::Openings(args) => args.run(),
            Commands::Values(args) => args.run(),
            Commands::Status(args) => args.run(),
            Commands::Label(args) => args.run(),
            Commands::Export(args) => args.run(torch),
            Commands::ExportGames(args) => args.run(),
            Commands::Play(args) => args.run(),
            Commands::Serve(args) => args.run(),
            Commands::Bench(args) => args.run(torch),
            Commands::Perft(args) => args.run(),
            Commands::Rules(args) => args.run(),
        }
    }
}
