//! The options of games from every move, and the experiment that plays them.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use garuda_model::Network;
use garuda_rules::Position;
use garuda_run::config::OpeningsSettings;
use garuda_run::{Log, Stop};
use garuda_selfplay::experiment::{
    ExperimentDir, ExperimentSettings, ExperimentTerms, PlayOptions, run_experiment,
};
use garuda_study::experiment::{ArmKind, EliminationSettings, ExperimentReport};
use garuda_study::openings::{OpeningNode, OpeningRoot, OpeningsReport, book, book_pgn};

use super::Given;
use super::strength::StrengthArgs;
use crate::commands::report_output::ReportFile;
use crate::commands::scan_progress::scan_progress;

/// What the games start with.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum ArmsArg {
    /// Every move of the position
    Moves,
    /// The game's handicap starts (Tori Shogi)
    Handicaps,
    /// Formations of either side in the set-up phase (Sittuyin)
    SetUps,
    /// The position itself: is it balanced?
    Start,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Games from every move")]
pub(super) struct GamesArgs {
    /// Play complete games from every move, up to N for each
    ///
    /// Moves that are clearly worse than the best get no more games. Games are kept as records, and
    /// the same command resumes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// What the games start with
    #[arg(long, value_enum, default_value_t = ArmsArg::Moves, requires = "games")]
    arms: ArmsArg,
    /// Largest number of games at a position, of all its moves together
    #[arg(long, value_name = "N", requires = "games")]
    total_games: Option<u64>,
    /// A move needs no more games when its score is known to ± this, from 0 to 1
    #[arg(long, value_name = "SCORE", requires = "games")]
    half_width: Option<f64>,
    /// Give bad moves as many games as the others
    #[arg(long, requires = "games")]
    equal_games: bool,
    /// How much lower than the best score a good move's may be, from 0 to 1
    #[arg(long, value_name = "SCORE", default_value_t = 0.05, requires = "games")]
    score_margin: f64,
    /// Probability that all verdicts about a position are right
    #[arg(long, value_name = "P", default_value_t = 0.95, requires = "games")]
    confidence: f64,
    /// Number of moves from the position that games are played from: good moves are followed
    #[arg(long, value_name = "N", default_value_t = 1, requires = "games", value_parser = clap::value_parser!(u32).range(1..=10))]
    depth: u32,
    /// Simulations per move in these games
    #[arg(long, value_name = "N", default_value_t = 64, requires = "games")]
    simulations: u32,
    /// Temperature of the moves after the studied one, so that games differ
    #[arg(long, value_name = "T", default_value_t = 1.0, requires = "games")]
    temperature: f64,
    /// Number of these moves
    #[arg(long, value_name = "N", default_value_t = 30, requires = "games")]
    temperature_plies: u32,
    /// Directory of the records [default: in the run, openings/<checkpoint>-<simulations>-<hash>]
    #[arg(long, value_name = "DIR", requires = "games")]
    out: Option<PathBuf>,
    /// Write the good moves as an opening book: FILE.epd for garuda-engine, or FILE.pgn
    #[arg(long, value_name = "FILE", requires = "games", value_parser = book_path)]
    book: Option<PathBuf>,
    #[command(flatten)]
    strength: StrengthArgs,
}

/// A path that ends in .epd or .pgn.
fn book_path(text: &str) -> anyhow::Result<PathBuf> {
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|extension| extension.to_str());
    ensure!(
        matches!(extension, Some("epd" | "pgn")),
        "a book is a file that ends in .epd or .pgn"
    );
    Ok(path)
}

impl GamesArgs {
    pub(super) fn is_wanted(&self) -> bool {
        self.games.is_some()
    }

    /// Whether the moves of the position are what is asked about.
    pub(super) fn is_about_moves(&self) -> bool {
        !self.is_wanted() || self.arms == ArmsArg::Moves
    }

    /// The name of the report's files in a run. A report on something else than moves does not
    /// replace that on moves.
    pub(super) fn report_name(&self) -> &'static str {
        match self.arms {
            ArmsArg::Moves => "openings",
            ArmsArg::Handicaps => "handicaps",
            ArmsArg::SetUps => "set-ups",
            ArmsArg::Start => "start",
        }
    }

    fn elimination(&self, games: u64) -> anyhow::Result<EliminationSettings> {
        for (name, value) in [
            ("--score-margin", Some(self.score_margin)),
            ("--half-width", self.half_width),
        ] {
            ensure!(
                value.is_none_or(|value| value > 0.0 && value < 1.0),
                "{name} must be between 0 and 1, not {}",
                value.unwrap_or_default()
            );
        }
        ensure!(
            self.confidence > 0.5 && self.confidence < 1.0,
            "--confidence must be between 0.5 and 1, not {}",
            self.confidence
        );
        Ok(EliminationSettings {
            games,
            total_games: self.total_games,
            margin: self.score_margin,
            confidence: self.confidence,
            half_width: self.half_width,
            equal_games: self.equal_games,
        })
    }

    fn kind<P: Position>(&self, root: &OpeningRoot<P>) -> anyhow::Result<ArmKind> {
        Ok(match self.arms {
            ArmsArg::Moves => ArmKind::Moves,
            _ if self.book.is_some() => bail!("--book needs --arms moves: only moves make a book"),
            ArmsArg::Start => ArmKind::Start,
            ArmsArg::Handicaps if P::STARTS.len() > 1 => ArmKind::Handicaps,
            ArmsArg::Handicaps => bail!("{} has no handicap starts", P::TITLE),
            ArmsArg::SetUps if P::HAS_SETUP && root.from().is_none() => ArmKind::SetUps,
            ArmsArg::SetUps if P::HAS_SETUP => {
                bail!("--arms set-ups starts with an empty board: leave out --from")
            }
            ArmsArg::SetUps => bail!("{} has no set-up phase", P::TITLE),
        })
    }

    /// Checks the options and opens the directory of the games, if games are wanted.
    pub(super) fn prepare<P: Position>(
        &self,
        given: &Given,
        root: &OpeningRoot<P>,
        settings: &OpeningsSettings,
        seed: u64,
        log: &Log,
    ) -> anyhow::Result<Option<GamesJob<'_, P>>> {
        let Some(games) = self.games else {
            return Ok(None);
        };
        let network =
            (given.network.as_ref()).context("games need a network, and there is none")?;
        self.strength.check()?;
        let settings = ExperimentSettings {
            kind: self.kind(root)?,
            elimination: self.elimination(games)?,
            depth: self.depth,
            width: settings.width as usize,
            max_arms: settings.turns as usize,
        };
        let terms = self.terms::<P>(network, given, seed);
        let path = match (&self.out, &given.run) {
            (Some(out), _) => out.clone(),
            (None, Some(run)) => run.path().join("openings").join(terms.dir_name()),
            (None, None) => bail!("games of a network need a directory: name one with --out"),
        };
        Ok(Some(GamesJob {
            strength: &self.strength,
            settings,
            dir: ExperimentDir::open(&path, &terms, scan_progress(log))?,
        }))
    }

    /// The book of a report, if it is wanted.
    pub(super) fn book_file<P: Position>(
        &self,
        report: &OpeningsReport,
    ) -> anyhow::Result<Option<ReportFile>> {
        let (Some(path), Some(experiment)) = (&self.book, &report.experiment) else {
            return Ok(None);
        };
        let text = match path.extension().is_some_and(|extension| extension == "pgn") {
            true => book_pgn::<P>(experiment)?,
            false => book::<P>(experiment)?.to_string(),
        };
        Ok(Some((path.clone(), text)))
    }

    fn terms<P: Position>(&self, network: &Network, given: &Given, seed: u64) -> ExperimentTerms {
        ExperimentTerms {
            format: ExperimentTerms::FORMAT,
            game: P::NAME.to_owned(),
            network: network.info().hash.clone(),
            checkpoint: given.source.checkpoint.unwrap_or(0),
            seed,
            simulations: self.simulations,
            temperature: self.temperature,
            temperature_plies: self.temperature_plies,
        }
    }
}

/// Games that are to be played.
pub(super) struct GamesJob<'a, P> {
    strength: &'a StrengthArgs,
    settings: ExperimentSettings,
    dir: ExperimentDir<P>,
}

impl<P: Position> GamesJob<'_, P> {
    /// Plays them. `searched` is the position by search.
    pub(super) fn run(
        mut self,
        given: &Given,
        root: &OpeningRoot<P>,
        searched: Option<&OpeningNode>,
        threads: usize,
        log: &Log,
    ) -> anyhow::Result<ExperimentReport> {
        let stop = Stop::on_signals(None)?;
        let options = PlayOptions {
            shards: threads,
            stop: &stop,
            log,
        };
        let strength = self.strength.measure(given, &self.dir, &options)?;
        let network = given
            .network
            .as_ref()
            .expect("a job was made for a network");
        run_experiment(
            root,
            searched,
            &mut self.dir,
            &self.settings,
            strength,
            &|batch| Ok(network.evaluator::<P>(batch)?),
            &options,
        )
    }
}
