mod games;
mod strength;

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use anyhow::ensure;
use clap::Args;
use garuda_model::{Network, NetworkEvaluator};
use garuda_rules::{Position, with_rule_set};
use garuda_run::config::{Config, OpeningsSettings};
use garuda_run::{Log, RunDir, find_model, init_logging, read_network, shown_path};
use garuda_study::VersionedReport;
use garuda_study::openings::{
    self, CheckpointRanges, EvaluatorFactory, GameTable, OpeningRoot, OpeningsReport,
    PARALLEL_SEARCHES, ReportSource, SearchSettings, StudyInputs, count_games, study_openings,
};

use self::games::GamesArgs;
use super::report_output::{ReportFile, print_and_write};
use super::scan_progress::scan_progress;

const EXAMPLES: &str = "\
Examples:
  garuda openings runs/tori
  garuda openings torishogi --visits 2000 --plies 3 --html openings.html
  garuda openings runs/makruk --from \"e3e4 e6e5\"
  garuda openings runs/tori --games 2000                      games from every first move
  garuda openings runs/tori --games 2000 --half-width 0.05 --depth 2
  garuda openings torishogi --games 400 --arms handicaps --out tori-handicaps
  garuda openings runs/sittuyin --games 400 --arms set-ups";

/// Opening statistics: which first moves are good, by search and by the games of a run.
///
/// The position after every move is searched with equal effort, by the newest network of a run or
/// by a given one. A move's value is the mean of several searches, with a 95 % interval from the
/// differences between them. Moves within --margin of the best are good and are followed further.
/// Results of the run's games are listed with each move.
///
/// With --games, complete games are played from every move with equal search on both sides. A move's
/// score over these games has an interval that holds however often it is looked at. A move is good
/// if it is not worse than the best by more than --score-margin, bad if it is worse by more, and open
/// if neither is shown, at --confidence for all moves together. Effort goes to moves that are still
/// open. A network that does not score --required-score against `alphabeta` is too weak to say.
///
/// The report is printed, and for a run also written into its directory as openings.json,
/// openings.csv and openings.html, a page for any browser.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct OpeningsArgs {
    /// A run, a checkpoint, or a network file
    #[arg(value_name = "RUN|NETWORK")]
    source: PathBuf,
    /// Number of moves from the position that are studied (whole turns in Eternal chess)
    #[arg(long)]
    plies: Option<u32>,
    /// Visits per search; 0 for the statistics of a run's games alone
    #[arg(long)]
    visits: Option<u32>,
    /// Searches per move
    #[arg(long)]
    searches: Option<u32>,
    /// How far below the best value a good move may be; values range from -1 to 1
    #[arg(long)]
    margin: Option<f64>,
    /// Largest number of good moves that are followed at each position
    #[arg(long)]
    width: Option<u32>,
    /// Number of turns of Eternal chess that are searched at each position, most likely first
    #[arg(long)]
    turns: Option<u32>,
    /// Position to study instead of the start: a FEN, or moves from the start such as "e4e5 c5c4"
    #[arg(long, value_name = "FEN|MOVES")]
    from: Option<String>,
    /// Seed of the searches
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of search threads [default: number of cores]
    #[arg(long)]
    threads: Option<usize>,
    /// Write the HTML page to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write comma-separated values to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write JSON to this file
    #[arg(long, value_name = "FILE")]
    json_file: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    by_games: GamesArgs,
}

/// A run, if that is what was given, and a network, if there is one.
struct Given {
    path: PathBuf,
    run: Option<RunDir>,
    network: Option<Network>,
    source: ReportSource,
}

impl OpeningsArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let log = init_logging(!self.json);
        let given = self.given()?;
        let rules = match (&given.run, &given.network) {
            (Some(run), _) => run.config().game.rules,
            (None, Some(network)) => network.info().rule_set()?,
            (None, None) => unreachable!("a source is a run or a model"),
        };
        let settings = self.settings(given.run.as_ref().map(RunDir::config))?;
        with_rule_set!(rules, P => self.report::<P>(&given, &settings, &log))
    }

    fn given(&self) -> anyhow::Result<Given> {
        let path = &self.source;
        let run = match RunDir::open(path) {
            Ok(run) => Some(run),
            Err(_) if !path.join("config.toml").exists() => None,
            Err(error) => return Err(error),
        };
        let has_checkpoint = match &run {
            Some(run) => !run.checkpoint_numbers()?.is_empty(),
            None => true,
        };
        let mut source = ReportSource {
            name: shown_path(path),
            ..ReportSource::default()
        };
        let mut network = None;
        if has_checkpoint && (self.visits != Some(0) || self.by_games.is_wanted()) {
            let read = read_network(path)?;
            source.checkpoint = find_model(path).ok().and_then(|file| number_of(&file));
            source.step = Some(read.info().step);
            source.hash = Some(read.info().hash.clone());
            network = Some(read);
        }
        ensure!(
            run.is_some() || network.is_some(),
            "a model has no games, so --visits must be at least 1"
        );
        Ok(Given {
            path: path.clone(),
            run,
            network,
            source,
        })
    }

    /// The run's settings with those of the flags, checked like a configuration.
    fn settings(&self, config: Option<&Config>) -> anyhow::Result<OpeningsSettings> {
        let flags = [
            ("margin", self.margin.map(|n| n.to_string())),
            ("visits", self.visits.map(|n| n.to_string())),
            ("searches", self.searches.map(|n| n.to_string())),
            ("plies", self.plies.map(|n| n.to_string())),
            ("width", self.width.map(|n| n.to_string())),
            ("turns", self.turns.map(|n| n.to_string())),
        ];
        let flags: Vec<_> = (flags.into_iter())
            .filter_map(|(key, value)| Some(format!("openings.{key}={}", value?)))
            .collect();
        let base = config.map_or_else(String::new, Config::to_toml);
        Ok(Config::parse("garuda openings", &base, &flags)?.openings)
    }

    fn report<P: Position>(
        &self,
        given: &Given,
        settings: &OpeningsSettings,
        log: &Log,
    ) -> anyhow::Result<()> {
        let start = match given.run.as_ref().map(|run| &run.config().game.start) {
            Some(text) if !text.is_empty() => text.parse::<P>()?,
            _ => P::start(),
        };
        let root = OpeningRoot::new(start, self.from.as_deref())?;
        let games_job = (self.by_games).prepare(given, &root, settings, self.seed, log)?;
        let games = match &given.run {
            Some(run) => Some(games(run, &root, settings.plies, log)?),
            None => None,
        };
        let open = || -> anyhow::Result<NetworkEvaluator<P>> {
            let network = given.network.as_ref().expect("searches need a model");
            Ok(network.evaluator(PARALLEL_SEARCHES)?)
        };
        let searches =
            given.network.is_some() && settings.visits > 0 && self.by_games.is_about_moves();
        let threads =
            (self.threads).unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
        let search = searches.then_some(SearchSettings {
            visits: settings.visits,
            searches: settings.searches,
            seed: self.seed,
            shards: threads,
        });
        let inputs = StudyInputs {
            source: given.source.clone(),
            settings,
            search: search.map(|search| (search, EvaluatorFactory(&open))),
            games: games.as_ref(),
        };
        let mut report = study_openings(&root, &inputs, log)?;
        if let Some(job) = games_job {
            let searched = searches.then_some(&report.root);
            report.experiment = Some(job.run(given, &root, searched, threads, log)?);
        }
        let text = if self.json {
            serde_json::to_string(&report)? + "\n"
        } else {
            openings::text(&report)
        };
        let mut files = self.files(&report, given.run.as_ref());
        files.extend(self.by_games.book_file::<P>(&report)?);
        print_and_write(&text, &files, !self.json)
    }

    /// The files of the report: those that were asked for, and for a run the others in its
    /// directory.
    fn files(&self, report: &OpeningsReport, run: Option<&RunDir>) -> Vec<ReportFile> {
        type Render = fn(&OpeningsReport) -> String;
        let files: [(&Option<PathBuf>, &str, Render); 3] = [
            (&self.json_file, "json", OpeningsReport::to_json),
            (&self.csv, "csv", openings::csv),
            (&self.html, "html", openings::html),
        ];
        let name = self.by_games.report_name();
        (files.into_iter())
            .filter_map(|(asked, extension, render)| {
                let in_run = run.map(|run| run.path().join(format!("{name}.{extension}")));
                Some((asked.clone().or(in_run)?, render(report)))
            })
            .collect()
    }
}

fn games<P: Position>(
    run: &RunDir,
    root: &OpeningRoot<P>,
    plies: u32,
    log: &Log,
) -> anyhow::Result<GameTable> {
    let newest = run.checkpoint_numbers()?.last().copied().unwrap_or(0);
    count_games(
        &run.games(),
        root,
        plies,
        &CheckpointRanges::up_to(newest),
        scan_progress(log),
    )
}

/// The number of the checkpoint that a model file belongs to.
fn number_of(model: &Path) -> Option<u32> {
    model.parent()?.file_name()?.to_str()?.parse().ok()
}
