use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread::available_parallelism;

use anyhow::{Context, ensure};
use clap::Args;
use garuda_model::{Network, NetworkEvaluator};
use garuda_rules::{Position, with_rule_set};
use garuda_run::config::{Config, OpeningsSettings};
use garuda_run::{Log, RunDir, find_model, init_logging, write_atomically};
use garuda_study::openings::{
    CheckpointRanges, EvaluatorFactory, GameTable, OpeningRoot, OpeningsReport, PLACES,
    ReportSource, SearchEffort, SearchSettings, StudyInputs, count_games, csv, page, study, table,
};

/// Tell which openings are good: by searching every first move, and by the games of a run.
///
/// Every move is made and the position after it searched with equal effort, by the newest network
/// of a run or by a model. Its value is the mean of several searches, with a 95 % interval from how
/// much they differ. The moves within --margin of the best are good, and are followed further.
/// Beside them stands what became of each move in the run's games.
///
/// The report goes to the terminal, and for a run into its directory as openings.json,
/// openings.csv and openings.html, a page that any browser opens.
#[derive(Args, Debug)]
pub(crate) struct Openings {
    /// A run, a checkpoint, or a .onnx file
    #[arg(value_name = "RUN|MODEL")]
    source: PathBuf,
    /// Moves from the position on that are looked at, in Eternal chess whole turns
    #[arg(long)]
    plies: Option<u32>,
    /// Visits of each search; 0 for the statistics of a run's games alone
    #[arg(long)]
    visits: Option<u32>,
    /// Searches of each move
    #[arg(long)]
    searches: Option<u32>,
    /// How far below the best value a good move may be; values go from -1 to 1
    #[arg(long)]
    margin: Option<f64>,
    /// How many good moves of a position are followed
    #[arg(long)]
    width: Option<u32>,
    /// Turns of Eternal chess that are searched at each position, the likeliest
    #[arg(long)]
    turns: Option<u32>,
    /// Another position than the start: its text form, or moves from the start such as "e4e5 c5c4"
    #[arg(long, value_name = "FEN|MOVES")]
    from: Option<String>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Searching threads [default: as many as cores]
    #[arg(long)]
    threads: Option<usize>,
    /// Write the page here
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write comma-separated values here
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write JSON here
    #[arg(long, value_name = "FILE")]
    json_file: Option<PathBuf>,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

/// A run, if that is what was given, and a network, if there is one.
struct Given {
    run: Option<RunDir>,
    network: Option<Network>,
    source: ReportSource,
}

impl Openings {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let log = init_logging(!self.json);
        let given = self.given()?;
        let rules = match (&given.run, &given.network) {
            (Some(run), _) => run.config().rule_set(),
            (None, Some(network)) => network.info().rule_set()?,
            (None, None) => unreachable!("what is no run is a model"),
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
            name: path.display().to_string(),
            ..ReportSource::default()
        };
        let mut network = None;
        if has_checkpoint && self.visits != Some(0) {
            let file = find_model(path)?;
            let read = Network::read(&file);
            let read = read.with_context(|| format!("cannot use {}", file.display()))?;
            source.checkpoint = number_of(&file);
            source.step = Some(read.info().step);
            source.hash = Some(read.info().hash.clone());
            network = Some(read);
        }
        ensure!(
            run.is_some() || network.is_some(),
            "a model has no games, so --visits must be at least 1"
        );
        Ok(Given {
            run,
            network,
            source,
        })
    }

    /// The flags over the run's configuration, within the ranges of the configuration.
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
        let games = match &given.run {
            Some(run) => Some(games(run, &root, settings.plies, log)?),
            None => None,
        };
        let open = || -> anyhow::Result<NetworkEvaluator<P>> {
            let network = given
                .network
                .as_ref()
                .expect("there is something to search");
            Ok(network.evaluator(PLACES)?)
        };
        let searches = given.network.is_some() && settings.visits > 0;
        let search = searches.then(|| SearchSettings {
            visits: settings.visits,
            searches: settings.searches,
            seed: self.seed,
            shards: self
                .threads
                .unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
        });
        let found = study(
            &root,
            &StudyInputs {
                settings,
                search: search.map(|search| (search, EvaluatorFactory(&open))),
                games: games.as_ref(),
            },
            log,
        )?;
        let effort = search.map(|search| SearchEffort {
            visits: search.visits,
            searches: search.searches,
            seed: search.seed,
            margin: settings.margin,
            plies: settings.plies,
            width: settings.width,
        });
        let source = given.source.clone();
        let report = OpeningsReport::new::<P>(source, root.from(), effort, games.as_ref(), found);
        let written = self.write::<P>(&report, given.run.as_ref())?;
        let mut out = stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
            return Ok(());
        }
        write!(out, "{}", table(&report))?;
        if given.run.is_none() && P::HAS_SETUP {
            writeln!(out, "\nSet-ups are told from the games of a run.")?;
        }
        for path in written {
            writeln!(out, "{}", path.display())?;
        }
        Ok(())
    }

    /// Writes the files that were asked for; those of a run go into its directory unless told
    /// otherwise.
    fn write<P: Position>(
        &self,
        report: &OpeningsReport,
        run: Option<&RunDir>,
    ) -> anyhow::Result<Vec<PathBuf>> {
        let path = |asked: &Option<PathBuf>, name: &str| {
            let default = run.map(|run| run.path().join(name));
            asked.clone().or(default)
        };
        let mut written = Vec::new();
        let mut write = |path: Option<PathBuf>, text: &dyn Fn() -> anyhow::Result<String>| {
            let Some(path) = path else { return Ok(()) };
            write_atomically(&path, text()?.as_bytes())?;
            written.push(path);
            anyhow::Ok(())
        };
        write(path(&self.json_file, "openings.json"), &|| {
            Ok(serde_json::to_string_pretty(report)? + "\n")
        })?;
        write(path(&self.csv, "openings.csv"), &|| Ok(csv(report)))?;
        write(path(&self.html, "openings.html"), &|| Ok(page::<P>(report)))?;
        Ok(written)
    }
}

fn games<P: Position>(
    run: &RunDir,
    root: &OpeningRoot<P>,
    plies: u32,
    log: &Log,
) -> anyhow::Result<GameTable> {
    let newest = run.checkpoint_numbers()?.last().copied().unwrap_or(0);
    let phase = Mutex::new(None);
    count_games(
        &run.games(),
        root,
        plies,
        &CheckpointRanges::up_to(newest),
        |at| {
            let mut phase = phase.lock().expect("nobody panics with it");
            let phase = phase.get_or_insert_with(|| log.phase("games", at.batches as u64));
            phase.set(at.batches_done as u64, || {
                format!("files, {} games", at.games)
            });
        },
    )
}

/// The number of the checkpoint that a model file belongs to.
fn number_of(model: &Path) -> Option<u32> {
    model.parent()?.file_name()?.to_str()?.parse().ok()
}
