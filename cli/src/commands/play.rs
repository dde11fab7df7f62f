use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Duration;

use clap::Args;
use garuda_arena::players::{GameLine, LoadedPlayer, SearchBudget};
use garuda_rules::{
    Color, Game, Move, MoveError, MoveList, Position, RuleSet, diagram, with_rule_set,
};
use garuda_run::{Limit, PlayerSpec};

use super::player_args::{game_of, player};

const EXAMPLES: &str = "\
Examples:
  garuda play runs/tori                            the newest checkpoint of a run
  garuda play alphabeta:1000 --game makruk         alpha-beta search of 1,000 nodes per move
  garuda play random --game eternal --black
  garuda play 'uci:fairy-stockfish?nodes=1000' --game sittuyin";

/// Play against a network, or any other player, in the terminal.
///
/// Type moves in UCI notation, as in e4e5, or as players of the game write them, as in Sx33 in Tori
/// Shogi; `moves` lists the legal ones, `undo` takes back your last
/// move and the answer to it, `quit` ends.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct PlayArgs {
    /// A run (its newest checkpoint), a checkpoint, a network file, random, alphabeta (one ply),
    /// alphabeta:<nodes>, or uci:<command>, an engine that has one second per move unless a limit
    /// follows, as in uci:<command>?nodes=1000
    #[arg(value_parser = player())]
    player: PlayerSpec,
    /// Simulations per move of a network
    #[arg(long, default_value_t = 400, value_name = "N")]
    simulations: u32,
    /// Play Black, the side that moves second
    #[arg(long)]
    black: bool,
    /// makruk, sittuyin, sittuyin-booklet, torishogi or eternal; a network knows its game
    #[arg(long)]
    game: Option<RuleSet>,
    /// FEN of the position to start from
    #[arg(long)]
    fen: Option<String>,
}

impl PlayArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let loaded = LoadedPlayer::load(
            &self.player,
            &SearchBudget {
                limit: Some(Limit::MoveTime(Duration::from_secs(1))),
                ..SearchBudget::simulations(self.simulations)
            },
        )?;
        let rule_set = game_of(&[(&self.player, &loaded)], self.game)?;
        with_rule_set!(rule_set, P => self.play::<P>(&loaded))
    }

    fn play<P: Position>(&self, loaded: &LoadedPlayer) -> anyhow::Result<()> {
        let start = match &self.fen {
            Some(text) => GameLine::new(text.parse::<P>()?),
            None => GameLine::new(P::start()),
        };
        let human = if self.black {
            Color::Black
        } else {
            Color::White
        };
        let mut player = loaded.player::<P>()?;
        player.new_game(RandomState::new().hash_one(()));
        let mut past = vec![start];
        let mut input = stdin().lock();
        let mut out = stdout().lock();
        loop {
            let line = past.last().expect("the start is never taken back").clone();
            let game = line.game();
            let mut legal = MoveList::new();
            game.legal_moves(&mut legal);
            if let Some(outcome) = game.outcome_given(&legal) {
                writeln!(out, "{}{}", diagram(game.position()), game.position())?;
                match outcome.winner {
                    Some(winner) => writeln!(out, "{winner} wins by {}", outcome.termination)?,
                    None => writeln!(out, "draw by {}", outcome.termination)?,
                }
                return Ok(());
            }
            let mut next = line.clone();
            if game.turn() != human {
                let mv = player.choose(&line, None)?;
                writeln!(out, "{} plays {}", game.turn(), both(game.position(), mv))?;
                next.play(mv);
                past.push(next);
                continue;
            }
            writeln!(out, "{}{}", diagram(game.position()), game.position())?;
            write!(out, "{} to move: ", game.turn())?;
            out.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(());
            }
            match line.trim() {
                "quit" => return Ok(()),
                "moves" => {
                    let mut moves: Vec<_> =
                        legal.iter().map(|&mv| both(game.position(), mv)).collect();
                    moves.sort();
                    writeln!(out, "{}", moves.join(" "))?;
                }
                "undo" => {
                    let earlier = past[..past.len() - 1]
                        .iter()
                        .rposition(|earlier| earlier.game().turn() == human);
                    match earlier {
                        Some(at) => past.truncate(at + 1),
                        None => writeln!(out, "no move to take back")?,
                    }
                }
                text => match parse_move(game.position(), &legal, text) {
                    Ok(mv) => {
                        next.play(mv);
                        past.push(next);
                    }
                    Err(e) => writeln!(out, "{e}; `moves` lists the legal ones")?,
                },
            }
        }
    }
}

/// A move in UCI notation, and as people of the game write it where that differs.
fn both<P: Position>(position: &P, mv: Move) -> String {
    let (uci, notation) = (position.uci(mv), position.display_move(mv));
    match uci == notation {
        true => uci,
        false => format!("{uci} ({notation})"),
    }
}

/// Reads a move in either notation.
fn parse_move<P: Position>(position: &P, legal: &MoveList, text: &str) -> Result<Move, MoveError> {
    let shown = (legal.iter()).find(|&&mv| position.display_move(mv) == text);
    shown.map_or_else(|| position.parse_uci(text), |&mv| Ok(mv))
}
