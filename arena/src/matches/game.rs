use anyhow::{Context, bail};
use garuda_rules::{Color, Game, MoveList, Outcome, Position};

use crate::players::{Forfeit, GameLine, NoMove, Player};

/// A finished game of a match.
#[derive(Clone, Debug)]
pub struct MatchGame<P: Copy> {
    /// Counted from 1.
    pub number: usize,
    /// Which player had White: 0 for the first, 1 for the second.
    pub white: usize,
    /// Random plies before the players take over.
    pub opening_plies: usize,
    pub line: GameLine<P>,
    pub end: GameEnd,
}

/// How a game of a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameEnd {
    /// By the rules.
    Rules(Outcome),
    /// By a fault of the side to move.
    Forfeit(Forfeit),
}

impl GameEnd {
    pub fn termination(&self) -> &'static str {
        match self {
            GameEnd::Rules(outcome) => outcome.termination.name(),
            GameEnd::Forfeit(forfeit) => forfeit.fault.name(),
        }
    }
}

impl<P: Position> MatchGame<P> {
    pub fn winner(&self) -> Option<Color> {
        match &self.end {
            GameEnd::Rules(outcome) => outcome.winner,
            GameEnd::Forfeit(_) => Some(!self.line.game().turn()),
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

    /// The player (0 or 1) who forfeited the game, and how.
    pub fn forfeit(&self) -> Option<(usize, &Forfeit)> {
        match &self.end {
            GameEnd::Rules(_) => None,
            GameEnd::Forfeit(forfeit) => {
                Some((player_of(self.line.game().turn(), self.white), forfeit))
            }
        }
    }
}

/// The player, 0 or 1, who has a colour.
fn player_of(color: Color, white: usize) -> usize {
    match color {
        Color::White => white,
        Color::Black => 1 - white,
    }
}

/// Plays a game to its end from an opening. Our rules decide which moves are legal and when it is
/// over.
pub(super) fn play_game<P: Position>(
    players: &mut [Box<dyn Player<P>>; 2],
    white: usize,
    opening: &GameLine<P>,
    number: usize,
) -> anyhow::Result<MatchGame<P>> {
    let mut line = opening.clone();
    let mut legal = MoveList::new();
    let end = loop {
        line.game().legal_moves(&mut legal);
        if let Some(outcome) = line.game().outcome_given(&legal) {
            break GameEnd::Rules(outcome);
        }
        let player = player_of(line.game().turn(), white);
        let opponent = players[1 - player].clock();
        match players[player].choose(&line, opponent) {
            Ok(mv) if legal.contains(&mv) => line.play(mv),
            Ok(mv) => bail!(
                "game {number}: a player chose {mv:?}, which is not legal in {}",
                line.position()
            ),
            Err(NoMove::Forfeit(forfeit)) => break GameEnd::Forfeit(forfeit),
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
