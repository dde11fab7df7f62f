use std::collections::{BTreeMap, HashSet};

use garuda_arena::players::GameLine;
use garuda_mcts::{EvalError, Evaluator, sample};
use garuda_rules::{Color, Game, GameState, Move, Origin, Position};
use garuda_run::seeds;
use garuda_study::openings::{MoveCandidate, candidates, priors};

use crate::generate::ArmStart;

/// Set-up phases that are drawn from the network's policy to find formations.
const DRAWN_SET_UPS: u64 = 400;

/// Something that games start with.
#[derive(Clone, PartialEq, Debug)]
pub struct Arm<P> {
    /// A move in UCI notation, or a name.
    pub name: String,
    /// The move as people of this game write it.
    pub notation: String,
    pub start: ArmStart<P>,
    /// The side whose score is counted.
    pub side: Color,
    /// The position after the arm's moves.
    pub after: P,
}

impl<P: Position> Arm<P> {
    fn new(name: &str, line: &GameLine<P>, moves: &[Move], side: Color) -> Arm<P> {
        let mut after = *line.position();
        for &mv in moves {
            after.play(mv);
        }
        Arm {
            name: name.to_owned(),
            notation: name.to_owned(),
            start: ArmStart {
                start: *line.start(),
                line: [line.moves(), moves].concat(),
                set_up: None,
            },
            side,
            after,
        }
    }
}

/// The moves after a line, without those that end the game at once.
pub(super) fn moves<P: Position, E: Evaluator<GameState<P>>>(
    line: &GameLine<P>,
    max_turns: usize,
    evaluator: &mut E,
) -> Result<Vec<Arm<P>>, EvalError> {
    let before = line.position();
    let arms = (candidates(line.game(), max_turns, evaluator)?.into_iter())
        .filter(|candidate| candidate.after.outcome().is_none())
        .map(|MoveCandidate { mv, .. }| {
            let decisions: Vec<_> = mv.decisions().collect();
            Arm {
                notation: mv.notation(before),
                ..Arm::new(&mv.uci(before), line, &decisions, before.turn())
            }
        });
    Ok(arms.collect())
}

/// The position itself.
pub(super) fn start<P: Position>(line: &GameLine<P>) -> Vec<Arm<P>> {
    vec![Arm::new("start", line, &[], line.position().turn())]
}

/// All named starts of the game. The side that gives a handicap moves first: scores are those of
/// the other one, also at the ordinary start.
pub(super) fn handicaps<P: Position>() -> Vec<Arm<P>> {
    let parsed = (P::STARTS.iter()).filter_map(|(name, fen)| Some((*name, fen.parse::<P>().ok()?)));
    parsed
        .map(|(name, start)| Arm::new(name, &GameLine::new(start), &[], !start.turn()))
        .collect()
}

/// The most frequent formations of a side in set-up phases that are drawn from the network's policy,
/// up to `most` of them, most frequent first.
pub(super) fn set_ups<P: Position, E: Evaluator<GameState<P>>>(
    line: &GameLine<P>,
    side: Color,
    most: usize,
    seed: u64,
    evaluator: &mut E,
) -> Result<Vec<Arm<P>>, EvalError> {
    let mut found: BTreeMap<Vec<Move>, u64> = BTreeMap::new();
    for number in 0..DRAWN_SET_UPS {
        let mut rng = seeds::rng(seeds::derive(seed, "set-up", &[number]));
        let mut game = line.game().clone();
        let mut placed = Vec::new();
        loop {
            let moves = priors(&game, evaluator)?;
            let is_placing = (moves.iter()).all(|(mv, _)| matches!(mv.origin(), Origin::Hand(_)));
            if !is_placing || moves.is_empty() {
                break;
            }
            let weights: Vec<_> = moves.iter().map(|&(_, prior)| prior as f32).collect();
            let (mv, _) = moves[sample(&weights, 1.0, &mut rng)];
            if game.turn() == side {
                placed.push(mv);
            }
            game.play(mv);
        }
        placed.sort_unstable();
        *found.entry(placed).or_default() += 1;
    }
    let mut ranked: Vec<_> = found.into_iter().collect();
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ranked.truncate(most);
    let arms = ranked
        .into_iter()
        .map(|(placed, _)| set_up(line, side, placed));
    Ok(arms.collect())
}

/// Formations that differ from an arm's by a piece on another square or by two pieces exchanged,
/// `most` of them at random.
pub(super) fn similar_set_ups<P: Position>(
    line: &GameLine<P>,
    arm: &Arm<P>,
    most: usize,
    seed: u64,
) -> Vec<Arm<P>> {
    let Some((side, placed)) = &arm.start.set_up else {
        return Vec::new();
    };
    let squares: HashSet<_> = placed.iter().map(|mv| mv.to()).collect();
    let mut found = Vec::new();
    for (i, mv) in placed.iter().enumerate() {
        let Origin::Hand(piece_type) = mv.origin() else {
            continue;
        };
        for to in P::BOARD.all().filter(|to| !squares.contains(to)) {
            let mut other = placed.clone();
            other[i] = Move::place(piece_type, to);
            found.push(other);
        }
        for (j, second) in placed.iter().enumerate().skip(i + 1) {
            let Origin::Hand(second_type) = second.origin() else {
                continue;
            };
            if second_type != piece_type {
                let mut other = placed.clone();
                other[i] = Move::place(piece_type, second.to());
                other[j] = Move::place(second_type, mv.to());
                found.push(other);
            }
        }
    }
    let mut legal: Vec<_> = (found.into_iter())
        .filter(|placed| can_be_placed(line, *side, placed))
        .map(|mut placed| {
            placed.sort_unstable();
            let codes: Vec<_> = placed.iter().map(|mv| u64::from(mv.code())).collect();
            (seeds::derive(seed, "similar", &codes), placed)
        })
        .collect();
    legal.sort();
    legal.dedup();
    legal.truncate(most);
    legal
        .into_iter()
        .map(|(_, placed)| set_up(line, *side, placed))
        .collect()
}

/// Whether a side can place pieces like this, as far as the other side's pieces allow it.
fn can_be_placed<P: Position>(line: &GameLine<P>, side: Color, placed: &[Move]) -> bool {
    let mut position = *line.position();
    let mut left = placed.to_vec();
    let mut legal = garuda_rules::MoveList::new();
    while !left.is_empty() {
        position.legal_moves(&mut legal);
        let next = match position.turn() == side {
            true => left
                .iter()
                .position(|mv| legal.contains(mv))
                .map(|next| left.remove(next)),
            false => legal.first().copied(),
        };
        let Some(mv) = next else {
            return false;
        };
        position.play(mv);
    }
    true
}

fn set_up<P: Position>(line: &GameLine<P>, side: Color, placed: Vec<Move>) -> Arm<P> {
    let name = describe::<P>(&placed);
    let mut arm = Arm::new(&name, line, &[], side);
    arm.start.set_up = Some((side, placed));
    arm
}

/// Letter and squares, as in `Kb2 Fc3 Sd2,e3`.
fn describe<P: Position>(placed: &[Move]) -> String {
    let mut squares: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for mv in placed {
        if let Origin::Hand(index) = mv.origin() {
            squares
                .entry(index)
                .or_default()
                .push(P::BOARD.name(mv.to()));
        }
    }
    let groups: Vec<_> = (squares.into_iter())
        .map(|(index, squares)| {
            let piece_type = P::PLACEABLE[usize::from(index)];
            let letter = P::PIECE_TYPES[usize::from(piece_type)].letter;
            format!("{letter}{}", squares.join(","))
        })
        .collect();
    groups.join(" ")
}
