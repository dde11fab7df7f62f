use garuda_mcts::{Gumbel, GumbelSettings, Wdl, sample};
use garuda_rules::{Color, Game, GameState, Position};
use garuda_run::records::{Decision, DecisionKind, GameHead, GameRecord};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::plan::{Beginning, Plan};

/// A game in the making.
#[derive(Debug)]
pub(super) struct GameInProgress<P> {
    head: GameHead,
    game: GameState<P>,
    decisions: Vec<Decision>,
    rng: ChaCha8Rng,
    policy_init_max_plies: u32,
    older_side: Option<Color>,
    /// For how many decisions running White, or Black if negative, has been as good as winning.
    agreed: i32,
}

/// Nothing is known.
const UNKNOWN: Wdl = Wdl {
    win: 0.0,
    draw: 1.0,
    loss: 0.0,
};

impl<P: Position> GameInProgress<P> {
    pub(super) fn begin(plan: &Plan<P>, number: u64) -> GameInProgress<P> {
        let (beginning, rng) = plan.begin(number);
        let Beginning {
            head,
            game,
            policy_init_max_plies,
            older_side,
        } = beginning;
        GameInProgress {
            head,
            game,
            decisions: Vec::new(),
            rng,
            policy_init_max_plies,
            older_side,
            agreed: 0,
        }
    }

    pub(super) fn number(&self) -> u64 {
        self.head.number
    }

    pub(super) fn game(&self) -> &GameState<P> {
        &self.game
    }

    /// The text of the start and of the moves so far, for messages.
    pub(super) fn move_list_text(&self) -> String {
        let mut out = self.head.start.clone();
        if let Ok(mut position) = self.head.start.parse::<P>() {
            for decision in &self.decisions {
                out.push(' ');
                out.push_str(&position.uci(decision.mv));
                position.play(decision.mv);
            }
        }
        out
    }

    /// Whether the side to move is an older checkpoint.
    pub(super) fn is_older_to_move(&self) -> bool {
        self.older_side == Some(self.game.turn())
    }

    fn is_raw(&self) -> bool {
        self.game.plies() < self.policy_init_max_plies
    }

    fn is_decided(&self, plan: &Plan<P>) -> bool {
        self.agreed.unsigned_abs() >= plan.settings.reduce_visits_plies
    }

    /// Starts the search for the next move.
    pub(super) fn begin_search(&mut self, plan: &Plan<P>, search: &mut Gumbel<GameState<P>>) {
        let simulations = if self.is_raw() {
            0
        } else if self.is_decided(plan) {
            plan.settings
                .reduce_visits_simulations
                .min(plan.search.simulations)
        } else {
            plan.search.simulations
        };
        let settings = GumbelSettings {
            simulations,
            ..plan.search
        };
        search.begin(settings, &mut self.rng);
    }

    /// Takes the move a finished search found and plays it. Returns the record once the game is
    /// over.
    pub(super) fn decide(
        &mut self,
        plan: &Plan<P>,
        search: &Gumbel<GameState<P>>,
    ) -> Option<GameRecord> {
        let moves = search.moves();
        let mut policy = Vec::new();
        search.policy(&mut policy);
        let settings = &plan.settings;
        let chosen = if !self.is_raw()
            && self.game.plies() < settings.temperature_plies
            && settings.temperature > 0.0
            && moves.len() > 1
        {
            sample(&policy, settings.temperature as f32, &mut self.rng)
        } else {
            search.best()
        };
        let mv = moves[chosen];
        let searched = !self.is_raw()
            && !self.is_older_to_move()
            && moves.len() > 1
            && (plan.position_sample_rate >= 1.0
                || self.rng.random_bool(plan.position_sample_rate));
        let wdl = search.value();
        let kind = match wdl {
            Some(_) if searched && self.is_decided(plan) => DecisionKind::Decided,
            Some(_) if searched => DecisionKind::Searched,
            _ => DecisionKind::Unsearched,
        };
        let policy = match kind {
            DecisionKind::Unsearched => Vec::new(),
            _ => moves.iter().copied().zip(policy).collect(),
        };
        if let Some(wdl) = wdl.filter(|_| !self.is_raw()) {
            self.agree(wdl, settings.reduce_visits_value as f32);
        }
        self.decisions.push(Decision {
            mv,
            kind,
            wdl: wdl.unwrap_or(UNKNOWN),
            policy,
        });
        self.game.play(mv);
        let outcome = self.game.outcome()?;
        let record = GameRecord::new(self.head.clone(), &self.decisions, outcome)
            .expect("a search's policy is made of chances");
        Some(record)
    }

    fn agree(&mut self, wdl: Wdl, bound: f32) {
        let white = match self.game.turn() {
            Color::White => wdl.value(),
            Color::Black => -wdl.value(),
        };
        self.agreed = if white > bound {
            self.agreed.max(0) + 1
        } else if white < -bound {
            self.agreed.min(0) - 1
        } else {
            0
        };
    }
}
