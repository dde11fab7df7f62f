use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use garuda_arena::players::{GameLine, LoadedPlayer, SearchBudget};
use garuda_rules::{Color, Game, MoveList, Position, RuleSet, with_rule_set};
use garuda_run::{Limit, PlayerSpec};

/// Play against a network, or any other player, in the terminal.
///
/// Moves are typed in UCI notation (`moves` lists them); `undo` takes back your last move and
/// the answer, `quit` ends.
#[derive(Args, Debug)]
pub(crate) struct Play {
    /// A run, a checkpoint, a .onnx file, random, alphabeta, alphabeta:<nodes> or uci:<command>,
    /// which thinks for a second unless it says otherwise, as in uci:<command>?nodes=1000
    player: PlayerSpec,
    /// Simulations a move of a network
    #[arg(long, default_value_t = 400)]
    simulations: u32,
    /// Play the second side
    #[arg(long)]
    black: bool,
    /// The game, where the player does not tell
    #[arg(long)]
    game: Option<RuleSet>,
    /// Text form of the position to start from
    #[arg(long)]
    fen: Option<String>,
}

impl Play {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let loaded = LoadedPlayer::load(
            &self.player,
            &SearchBudget {
                limit: Some(Limit::MoveTime(Duration::from_secs(1))),
                ..SearchBudget::simulations(self.simulations)
            },
        )?;
        let Some(rule_set) = loaded.rule_set()?.or(self.game) else {
            bail!("--game must send what to play");
        };
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
                draw(&mut out, game.position())?;
                match outcome.winner {
                    Some(winner) => writeln!(out, "{winner} wins by {}", outcome.termination)?,
                    None => writeln!(out, "drawn by {}", outcome.termination)?,
                }
                return Ok(());
            }
            let mut next = line.clone();
            if game.turn() != human {
                let mv = player.choose(&line, None)?;
                writeln!(out, "{} plays {}", game.turn(), game.position().uci(mv))?;
                next.play(mv);
                past.push(next);
                continue;
            }
            draw(&mut out, game.position())?;
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
                        legal.iter().map(|&mv| game.position().uci(mv)).collect();
                    moves.sort();
                    writeln!(out, "{}", moves.join(" "))?;
                }
                "undo" => {
                    let earlier = past[..past.len() - 1]
                        .iter()
                        .rposition(|earlier| earlier.game().turn() == human);
                    match earlier {
                        Some(at) => past.truncate(at + 1),
                        None => writeln!(out, "there is nothing to take back")?,
                    }
                }
                text => match game.position().parse_uci(text) {
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

/// The board with its coordinates, from White's side, and the text form below.
fn draw<P: Position>(out: &mut impl Write, position: &P) -> anyhow::Result<()> {
    let text = position.to_string();
    let pieces = text.split([' ', '[']).next().unwrap_or_default();
    let mut rank = P::BOARD.ranks;
    for row in pieces.split('/') {
        write!(out, "{rank:>2} ")?;
        let mut promoted = false;
        for c in row.chars() {
            match c.to_digit(10) {
                Some(n) => write!(out, "{}", " .".repeat(n as usize).replace(" .", " . "))?,
                None if c == '+' => {
                    write!(out, "+")?;
                    promoted = true;
                }
                None => {
                    write!(out, "{}{c} ", if promoted { "" } else { " " })?;
                    promoted = false;
                }
            }
        }
        writeln!(out)?;
        rank -= 1;
    }
    write!(out, "   ")?;
    for file in 0..P::BOARD.files {
        write!(out, " {} ", char::from(b'a' + file))?;
    }
    writeln!(out, "\n{text}")?;
    Ok(())
}
