use garuda_rules::with_rule_set;

use super::problems::Problems;
use super::settings::Config;
use crate::PlayerSpec;

impl Config {
    /// Checks what the range of a single key cannot express.
    pub(super) fn check_sense(&self, problems: &mut Problems) {
        let start = &self.game.start;
        if !start.is_empty()
            && let Err(e) = with_rule_set!(self.game.rules, P => start.parse::<P>().map(drop))
        {
            problems.add(format!("game.start: {e}"));
        }
        let search = &self.search;
        if search.simulations.is_empty() {
            problems.add("search.simulations must have at least one entry");
        }
        if search.simulations.len() != search.simulations_from.len() {
            problems.add(format!(
                "search.simulations has {} entries and search.simulations_from {}: they must have the same number",
                search.simulations.len(),
                search.simulations_from.len()
            ));
        }
        if search.simulations_from.first().is_some_and(|&n| n != 0) {
            problems.add("search.simulations_from must start with 0");
        }
        if !search.simulations_from.is_sorted_by(|a, b| a < b) {
            problems.add("search.simulations_from must rise");
        }
        if !self.training.lr_drops.is_sorted_by(|a, b| a < b) {
            problems.add("training.lr_drops must rise");
        }
        if self.selfplay.varied_start_prob_end > self.selfplay.varied_start_prob {
            problems.add(format!(
                "selfplay.varied_start_prob_end ({}) must not exceed selfplay.varied_start_prob ({})",
                self.selfplay.varied_start_prob_end, self.selfplay.varied_start_prob
            ));
        }
        if !self.evaluation.games.is_multiple_of(2) {
            problems.add(format!(
                "evaluation.games must be even, since games are played in pairs, not {}",
                self.evaluation.games
            ));
        }
        if u64::from(self.training.batch_size) > self.replay.window_min {
            problems.add(format!(
                "training.batch_size ({}) must not exceed replay.window_min ({})",
                self.training.batch_size, self.replay.window_min
            ));
        }
        if self.evaluation.regression_elo > 0.0
            && self.checkpoint.keep_optimizer_states <= self.evaluation.every
        {
            problems.add(format!(
                "checkpoint.keep_optimizer_states ({}) must exceed evaluation.every ({}), or there is nothing to return to after a regression",
                self.checkpoint.keep_optimizer_states, self.evaluation.every
            ));
        }
        if let Err(e) = self.network.architecture() {
            problems.add(format!("network: {e}"));
        }
        for anchor in &self.evaluation.anchors {
            let name = anchor.to_string();
            match anchor {
                PlayerSpec::Random | PlayerSpec::AlphaBeta(_) => {}
                PlayerSpec::Uci(engine) if engine.limit.is_some() => {}
                PlayerSpec::Uci(_) => problems.add(format!(
                    "evaluation.anchors: {name:?} must say how long it may think, as in \"uci:<command>?nodes=1000\""
                )),
                PlayerSpec::Model(_) => problems.add(format!(
                    "evaluation.anchors: there is no player {name:?}; there are \"random\", \"alphabeta\", \"alphabeta:<nodes>\" and \"uci:<command>?nodes=<nodes>\""
                )),
            }
        }
    }
}
