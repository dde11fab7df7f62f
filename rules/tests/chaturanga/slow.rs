//! The moves of all three rule sets on a board of letters: everything is tried, and undone by
//! forgetting the copy. Written from the rules alone and sharing nothing with the crate.

use std::collections::BTreeMap;

use arrayvec::ArrayVec;

#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Rules {
    Makruk,
    Sittuyin,
    Booklet,
}

/// A file and a rank, both from 0.
type At = (i32, i32);

/// Squares that one piece can reach.
type Reached = ArrayVec<At, 16>;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Slow {
    rules: Rules,
    /// By rank and file; `.` where there is nobody.
    board: [[char; 8]; 8],
    hand: String,
    white: bool,
}

const DIAGONAL: [At; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const STRAIGHT: [At; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const KNIGHT: [At; 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

fn name((file, rank): At) -> String {
    let file = (b'a' + file as u8) as char;
    format!("{file}{}", rank + 1)
}

fn on_board((file, rank): At) -> bool {
    (0..8).contains(&file) && (0..8).contains(&rank)
}

fn all_squares() -> impl Iterator<Item = At> {
    (0..8).flat_map(|rank| (0..8).map(move |file| (file, rank)))
}

fn is_white(piece: char) -> bool {
    piece.is_ascii_uppercase()
}

impl Slow {
    pub(crate) fn new(rules: Rules, text: &str) -> Slow {
        let mut fields = text.split(' ');
        let board = fields.next().expect("a board");
        let white = fields.next() == Some("w");
        let (board, hand) = board.split_once('[').unwrap_or((board, ""));
        let mut slow = Slow {
            rules,
            board: [['.'; 8]; 8],
            hand: hand.trim_end_matches(']').to_owned(),
            white,
        };
        for (row, line) in board.split('/').enumerate() {
            let mut file = 0;
            for c in line.chars() {
                match c.to_digit(10) {
                    Some(empty) => file += empty as usize,
                    None => {
                        slow.board[7 - row][file] = c;
                        file += 1;
                    }
                }
            }
        }
        slow
    }

    fn at(&self, (file, rank): At) -> char {
        self.board[rank as usize][file as usize]
    }

    fn set(&mut self, (file, rank): At, piece: char) {
        self.board[rank as usize][file as usize] = piece;
    }

    fn is_empty(&self, at: At) -> bool {
        self.at(at) == '.'
    }

    /// The pieces of a side: where they stand and what they are, in upper case.
    fn pieces(&self, white: bool) -> impl Iterator<Item = (At, char)> {
        all_squares()
            .map(|at| (at, self.at(at)))
            .filter(move |&(_, piece)| piece != '.' && is_white(piece) == white)
            .map(|(at, piece)| (at, piece.to_ascii_uppercase()))
    }

    fn is_mans(&self, at: At, white: bool) -> bool {
        !self.is_empty(at) && is_white(self.at(at)) == white
    }

    /// The squares that the piece on `from` attacks.
    fn attacks(&self, from: At) -> Reached {
        let piece = self.at(from);
        let forward = if is_white(piece) { 1 } else { -1 };
        let step = |steps: &[At]| -> Reached {
            steps
                .iter()
                .map(|(df, dr)| (from.0 + df, from.1 + dr))
                .filter(|&at| on_board(at))
                .collect()
        };
        match piece.to_ascii_uppercase() {
            'K' => step(&[DIAGONAL, STRAIGHT].concat()),
            'M' | 'F' => step(&DIAGONAL),
            'S' => step(&[&DIAGONAL[..], &[(0, forward)]].concat()),
            'N' => step(&KNIGHT),
            'P' => step(&[(-1, forward), (1, forward)]),
            'R' => self.slides(from),
            other => panic!("no piece {other}"),
        }
    }

    fn slides(&self, from: At) -> Reached {
        let mut reached = Reached::new();
        for (df, dr) in STRAIGHT {
            let mut at = (from.0 + df, from.1 + dr);
            while on_board(at) {
                reached.push(at);
                if !self.is_empty(at) {
                    break;
                }
                at = (at.0 + df, at.1 + dr);
            }
        }
        reached
    }

    /// Whether a side's king is attacked; false while it is not on the board.
    fn in_check(&self, white: bool) -> bool {
        let Some((king, _)) = self.pieces(white).find(|&(_, piece)| piece == 'K') else {
            return false;
        };
        self.pieces(!white)
            .any(|(from, _)| self.attacks(from).contains(&king))
    }

    /// Whether the side to move is in check.
    pub(crate) fn is_check(&self) -> bool {
        self.in_check(self.white)
    }

    fn own_letter(&self, piece: char) -> char {
        if self.white {
            piece.to_ascii_uppercase()
        } else {
            piece.to_ascii_lowercase()
        }
    }

    /// The position after the piece on `from` went to `to` and became `piece`.
    fn moved(&self, from: At, to: At, piece: char) -> Slow {
        let mut next = self.clone();
        next.set(from, '.');
        next.set(to, self.own_letter(piece));
        next.white = !self.white;
        next
    }

    /// All legal moves with what comes of them.
    pub(crate) fn moves(&self) -> BTreeMap<String, Slow> {
        let mut moves = self.ordinary_moves();
        if self.rules == Rules::Booklet {
            moves.retain(|_, next| next.is_check() || next.has_ordinary_move());
        }
        moves
    }

    /// All moves but for the booklet's ban on giving stalemate.
    fn ordinary_moves(&self) -> BTreeMap<String, Slow> {
        if self.is_placing() {
            return self.placings();
        }
        let mut moves = BTreeMap::new();
        for (from, piece) in self.pieces(self.white) {
            for to in self.targets(from) {
                let promoted = self.rules == Rules::Makruk
                    && piece == 'P'
                    && to.1 == if self.white { 5 } else { 2 };
                let (becomes, suffix) = if promoted { ('M', "m") } else { (piece, "") };
                let text = format!("{}{}{suffix}", name(from), name(to));
                moves.insert(text, self.moved(from, to, becomes));
            }
        }
        moves.extend(self.promotions());
        moves.retain(|_, next| !next.in_check(self.white));
        moves
    }

    pub(crate) fn has_ordinary_move(&self) -> bool {
        let quick = self.pieces(self.white).any(|(from, piece)| {
            self.targets(from)
                .into_iter()
                .any(|to| !self.moved(from, to, piece).in_check(self.white))
        });
        quick || !self.ordinary_moves().is_empty()
    }

    fn is_placing(&self) -> bool {
        self.hand.chars().any(|piece| is_white(piece) == self.white)
    }

    /// Where the piece on `from` can go, its king's safety aside.
    fn targets(&self, from: At) -> Reached {
        let mut targets = self.attacks(from);
        if self.at(from).eq_ignore_ascii_case(&'p') {
            targets.retain(|to| !self.is_empty(*to));
            let ahead = (from.0, from.1 + if self.white { 1 } else { -1 });
            if on_board(ahead) && self.is_empty(ahead) {
                targets.push(ahead);
            }
        }
        targets.retain(|to| !self.is_mans(*to, self.white));
        targets
    }

    fn promotions(&self) -> BTreeMap<String, Slow> {
        let mut moves = BTreeMap::new();
        let general = self.pieces(self.white).any(|(_, piece)| piece == 'F');
        if self.rules == Rules::Makruk || general {
            return moves;
        }
        let modern = self.rules == Rules::Sittuyin;
        let squares = if self.white {
            ["a8", "b7", "c6", "d5", "e5", "f6", "g7", "h8"]
        } else {
            ["a1", "b2", "c3", "d4", "e4", "f3", "g2", "h1"]
        };
        let pawns: Vec<At> = self
            .pieces(self.white)
            .filter(|&(_, piece)| piece == 'P')
            .map(|(at, _)| at)
            .collect();
        for &from in &pawns {
            let last = modern && pawns.len() == 1;
            if !last && !squares.contains(&name(from).as_str()) {
                continue;
            }
            let mut targets = vec![from];
            if modern {
                let aside = DIAGONAL.map(|(df, dr)| (from.0 + df, from.1 + dr));
                targets.extend(
                    aside
                        .iter()
                        .filter(|&&to| on_board(to) && self.is_empty(to)),
                );
            }
            for to in targets {
                let next = self.moved(from, to, 'F');
                let mut attacked = next.attacks(to).into_iter();
                let attacks_enemy = attacked.any(|at| next.is_mans(at, !self.white));
                if !(modern && (attacks_enemy || next.is_check())) {
                    moves.insert(format!("{}{}f", name(from), name(to)), next);
                }
            }
        }
        moves
    }

    fn placings(&self) -> BTreeMap<String, Slow> {
        let mut moves = BTreeMap::new();
        for (i, piece) in self.hand.char_indices() {
            if is_white(piece) != self.white {
                continue;
            }
            for to in all_squares().filter(|&to| self.may_place(piece, to)) {
                let mut next = self.clone();
                next.hand.remove(i);
                next.set(to, piece);
                if !(self.rules == Rules::Booklet && next.is_placing()) {
                    next.white = !self.white;
                }
                moves.insert(format!("{}@{}", piece.to_ascii_uppercase(), name(to)), next);
            }
        }
        moves
    }

    fn may_place(&self, piece: char, to: At) -> bool {
        let rook = piece.eq_ignore_ascii_case(&'r');
        let (file, rank) = to;
        let own_rank = if self.white { rank + 1 } else { 8 - rank };
        let in_zone = match (self.rules, rook) {
            (Rules::Makruk, _) => false,
            (Rules::Sittuyin, true) => own_rank == 1,
            (Rules::Sittuyin, false) => own_rank <= 3,
            (Rules::Booklet, true) => own_rank == 1 && !self.faces_king(to),
            (Rules::Booklet, false) => {
                let own_file = if self.white { file } else { 7 - file };
                own_rank == 2 || own_rank == 3 && own_file >= 4
            }
        };
        in_zone && self.is_empty(to)
    }

    /// Whether a rook on `to` would have the enemy's king on its file and only pawns between.
    fn faces_king(&self, to: At) -> bool {
        let king = self.pieces(!self.white).find(|&(_, piece)| piece == 'K');
        let Some(((file, rank), _)) = king else {
            return false;
        };
        let (low, high) = (rank.min(to.1), rank.max(to.1));
        file == to.0
            && (low + 1..high)
                .map(|between| self.at((file, between)))
                .all(|piece| piece == '.' || piece.eq_ignore_ascii_case(&'p'))
    }
}
