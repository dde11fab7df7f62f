//! What a position looks like to a network: planes `[channels, rank, file]`, seen from the
//! mover's side, that hold what the rules look at and nothing else.
//!
//! Left out on purpose are a game's length, as the cap is a last resort that the search itself
//! knows, and who gave check in a cycle: positions with equal
//! [`state_key`](garuda_rules::Game::state_key)s share an evaluation, so they must look equal.

mod plane_writer;

#[cfg(test)]
mod page;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use garuda_rules::{Board, GameState, Position};

use plane_writer::PlaneWriter;

use crate::View;

/// Writes the planes of a game's position, as `view` sees it, to `planes`: `[channels, rank,
/// file]`, as long as [`Encoding::input_len`] says. Allocates nothing.
pub fn encode<P: Position>(game: &GameState<P>, view: View, planes: &mut [f32]) {
    planes.fill(0.0);
    let mut writer = PlaneWriter::values(view, planes);
    writer.write(game);
    writer.finish();
}

/// The description of an encoding. It is stored with every network, and only equal descriptions
/// are the same encoding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// The game's name.
    pub rules: &'static str,
    pub board: Board,
    /// What each plane holds.
    pub planes: Vec<String>,
    /// The letters of the types of pieces that can be placed from off the board.
    pub placeable: Vec<&'static str>,
}

impl Encoding {
    /// Raised whenever the same description would mean something else.
    pub const VERSION: u32 = 1;

    pub fn of<P: Position>() -> Encoding {
        let mut planes = Vec::new();
        PlaneWriter::names(&mut planes).write(&GameState::<P>::start());
        Encoding {
            rules: P::NAME,
            board: P::BOARD,
            planes,
            placeable: P::PLACEABLE
                .iter()
                .map(|&piece_type| P::PIECE_TYPES[usize::from(piece_type)].letter)
                .collect(),
        }
    }

    pub fn squares(&self) -> usize {
        self.board.squares()
    }

    /// Numbers in one encoded position.
    pub fn input_len(&self) -> usize {
        self.planes.len() * self.squares()
    }

    /// Logits of one position's policy.
    pub fn actions(&self) -> usize {
        (self.squares() + self.placeable.len()) * self.squares()
    }

    /// The text that is stored with networks.
    pub fn describe(&self) -> String {
        let Board { files, ranks } = self.board;
        let mut text = format!(
            "encoding {} of {}\nboard {files} files {ranks} ranks, seen from the side to move\n",
            Self::VERSION,
            self.rules
        );
        for (i, name) in self.planes.iter().enumerate() {
            writeln!(text, "plane {i} {name}").expect("a string takes any text");
        }
        let squares = self.squares();
        writeln!(
            text,
            "action (from square, or {squares} + placed kind) * {squares} + to square; \
             placed kinds: {}",
            self.placeable.join(" ")
        )
        .expect("a string takes any text");
        text
    }

    /// In what another description differs from this one's, if it does.
    pub(crate) fn difference(&self, other: &str) -> Option<String> {
        let ours = self.describe();
        let (mut ours, mut theirs) = (ours.lines(), other.lines());
        loop {
            match (ours.next(), theirs.next()) {
                (None, None) => return None,
                (ours, theirs) if ours == theirs => {}
                (ours, theirs) => {
                    let [ours, theirs] = [ours, theirs].map(|line| line.unwrap_or("the end"));
                    return Some(format!("{theirs:?} instead of {ours:?}"));
                }
            }
        }
    }
}
