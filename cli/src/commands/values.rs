use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use garuda_rules::{Position, with_rule_set};
use garuda_run::{RunDir, init_logging};
use garuda_selfplay::experiment::ExperimentTerms;
use garuda_selfplay::generate::is_bootstrap;
use garuda_study::VersionedReport;
use garuda_study::values::{self, MIN_RESAMPLES, RESAMPLES, ValuesSource, study_values};

use super::report_output::print_and_write;
use super::scan_progress::scan_progress;

const EXAMPLES: &str = "\
Examples:
  garuda values runs/tori
  garuda values runs/makruk --from-checkpoint 20 --json
  garuda values runs/tori/openings/000040-64-0a1b2c3d";

/// Piece values and game balance, from the games of a run or of `garuda openings --games`.
///
/// Values are fitted to the results of games: how much one more piece of a type, on the board or in
/// hand, adds to the probability of winning. Intervals come from resampling whole games. The report
/// is printed and written into that directory as values.json, with a plot, values.svg.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ValuesArgs {
    /// The directory of a run, or of the games of `garuda openings --games`
    #[arg(value_name = "RUN|GAMES")]
    run: PathBuf,
    /// First checkpoint whose games count [default: 1 once it has played; the games before it are
    /// not played by a network]
    #[arg(long, value_name = "N")]
    from_checkpoint: Option<u32>,
    /// Last checkpoint whose games count [default: the newest]
    #[arg(long, value_name = "M")]
    to_checkpoint: Option<u32>,
    /// Number of resamples of the games for the intervals
    #[arg(long, default_value_t = RESAMPLES, value_name = "N")]
    resamples: usize,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

impl ValuesArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let to = self.to_checkpoint.unwrap_or(u32::MAX);
        if let Some(from) = self.from_checkpoint.filter(|&from| from > to) {
            bail!("--from-checkpoint {from} is after --to-checkpoint {to}");
        }
        if self.resamples < MIN_RESAMPLES {
            bail!(
                "--resamples {} is too few for a 95 % interval: at least {MIN_RESAMPLES}",
                self.resamples
            );
        }
        let log = init_logging(!self.json);
        // The games of `garuda openings` have a directory of their own.
        let experiment = ExperimentTerms::read(&self.run)?;
        let run = match &experiment {
            Some(_) => None,
            None => Some(RunDir::open(&self.run)?),
        };
        let from = match (self.from_checkpoint, &run) {
            (Some(from), _) => from,
            (None, Some(run)) => first_by_network(run)?.min(to),
            (None, None) => 0,
        };
        let rules = match (&run, &experiment) {
            (Some(run), _) => run.config().game.rules,
            (None, terms) => terms.as_ref().map_or("", |terms| &terms.game).parse()?,
        };
        let report = with_rule_set!(rules, P => {
            let source = match &run {
                Some(run) => ValuesSource::<P>::of_run(run)?,
                None => ValuesSource {
                    path: self.run.clone(),
                    games: ExperimentTerms::games(&self.run),
                    start: P::start(),
                },
            };
            study_values(&source, from..=to, self.resamples, scan_progress(&log))
        })?;
        let text = if self.json {
            serde_json::to_string(&report)? + "\n"
        } else {
            values::text(&report) + "\n"
        };
        let mut files = vec![(self.run.join("values.json"), report.to_json())];
        if let Some(fitted) = &report.values {
            files.push((self.run.join("values.svg"), values::svg(fitted)));
        }
        print_and_write(&text, &files, !self.json)
    }
}

/// The first checkpoint whose games a network played, or 0 if there may be none yet.
fn first_by_network(run: &RunDir) -> anyhow::Result<u32> {
    let has_played = run.checkpoint_numbers()?.last() > Some(&1);
    Ok(u32::from(has_played && is_bootstrap(run.config(), 0)))
}
