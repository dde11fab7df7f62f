//! Signs that a run is going wrong, each with what it means and what to try.

use crate::config::AlarmSettings;
use crate::run::{SelfplayFigures, TrainingFigures};

pub(super) fn of_games(settings: &AlarmSettings, figures: &SelfplayFigures) -> Vec<String> {
    let mut alarms = Vec::new();
    let percent = |share: f64| (share * 100.0).round();
    if figures.draws > settings.draw_share {
        alarms.push(format!(
            "{} % of the games are drawn: nothing is learned about winning. Try a higher selfplay.varied_share and varied_positions, or more search.simulations",
            percent(figures.draws)
        ));
    }
    let capped = figures.ends.get("cap").copied().unwrap_or(0.0);
    if capped > settings.cap_share {
        alarms.push(format!(
            "{} % of the games end at the length cap: the net does not know how to finish. Try a higher selfplay.varied_share, whose smaller armies end sooner",
            percent(capped)
        ));
    }
    if figures.entropy < settings.entropy {
        alarms.push(format!(
            "the policy targets have an entropy of only {:.3}: the net has stopped to explore. Try a higher selfplay.temperature or raw_share, or a lower search.value_scale",
            figures.entropy
        ));
    }
    alarms
}

pub(super) fn of_training(settings: &AlarmSettings, figures: &TrainingFigures) -> Vec<String> {
    let mut alarms = Vec::new();
    if let Some(validation) = &figures.validation {
        let gap = validation.value - figures.losses.value;
        if gap > settings.value_gap {
            alarms.push(format!(
                "the value loss is {gap:.3} higher on games that were held out: the net learns games by heart. Try a lower replay.samples_per_position or a larger replay.window_first"
            ));
        }
    }
    if figures.skipped > 0 {
        alarms.push(format!(
            "{} training steps had no finite loss and were skipped. If that goes on, try a lower training.learning_rate",
            figures.skipped
        ));
    }
    alarms
}
