use anyhow::{Context, bail};
use garuda_rules::{Color, Game, MoveList, Outcome, Position};

use crate::players::{Forfeit, Line, NoMove, Player};

/// A finished game of a match.
#[derive(Clone, Debug)]
pub struct MatchGame<P: Copy> {
    /// Counted from 1.
    pub number: usize,
    /// Which player had White: 0 for the first, 1 for the second.
    pub white: usize,
    /// Random plies that the players did not choose.
    pub opening_plies: usize,
    pub line: Line<P>,
    pub end: End,
}

/// How a game of a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// By the rules.
    Rules(Outcome),
    /// By a fault of the side that was to move.
    Forfeit(Forfeit),
}

impl End {
    pub fn termination(&self) -> &'static str {
        match self {
            End::Rules(outcome) => outcome.termination.name(),
            End::Forfeit(forfeit) => forfeit.fault.name(),
        }
    }
}

impl<P: Position> MatchGame<P> {
    pub fn winner(&self) -> Option<Color> {
        match &self.end {
            End::Rules(outcome) => outcome.winner,
            End::Forfeit(_) => Some(!self.line.game().turn()),
        }
    }

    /// 1, 0 or −1 for the first player.
    pub fn result(&self) -> i8 {
        let first = if self.white == 0 {
            Color::White
        } else {
            Color::Black
        };
        match self.winner() {
            None => 0,
            Some(winner) if winner == first => 1,
            Some(_) => -1,
        }
    }

    /// The player (0 or 1) who gave the game away, and how.
    pub fn forfeit(&self) -> Option<(usize, &Forfeit)> {
        match &self.end {
            End::Rules(_) => None,
            End::Forfeit(forfeit) => {
                Some((player_of(self.line.game().turn(), self.white), forfeit))
            }
        }
    }
}

/// Which of the players has a colour.
fn player_of(color: Color, white: usize) -> usize {
    match color {
        Color::White => white,
        Color::Black => 1 - white,
    }
}

/// Plays a game to its end from an opening. Our rules are the referee.
pub(super) fn play_game<P: Position>(
    players: &mut [Box<dyn Player<P>>; 2],
    white: usize,
    opening: &Line<P>,
    number: usize,
) -> anyhow::Result<MatchGame<P>> {
    let mut line = opening.clone();
    let mut legal = MoveList::new();
    let end = loop {
        line.game().legal_moves(&mut legal);
        if let Some(outcome) = line.game().outcome_given(&legal) {
            break End::Rules(outcome);
        }
        let player = player_of(line.game().turn(), white);
        let opponent = players[1 - player].clock();
        match players[player].choose(&line, opponent) {
            Ok(mv) if legal.contains(&mv) => line.play(mv),
            Ok(mv) => bail!(
                "game {number}: a player chose {mv:?}, which is not legal in {}",
                line.position()
            ),
            Err(NoMove::Forfeit(forfeit)) => break End::Forfeit(forfeit),
            Err(NoMove::Failed(error)) => {
                return Err(error).with_context(|| format!("game {number} of the match"));
            }
        }
    };
    Ok(MatchGame {
        number,
        white,
        opening_plies: opening.moves().len(),
        line,
        end,
    })
}
