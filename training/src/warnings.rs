//! Signs that a run is going wrong, each with what it means and what to try.

use garuda_run::config::WarningSettings;
use garuda_run::{SelfplayStats, TrainingStats};

pub(super) fn of_games(settings: &WarningSettings, stats: &SelfplayStats) -> Vec<String> {
    let mut warnings = Vec::new();
    let percent = |share: f64| (share * 100.0).round();
    if stats.draws > settings.draw_share {
        warnings.push(format!(
            "{} % of the games are drawn: nothing is learned about winning. Try a higher selfplay.varied_start_prob and varied_start_positions, or more search.simulations",
            percent(stats.draws)
        ));
    }
    let capped = stats.ends.get("length-limit").copied().unwrap_or(0.0);
    if capped > settings.length_limit_share {
        warnings.push(format!(
            "{} % of the games end at the length limit: the checkpoint does not know how to finish. Try a higher selfplay.varied_start_prob, whose smaller armies end sooner",
            percent(capped)
        ));
    }
    if stats.entropy < settings.entropy {
        warnings.push(format!(
            "the policy targets have an entropy of only {:.3}: the checkpoint has stopped exploring. Try a higher selfplay.temperature or policy_init_prob, or a lower search.value_scale",
            stats.entropy
        ));
    }
    warnings
}

pub(super) fn of_training(settings: &WarningSettings, stats: &TrainingStats) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(validation) = &stats.validation {
        let gap = validation.value - stats.losses.value;
        if gap > settings.value_gap {
            warnings.push(format!(
                "the value loss is {gap:.3} higher on validation games: the checkpoint overfits. Try a lower replay.samples_per_position or a larger replay.window_min"
            ));
        }
    }
    if stats.skipped > 0 {
        warnings.push(format!(
            "{} training steps had no finite loss and were skipped. If this continues, try a lower training.learning_rate",
            stats.skipped
        ));
    }
    warnings
}
