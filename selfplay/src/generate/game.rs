use garuda_mcts::{Gumbel, GumbelSettings, Wdl, sample};
use garuda_rules::{Color, Game, GameState, Move, MoveList, Position};
use garuda_run::LiveGame;
use garuda_run::records::{Decision, DecisionKind, GameHead, GameRecord};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::plan::{GameStart, Plan};

/// A game that is being played.
#[derive(Debug)]
pub(super) struct GameInProgress<P> {
    head: GameHead,
    game: GameState<P>,
    decisions: Vec<Decision>,
    rng: ChaCha8Rng,
    policy_init_plies: u32,
    past_opponent_side: Option<Color>,
    /// Number of moves that the game was started with.
    line_plies: u32,
    /// Moves that one side makes as soon as they are legal.
    set_up: Option<(Color, Vec<Move>)>,
    /// Number of consecutive decisions with a value that White wins, negative for Black.
    agreed: i32,
    /// What the search of the next move is for.
    purpose: SearchPurpose,
}

/// What a search is for, which decides how much it costs and whether it is recorded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum SearchPurpose {
    /// A move drawn from the raw policy.
    PolicyInit,
    /// A target to train on.
    Full,
    /// The same in a decided game.
    ReducedVisits,
    /// A move to play.
    Cheap,
}

/// The value of a move that was not searched.
const UNKNOWN: Wdl = Wdl {
    win: 0.0,
    draw: 1.0,
    loss: 0.0,
};

impl<P: Position> GameInProgress<P> {
    pub(super) fn start(plan: &Plan<P>, number: u64) -> GameInProgress<P> {
        let GameStart {
            head,
            game,
            policy_init_plies,
            past_opponent_side,
            line,
            set_up,
            rng,
        } = plan.start_game(number);
        let mut started = GameInProgress {
            head,
            game,
            decisions: Vec::new(),
            rng,
            policy_init_plies,
            past_opponent_side,
            line_plies: line.len() as u32,
            set_up,
            agreed: 0,
            purpose: SearchPurpose::Full,
        };
        for mv in line {
            started.play_unsearched(mv);
        }
        started.play_set_up();
        started
    }

    /// Plays a move that is given.
    fn play_unsearched(&mut self, mv: Move) {
        self.decisions.push(Decision {
            mv,
            kind: DecisionKind::Unsearched,
            wdl: UNKNOWN,
            policy: Vec::new(),
        });
        self.game.play(mv);
    }

    /// Places the pieces whose squares are given, while their side is to move.
    fn play_set_up(&mut self) {
        let mut legal = MoveList::new();
        while let Some((color, moves)) = &mut self.set_up
            && *color == self.game.turn()
        {
            self.game.legal_moves(&mut legal);
            let Some(next) = moves.iter().position(|mv| legal.contains(mv)) else {
                return;
            };
            let mv = moves.remove(next);
            self.play_unsearched(mv);
        }
    }

    pub(super) fn number(&self) -> u64 {
        self.head.number
    }

    pub(super) fn game(&self) -> &GameState<P> {
        &self.game
    }

    /// The start position and the moves so far, for messages.
    pub(super) fn move_list_text(&self) -> String {
        format!("{} {}", self.head.start, self.uci_moves())
    }

    /// The game so far, for people who watch.
    pub(super) fn live(&self) -> LiveGame {
        LiveGame {
            number: self.head.number,
            start: self.head.start.clone(),
            moves: self.uci_moves(),
        }
    }

    fn uci_moves(&self) -> String {
        let mut moves = Vec::with_capacity(self.decisions.len());
        if let Ok(mut position) = self.head.start.parse::<P>() {
            for decision in &self.decisions {
                moves.push(position.uci(decision.mv));
                position.play(decision.mv);
            }
        }
        moves.join(" ")
    }

    /// Whether the side to move is played by the past opponent.
    pub(super) fn is_past_opponent_to_move(&self) -> bool {
        self.past_opponent_side == Some(self.game.turn())
    }

    fn next_purpose(&mut self, plan: &Plan<P>) -> SearchPurpose {
        if self.game.plies() < self.policy_init_plies {
            return SearchPurpose::PolicyInit;
        }
        let is_cheap = plan.full_search_prob < 1.0 && !self.rng.random_bool(plan.full_search_prob);
        if is_cheap {
            SearchPurpose::Cheap
        } else if self.agreed.unsigned_abs() >= plan.settings().reduce_visits_plies {
            SearchPurpose::ReducedVisits
        } else {
            SearchPurpose::Full
        }
    }

    /// Starts the search for the next move.
    pub(super) fn start_search(&mut self, plan: &Plan<P>, search: &mut Gumbel<GameState<P>>) {
        self.purpose = self.next_purpose(plan);
        let full = plan.search;
        let settings = match self.purpose {
            SearchPurpose::PolicyInit => GumbelSettings {
                simulations: 0,
                ..full
            },
            SearchPurpose::Full => full,
            SearchPurpose::ReducedVisits => GumbelSettings {
                simulations: (plan.settings().reduce_visits_simulations).min(full.simulations),
                ..full
            },
            SearchPurpose::Cheap => GumbelSettings {
                simulations: plan.cheap_simulations.min(full.simulations),
                gumbel_scale: 0.0,
                ..full
            },
        };
        search.begin(settings, &mut self.rng);
    }

    /// Plays the move that a finished search found. Returns the record when the game is over.
    pub(super) fn decide(
        &mut self,
        plan: &Plan<P>,
        search: &Gumbel<GameState<P>>,
    ) -> Option<GameRecord> {
        let moves = search.moves();
        let mut policy = Vec::new();
        search.policy(&mut policy);
        let settings = plan.settings();
        let is_policy_init = self.purpose == SearchPurpose::PolicyInit;
        let chosen = if !is_policy_init
            && self.game.plies() < self.line_plies + settings.temperature_plies
            && settings.temperature > 0.0
            && moves.len() > 1
        {
            sample(&policy, settings.temperature as f32, &mut self.rng)
        } else {
            search.best()
        };
        let mv = moves[chosen];
        let is_target = matches!(
            self.purpose,
            SearchPurpose::Full | SearchPurpose::ReducedVisits
        );
        let recorded = is_target
            && !self.is_past_opponent_to_move()
            && moves.len() > 1
            && (plan.position_sample_rate >= 1.0
                || self.rng.random_bool(plan.position_sample_rate));
        let wdl = search.value();
        let kind = match wdl {
            Some(_) if recorded && self.purpose == SearchPurpose::ReducedVisits => {
                DecisionKind::ReducedVisits
            }
            Some(_) if recorded => DecisionKind::Searched,
            _ => DecisionKind::Unsearched,
        };
        let policy = match kind {
            DecisionKind::Unsearched => Vec::new(),
            _ => moves.iter().copied().zip(policy).collect(),
        };
        if let Some(wdl) = wdl.filter(|_| !is_policy_init) {
            self.count_agreement(wdl, settings.reduce_visits_value as f32);
        }
        self.decisions.push(Decision {
            mv,
            kind,
            wdl: wdl.unwrap_or(UNKNOWN),
            policy,
        });
        self.game.play(mv);
        self.play_set_up();
        let outcome = self.game.outcome()?;
        let record = GameRecord::new(self.head.clone(), &self.decisions, outcome)
            .expect("the policy of a search consists of probabilities");
        Some(record)
    }

    fn count_agreement(&mut self, wdl: Wdl, bound: f32) {
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
