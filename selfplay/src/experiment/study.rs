use garuda_arena::players::GameLine;
use garuda_mcts::Evaluator;
use garuda_rules::{Color, Game, GameState, Position};
use garuda_study::experiment::{
    ArmKind, ArmReport, EliminationSettings, ExperimentGames, ExperimentNode, ExperimentReport,
    NetworkStrength, Verdict, summary,
};
use garuda_study::openings::{OpeningNode, OpeningRoot};

use super::{Arm, ExperimentDir, PlayOptions, PlayedArms, arms, play_arms};

/// Formations whose neighbours are tried.
const BEST_SET_UPS: usize = 5;

/// What is played.
#[derive(Clone, PartialEq, Debug)]
pub struct ExperimentSettings {
    pub kind: ArmKind,
    pub elimination: EliminationSettings,
    /// Number of moves from the position that games are played from; good moves are followed.
    pub depth: u32,
    /// Largest number of good moves that are followed at each position.
    pub width: usize,
    /// Number of turns of a position, where turns have several decisions, and of formations.
    pub max_arms: usize,
}

/// Makes an evaluator for batches of a size.
type OpenEvaluator<'a, E> = &'a (dyn Fn(usize) -> anyhow::Result<E> + Sync);

/// Plays the arms at a position, and those after the good ones, and reports what the games show.
/// `searched` is the same position by search, as a second opinion.
pub fn run_experiment<P: Position, E: Evaluator<GameState<P>>>(
    root: &OpeningRoot<P>,
    searched: Option<&OpeningNode>,
    dir: &mut ExperimentDir<P>,
    settings: &ExperimentSettings,
    strength: Option<NetworkStrength>,
    open: OpenEvaluator<'_, E>,
    options: &PlayOptions<'_>,
) -> anyhow::Result<ExperimentReport> {
    let mut experiment = Experiment {
        settings,
        dir,
        open,
        options,
        complete: true,
    };
    let line = root.line();
    let nodes = match settings.kind {
        ArmKind::Moves => vec![experiment.follow_moves(line, "", searched, settings.depth)?],
        ArmKind::Handicaps => vec![experiment.all_equal(&arms::handicaps(), line)?],
        ArmKind::Start => vec![experiment.all_equal(&arms::start(line), line)?],
        ArmKind::SetUps => {
            let sides = Color::ALL.map(|side| experiment.set_ups(line, side));
            sides.into_iter().collect::<anyhow::Result<_>>()?
        }
    };
    let complete = experiment.complete;
    let terms = dir.terms();
    let mut report = ExperimentReport {
        kind: settings.kind,
        settings: settings.elimination,
        games_played: ExperimentGames {
            simulations: terms.simulations,
            temperature: terms.temperature,
            temperature_plies: terms.temperature_plies,
            seed: terms.seed,
            records: garuda_run::shown_path(dir.path()),
        },
        strength,
        complete,
        summary: Vec::new(),
        nodes,
    };
    report.summary = summary(P::TITLE, P::MOVE_WORDS, &report);
    Ok(report)
}

struct Experiment<'a, P, E> {
    settings: &'a ExperimentSettings,
    dir: &'a mut ExperimentDir<P>,
    open: OpenEvaluator<'a, E>,
    options: &'a PlayOptions<'a>,
    complete: bool,
}

impl<P: Position, E: Evaluator<GameState<P>>> Experiment<'_, P, E> {
    /// Plays arms with the settings of the experiment.
    fn play(&mut self, arms: &[Arm<P>]) -> anyhow::Result<PlayedArms> {
        self.play_with(arms, self.settings.elimination)
    }

    fn play_with(
        &mut self,
        arms: &[Arm<P>],
        settings: EliminationSettings,
    ) -> anyhow::Result<PlayedArms> {
        let played = play_arms(self.dir, arms, settings, self.open, self.options)?;
        self.complete &= played.complete;
        Ok(played)
    }

    /// The moves after a line, and after the good ones the replies.
    fn follow_moves(
        &mut self,
        line: &GameLine<P>,
        path: &str,
        searched: Option<&OpeningNode>,
        depth: u32,
    ) -> anyhow::Result<ExperimentNode> {
        let arms = arms::moves(line, self.settings.max_arms, &mut (self.open)(1)?)?;
        let played = self.play(&arms)?;
        let mut node = node(line, path, &arms, &played);
        let moves = searched.map_or(&[][..], |node| &node.moves);
        for arm in &mut node.arms {
            let found = moves.iter().find(|mv| mv.mv == arm.name);
            arm.value = found.and_then(|mv| mv.searched.value);
        }
        node.finish();
        if depth > 1 && played.complete {
            let good = (node.arms.iter_mut()).filter(|arm| arm.verdict == Verdict::Good);
            for report in good.take(self.settings.width) {
                let Some(arm) = arms.iter().find(|arm| arm.name == report.name) else {
                    continue;
                };
                let mut next = GameLine::new(arm.start.start);
                for &mv in &arm.start.line {
                    next.play(mv);
                }
                let path = format!("{path} {}", report.name);
                let found = moves.iter().find(|mv| mv.mv == report.name);
                let below = found.and_then(|mv| mv.next.as_ref());
                report.next =
                    Some(self.follow_moves(&next, path.trim_start(), below, depth - 1)?);
            }
        }
        Ok(node)
    }

    /// Arms that are not eliminated, as their scores themselves are asked for.
    fn all_equal(&mut self, arms: &[Arm<P>], line: &GameLine<P>) -> anyhow::Result<ExperimentNode> {
        let settings = EliminationSettings {
            equal_games: true,
            ..self.settings.elimination
        };
        let played = self.play_with(arms, settings)?;
        let mut node = node(line, "", arms, &played);
        node.finish();
        Ok(node)
    }

    /// Formations of a side: first those that the network's policy finds, then also the neighbours
    /// of the best of them.
    fn set_ups(&mut self, line: &GameLine<P>, side: Color) -> anyhow::Result<ExperimentNode> {
        let most = self.settings.max_arms;
        let seed = self.dir.terms().seed;
        let mut arms = arms::set_ups(line, side, most, seed, &mut (self.open)(1)?)?;
        let first = self.play(&arms)?;
        let mut order: Vec<_> = (0..arms.len()).collect();
        let score = |arm: &usize| first.elimination.interval(*arm).value;
        order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        let best: Vec<_> = (order.into_iter())
            .filter(|&arm| first.elimination.verdict(arm) != Verdict::Bad)
            .take(BEST_SET_UPS)
            .map(|arm| arms[arm].clone())
            .collect();
        let mut played = first;
        if played.complete {
            let each = most / BEST_SET_UPS;
            let similar = best
                .iter()
                .flat_map(|arm| arms::similar_set_ups(line, arm, each, seed));
            let mut second: Vec<Arm<P>> = best.clone();
            for arm in similar {
                if second.iter().all(|known| known.name != arm.name) {
                    second.push(arm);
                }
            }
            played = self.play(&second)?;
            arms = second;
        }
        let mut node = node(line, "", &arms, &played);
        node.side = side.letter();
        node.finish();
        Ok(node)
    }
}

/// What is known of arms from their games, in their order.
fn node<P: Position>(
    line: &GameLine<P>,
    path: &str,
    arms: &[Arm<P>],
    played: &PlayedArms,
) -> ExperimentNode {
    let reports = arms
        .iter()
        .zip(&played.distinct)
        .enumerate()
        .map(|(i, (arm, &distinct))| {
            let (name, notation) = (arm.name.clone(), arm.notation.clone());
            ArmReport {
                after: arm.after.to_string(),
                ..ArmReport::new(name, notation, &played.elimination, i, distinct)
            }
        });
    ExperimentNode {
        path: path.to_owned(),
        fen: line.position().to_string(),
        side: line.game().turn().letter(),
        games: 0,
        distinct_games: 0,
        arms: reports.collect(),
        calibration: None,
    }
}
