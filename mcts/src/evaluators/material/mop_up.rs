use garuda_rules::{Board, Piece, Position, Square};

/// Drives a lone king to where it can be mated.
#[derive(Default)]
pub(super) struct MopUp {
    kings: [Option<Square>; 2],
    /// Pieces besides the king.
    others: [u32; 2],
}

impl MopUp {
    pub(super) fn add<P: Position>(&mut self, piece: Piece, square: Square) {
        if P::PIECE_TYPES[usize::from(piece.piece_type)].royal {
            self.kings[piece.color as usize] = Some(square);
        } else {
            self.others[piece.color as usize] += 1;
        }
    }

    /// What White gains by driving a bare enemy king, less what Black gains.
    pub(super) fn lead<P: Position>(&self) -> f32 {
        let [Some(white), Some(black)] = self.kings else {
            return 0.0;
        };
        match self.others {
            [(1..), 0] => P::BARE_KING_BONUS + progress(P::BOARD, white, black),
            [0, (1..)] => -P::BARE_KING_BONUS - progress(P::BOARD, black, white),
            _ => 0.0,
        }
    }
}

/// The hunted king far from the centre, the hunter close to it.
fn progress(board: Board, hunter: Square, hunted: Square) -> f32 {
    let place = |square| (f32::from(board.file(square)), f32::from(board.rank(square)));
    let (file, rank) = place(hunted);
    let off_centre = |at: f32, size: u8| (at - f32::from(size - 1) / 2.0).abs();
    let exile = off_centre(file, board.files) + off_centre(rank, board.ranks);
    let (hunter_file, hunter_rank) = place(hunter);
    let apart = (hunter_file - file).abs().max((hunter_rank - rank).abs());
    0.4 * exile - 0.3 * apart
}
