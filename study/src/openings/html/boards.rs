use garuda_rules::{Board, Color, Move, Position, RuleSet, SvgOptions, svg, with_rule_set};
use maud::{Markup, PreEscaped};

/// A move that is highlighted on the board after it: the FEN before it, and the move in UCI
/// notation.
#[derive(Copy, Clone)]
pub(super) struct LastMove<'a> {
    pub(super) before: &'a str,
    pub(super) mv: &'a str,
}

/// Draws the boards of a game.
#[derive(Copy, Clone)]
pub(super) struct Boards {
    pub(super) board: Board,
    draw: fn(&str, Color, Option<LastMove<'_>>) -> Option<String>,
}

impl Boards {
    pub(super) fn of<P: Position>() -> Boards {
        Boards {
            board: P::BOARD,
            draw: draw::<P>,
        }
    }

    /// The boards of the game with this name; `None` if it is not in the table of rule sets.
    pub(super) fn of_game(name: &str) -> Option<Boards> {
        let rules: RuleSet = name.parse().ok()?;
        Some(with_rule_set!(rules, P => Boards::of::<P>()))
    }

    /// A position as SVG for use inside HTML; `None` if the FEN is not valid.
    pub(super) fn draw(
        self,
        fen: &str,
        bottom: Color,
        last_move: Option<LastMove<'_>>,
    ) -> Option<Markup> {
        let drawing = (self.draw)(fen, bottom, last_move)?;
        // Inside HTML the drawing needs no namespace, and without it no address is on the page.
        let drawing = drawing.replace(r#" xmlns="http://www.w3.org/2000/svg""#, "");
        let drawing = drawing.replacen("<svg ", r#"<svg role="img" "#, 1);
        Some(PreEscaped(drawing))
    }
}

fn draw<P: Position>(fen: &str, bottom: Color, last_move: Option<LastMove<'_>>) -> Option<String> {
    let position: P = fen.parse().ok()?;
    let options = SvgOptions {
        bottom,
        last_move: last_move.and_then(last_decision::<P>),
        ..SvgOptions::default()
    };
    Some(svg(&position, &options))
}

fn last_decision<P: Position>(last: LastMove<'_>) -> Option<Move> {
    let mut position: P = last.before.parse().ok()?;
    let mut decision = None;
    for uci in last.mv.split(' ') {
        let mv = position.parse_uci(uci).ok()?;
        position.play(mv);
        decision = Some(mv);
    }
    decision
}
