use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use garuda_rules::{FeaturePlace, GamePhase, with_rule_set};
use garuda_run::records::ScanProgress;
use garuda_run::{RunDir, checkpoint_name, init_logging};
use garuda_selfplay::generate::is_bootstrap;
use garuda_study::ConfidenceInterval;
use garuda_study::balance::write_balance;
use garuda_study::values::{
    FeatureValue, FittedValues, POSITIONS_OF_A_PHASE, PhaseValues, RESAMPLES, ValuesReport,
    run_values,
};

/// Tell what pieces are worth and how balanced the game is, from the games of a run.
///
/// Values are fitted to the results of games: how much one more piece of a kind, on the board or in
/// hand, adds to the chances of winning. Intervals come from resampling whole games. The table is
/// kept in the run as values.json, with a plot, values.svg.
#[derive(Args, Debug)]
pub(crate) struct Values {
    /// The run's directory
    run: PathBuf,
    /// The first checkpoint whose games count [default: 1 once it has played; no network played
    /// the games before]
    #[arg(long, value_name = "N")]
    from_checkpoint: Option<u32>,
    /// The last checkpoint whose games count [default: the newest]
    #[arg(long, value_name = "M")]
    to_checkpoint: Option<u32>,
    /// How often the games are resampled for the intervals
    #[arg(long, default_value_t = RESAMPLES, value_name = "N")]
    resamples: usize,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

impl Values {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let to = self.to_checkpoint.unwrap_or(u32::MAX);
        if let Some(from) = self.from_checkpoint.filter(|&from| from > to) {
            bail!("--from-checkpoint {from} is after --to-checkpoint {to}");
        }
        if self.resamples < 40 {
            bail!(
                "--resamples {} are too few for a 95 % interval: at least 40",
                self.resamples
            );
        }
        let run = RunDir::open(&self.run)?;
        let log = init_logging(!self.json);
        let mut phase = None;
        let progress = |at: ScanProgress| {
            let phase = phase.get_or_insert_with(|| log.phase("games", at.batches as u64));
            phase.set(at.batches_done as u64, || {
                format!("files, {} games", at.games)
            });
        };
        let from = match self.from_checkpoint {
            Some(from) => from,
            None => first_by_network(&run)?.min(to),
        };
        let checkpoints = from..=to;
        let values = with_rule_set!(run.config().rule_set(), P => {
            run_values::<P>(&run, checkpoints, self.resamples, progress)
        })?;
        drop(phase);
        let written = values.write(&run)?;
        let mut out = stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&values)?)?;
            return Ok(());
        }
        self.print_head(&mut out, &values)?;
        if let Some(report) = &values.values {
            print_values(&mut out, report)?;
        }
        if let Some(problem) = &values.problem {
            writeln!(out, "no values: {problem}")?;
        }
        write_balance(&mut out, &values.balance)?;
        writeln!(out)?;
        for path in written {
            writeln!(out, "{}", path.display())?;
        }
        Ok(())
    }

    fn print_head(&self, out: &mut impl Write, values: &ValuesReport) -> anyhow::Result<()> {
        let [from, to] = values.checkpoints.map(checkpoint_name);
        writeln!(
            out,
            "{}: {}, {} games of checkpoints {from} to {to}, {} of them ({:.0} %) from varied starts",
            self.run.display(),
            values.rules,
            values.games,
            values.varied_games,
            100.0 * values.varied_games as f64 / values.games.max(1) as f64,
        )?;
        if values.cap_draws > 0 {
            writeln!(
                out,
                "{} draws at the length cap are left out of the values: they tell of the cap, not of the pieces",
                values.cap_draws
            )?;
        }
        Ok(())
    }
}

/// The first checkpoint whose games a network played, or 0 if there may be none yet.
fn first_by_network(run: &RunDir) -> anyhow::Result<u32> {
    let has_played = run.checkpoint_numbers()?.last() > Some(&1);
    Ok(u32::from(has_played && is_bootstrap(run.config(), 0)))
}

fn number(interval: Option<ConfidenceInterval>) -> String {
    interval.map_or("n/a".to_owned(), |i| format!("{:.2}", i.value))
}

fn with_bounds(interval: Option<ConfidenceInterval>) -> String {
    match interval {
        None => "n/a".to_owned(),
        Some(i) => format!("{:.2} ({:.2} – {:.2})", i.value, i.low, i.high),
    }
}

/// Values in units where the unit is clear, log-odds where it is not.
fn shown(values: &PhaseValues, feature: &FeatureValue) -> Option<ConfidenceInterval> {
    if values.unit_is_clear {
        feature.value
    } else {
        feature.log_odds
    }
}

fn print_values(out: &mut impl Write, report: &FittedValues) -> anyhow::Result<()> {
    let all = &report.all;
    let unit = report.unit;
    let has_guide = all.features.iter().any(|feature| feature.guide.is_some());
    let has_assumed = all.features.iter().any(|feature| feature.assumed.is_some());
    let what = if all.unit_is_clear {
        format!("{unit} = 1")
    } else {
        "log-odds".to_owned()
    };
    write!(out, "\n{:<20} {:>24}", "", format!("{what} (95 %)"))?;
    for values in &report.by_phase {
        let name = values.phase.map_or("", GamePhase::name);
        let mark = if values.unit_is_clear == all.unit_is_clear {
            ""
        } else {
            "*"
        };
        write!(out, " {:>8}", format!("{name}{mark}"))?;
    }
    if has_guide {
        write!(out, " {:>7}", "guide")?;
    }
    if has_assumed {
        write!(out, " {:>9}", "material")?;
    }
    writeln!(out, " {:>8} {:>9}", "games", "log-odds")?;
    for (i, feature) in all.features.iter().enumerate() {
        let name = feature.feature.name;
        let name = match feature.feature.place {
            FeaturePlace::Board | FeaturePlace::Zone | FeaturePlace::Score => name.to_owned(),
            FeaturePlace::Hand => format!("{name} in hand"),
            FeaturePlace::Across => format!("{name} across"),
        };
        write!(out, "{name:<20} {:>24}", with_bounds(shown(all, feature)))?;
        for values in &report.by_phase {
            write!(out, " {:>8}", number(shown(values, &values.features[i])))?;
        }
        if has_guide {
            let guide = feature
                .guide
                .map_or(String::new(), |guide| guide.to_string());
            write!(out, " {guide:>7}")?;
        }
        if has_assumed {
            let assumed = feature
                .assumed
                .map_or(String::new(), |value| value.to_string());
            write!(out, " {assumed:>9}")?;
        }
        writeln!(out, " {:>8} {:>9}", feature.games, number(feature.log_odds))?;
    }
    let elsewhere = |name: &str, of: &dyn Fn(&PhaseValues) -> ConfidenceInterval| {
        let log_odds = with_bounds(Some(of(all)));
        format!("{name:<20} {log_odds:>24}  in log-odds")
    };
    writeln!(out, "{}", elsewhere("first move", &|v| v.first_move))?;
    writeln!(out, "{}", elsewhere("to move", &|v| v.to_move))?;
    writeln!(
        out,
        "\n{} quiet positions of {} games, up to {POSITIONS_OF_A_PHASE} of each phase of a game, each game with the same weight; intervals from {} resamples of games",
        all.positions, all.games, report.resamples
    )?;
    writeln!(out, "phases: {}", report.phases)?;
    if let Some(guide) = report.guide {
        writeln!(out, "{guide}")?;
    }
    for warning in &report.warnings {
        writeln!(out, "! {warning}")?;
    }
    Ok(())
}
