use std::io::{Write, stdout};
use std::path::PathBuf;
use std::thread::available_parallelism;

use anyhow::{Context, bail};
use clap::Args;
use garuda_rules::{RuleSet, with_rule_set};
use garuda_run::{HumanCount, PlayerSpec, Stop, init_logging, read_network, shown_path};
use garuda_selfplay::label::{LabelOptions, Labeller, label};

use super::player_args::player;

const EXAMPLES: &str = "\
Examples:
  garuda label runs/tori --out labels/tori
  garuda label runs/tori --simulations 200 --successors 2 --out labels/tori-200
  garuda label runs/makruk --teacher 'uci:fairy-stockfish?depth=5' --out labels/makruk-fsf";

/// Label positions of games, to train a network for Fairy-Stockfish.
///
/// Every position of the games is searched again, by the newest network or by a teacher engine, on
/// all cores. Left out are positions in check, during the set-up, with a single move, or seen
/// before, games that the length limit ended, and, after the search, positions
/// whose best move captures or promotes.
///
/// An interrupted call is continued by the same call. `garuda export RUN --format nnue --labels DIR`
/// trains on the labels.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct LabelArgs {
    /// Runs, directories of record files, or record files
    #[arg(value_name = "RUN|GAMES", required = true)]
    games: Vec<PathBuf>,
    /// Directory of the labels; a new one, or one to continue
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Simulations per position
    #[arg(long, default_value_t = 128, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    simulations: u32,
    /// The network that searches: a run, a checkpoint, a file, or a game with a shipped network
    /// [default: the newest of the first RUN]
    #[arg(long, value_name = "NETWORK", conflicts_with = "teacher")]
    network: Option<PathBuf>,
    /// An engine that searches instead, limited by depth or nodes, as in 'uci:fairy-stockfish?depth=5'
    #[arg(long, value_name = "SPEC", value_parser = player())]
    teacher: Option<PlayerSpec>,
    /// Random moves from each position after which, captures played out, is labelled too
    #[arg(long, default_value_t = 0, value_name = "N")]
    successors: u32,
    /// The game, where there is no run or network to know it from
    #[arg(long)]
    game: Option<RuleSet>,
    /// Number of threads [default: number of cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

impl LabelArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (labeller, rules) = match &self.teacher {
            Some(PlayerSpec::Uci(spec)) => (Labeller::Teacher(spec.clone()), self.rules()?),
            Some(other) => {
                bail!("a teacher is an engine, uci:<command>?depth=<plies>, not {other}")
            }
            None => {
                let path = self.network.as_ref().unwrap_or(&self.games[0]);
                let network = read_network(path)
                    .context("no network to search with; name one with --network or an engine with --teacher")?;
                let rules = network.info().rule_set()?;
                if let Some(game) = self.game.filter(|&game| game != rules) {
                    bail!("{} plays {rules}, but --game says {game}", path.display());
                }
                let labeller = Labeller::Network {
                    network,
                    simulations: self.simulations,
                };
                (labeller, rules)
            }
        };
        let options = LabelOptions {
            games: self.games,
            labeller,
            successors: self.successors,
            out: self.out,
            positions_per_file: LabelOptions::POSITIONS_PER_FILE,
            threads: self
                .threads
                .unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
            stop: Stop::on_signals(None)?,
            log: init_logging(!self.json),
        };
        let summary = with_rule_set!(rules, P => label::<P>(&options))?;
        if self.json {
            writeln!(stdout(), "{}", serde_json::to_string(&summary)?)?;
            return Ok(());
        }
        options.log.line(&format!(
            "{}: {} labels from {} positions of {} games{}",
            shown_path(&options.out),
            HumanCount(summary.labels),
            HumanCount(summary.positions),
            HumanCount(summary.games),
            match summary.complete {
                true => "",
                false => "; interrupted, the same command continues",
            }
        ));
        Ok(())
    }

    /// The game of the first run, or what `--game` says.
    fn rules(&self) -> anyhow::Result<RuleSet> {
        let of_run = self
            .games
            .iter()
            .find(|path| path.join("config.toml").is_file())
            .map(|path| garuda_run::RunDir::open(path).map(|run| run.config().game.rules))
            .transpose()?;
        match (self.game, of_run) {
            (Some(game), Some(of_run)) if game != of_run => {
                bail!("the games are of {of_run}, but --game says {game}")
            }
            (game, of_run) => game
                .or(of_run)
                .context("which game? Say it with --game: none of the arguments is a run"),
        }
    }
}
