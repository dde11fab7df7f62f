//! Eternal chess once more, slow and obvious: a letter a square, moves as text, straight from the
//! sentences of the rules. It shares nothing with the crate.

use std::collections::{BTreeMap, BTreeSet};

/// File and row, both from 1.
type Place = (i32, i32);

const EIGHT: [Place; 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];

#[derive(Clone, Debug)]
pub(crate) struct Slow {
    /// Upper case red, lower case black, `o` a stone.
    pieces: BTreeMap<Place, char>,
    side: char,
    phase: String,
    red_points: u32,
    black_points: u32,
}

fn name((file, row): Place) -> String {
    format!("{}{row}", char::from(b'a' + file as u8 - 1))
}

fn place(name: &str) -> Place {
    let bytes = name.to_lowercase().into_bytes();
    (i32::from(bytes[0] - b'a') + 1, i32::from(bytes[1] - b'0'))
}

fn on_board((file, row): Place) -> bool {
    (1..=8).contains(&file) && (1..=9).contains(&row)
}

fn all_places() -> impl Iterator<Item = Place> {
    (1..=9).flat_map(|row| (1..=8).map(move |file| (file, row)))
}

/// `r` or `b`; a stone has no side.
fn side_of(piece: char) -> Option<char> {
    match piece {
        'o' => None,
        c if c.is_uppercase() => Some('r'),
        _ => Some('b'),
    }
}

fn other(side: char) -> char {
    if side == 'r' { 'b' } else { 'r' }
}

/// d1 e1 d2 e2, d8 e8 d9 e9.
fn zone(side: char) -> [Place; 4] {
    if side == 'r' {
        [(4, 1), (5, 1), (4, 2), (5, 2)]
    } else {
        [(4, 8), (5, 8), (4, 9), (5, 9)]
    }
}

fn in_zone(side: char, place: Place) -> bool {
    zone(side).contains(&place)
}

fn in_half(side: char, (_, row): Place) -> bool {
    if side == 'r' { row <= 4 } else { row >= 6 }
}

/// Whether advisors copy it and soldiers jump it.
fn is_model(piece: char) -> bool {
    "RNCB".contains(piece.to_ascii_uppercase()) && piece != 'o'
}

impl Slow {
    pub(crate) fn new(text: &str) -> Slow {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut pieces = BTreeMap::new();
        for (line, row) in fields[0].split('/').zip((1..=9).rev()) {
            let mut file = 1;
            for c in line.chars() {
                if let Some(empty) = c.to_digit(10) {
                    file += empty as i32;
                } else {
                    pieces.insert((file, row), c);
                    file += 1;
                }
            }
        }
        Slow {
            pieces,
            side: fields[1].chars().next().unwrap(),
            phase: fields[2].to_owned(),
            red_points: fields[3].parse().unwrap(),
            black_points: fields[4].parse().unwrap(),
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut rows = Vec::new();
        for row in (1..=9).rev() {
            let line: String = (1..=8)
                .map(|file| self.pieces.get(&(file, row)).copied().unwrap_or('1'))
                .collect();
            // Runs of empty squares, longest first.
            let line = (2..=8).rev().fold(line, |line, n: usize| {
                line.replace(&"1".repeat(n), &n.to_string())
            });
            rows.push(line);
        }
        let board = rows.join("/");
        let Slow {
            side,
            phase,
            red_points,
            black_points,
            ..
        } = self;
        format!("{board} {side} {phase} {red_points} {black_points}")
    }

    pub(crate) fn legal(&self) -> BTreeSet<String> {
        let mut legal = BTreeSet::new();
        if self.red_points == 4 || self.black_points == 4 {
            return legal;
        }
        if let Some(scorer) = self.phase.strip_prefix("D:") {
            for to in self.places_for(other(self.side)) {
                legal.insert(format!("{}@{}", scorer.to_lowercase(), name(to)));
            }
        } else if let Some(captured) = self.phase.strip_prefix("P:") {
            let owner = side_of(captured.chars().next().unwrap()).unwrap();
            for to in self.places_for(owner) {
                legal.insert(format!("{}@{}", captured.to_uppercase(), name(to)));
            }
        } else {
            for (&from, &piece) in &self.pieces {
                if side_of(piece) != Some(self.side) {
                    continue;
                }
                for to in self.reach(piece, from) {
                    if self.may_end(from, to) {
                        legal.insert(format!("{}{}", name(from), name(to)));
                    }
                }
            }
        }
        legal
    }

    pub(crate) fn play(&mut self, mv: &str) {
        if let Some((what, to)) = mv.split_once('@') {
            if self.phase.starts_with("D:") {
                let scorer = self.pieces.remove(&place(what)).unwrap();
                self.pieces.insert(place(to), scorer);
                self.phase = "-".to_owned();
            } else {
                let captured = self.phase.chars().nth(2).unwrap();
                self.pieces.insert(place(to), captured);
                self.phase = "-".to_owned();
                self.side = other(self.side);
            }
            return;
        }
        let (from, to) = mv.split_at(2);
        let (from, to) = (place(from), place(to));
        let piece = self.pieces.remove(&from).unwrap();
        match self.pieces.insert(to, piece) {
            Some(captured) if captured != 'o' => {
                self.phase = format!("P:{captured}");
                return;
            }
            _ => {}
        }
        if in_zone(other(self.side), to) {
            if self.side == 'r' {
                self.red_points += 1;
            } else {
                self.black_points += 1;
            }
            self.phase = format!("D:{}", name(to).to_uppercase());
        }
        self.side = other(self.side);
    }

    /// Empty squares where a piece of `owner` may be put back.
    fn places_for(&self, owner: char) -> Vec<Place> {
        let guarded = self.guardian(owner).is_some();
        all_places()
            .filter(|&to| in_half(owner, to))
            .filter(|to| !self.pieces.contains_key(to))
            .filter(|&to| !(guarded && in_zone(owner, to)))
            .collect()
    }

    fn guardian(&self, side: char) -> Option<Place> {
        zone(side).into_iter().find(|at| {
            self.pieces
                .get(at)
                .is_some_and(|&piece| side_of(piece) == Some(side))
        })
    }

    fn may_end(&self, from: Place, to: Place) -> bool {
        let captures_guardian = [self.guardian('r'), self.guardian('b')].contains(&Some(to));
        let second_guardian = in_zone(self.side, to)
            && self
                .guardian(self.side)
                .is_some_and(|guardian| guardian != from);
        !captures_guardian && !second_guardian
    }

    fn reach(&self, piece: char, from: Place) -> BTreeSet<Place> {
        let mut reach = BTreeSet::new();
        match piece.to_ascii_uppercase() {
            'R' => self.slide(from, |(x, y)| x == 0 || y == 0, &mut reach),
            'B' => self.slide(from, |(x, y)| x != 0 && y != 0, &mut reach),
            'N' => {
                for (x, y) in [(1, 2), (2, 1)] {
                    for (x, y) in [(x, y), (x, -y), (-x, y), (-x, -y)] {
                        reach.insert((from.0 + x, from.1 + y));
                    }
                }
            }
            'C' => self.fire(from, &mut reach),
            'A' => {
                for (x, y) in EIGHT {
                    match self.pieces.get(&(from.0 + x, from.1 + y)) {
                        Some(&model) if is_model(model) => {
                            reach.extend(self.reach(model, from));
                        }
                        _ => {}
                    }
                }
            }
            'P' => {
                let mut without = self.clone();
                without.pieces.remove(&from);
                without.jump(from, &mut reach);
                reach.remove(&from);
            }
            _ => unreachable!("no such piece"),
        }
        reach.retain(|&to| on_board(to));
        reach
    }

    fn slide(&self, from: Place, may: impl Fn(Place) -> bool, reach: &mut BTreeSet<Place>) {
        for (x, y) in EIGHT.into_iter().filter(|&direction| may(direction)) {
            let mut to = (from.0 + x, from.1 + y);
            while on_board(to) {
                reach.insert(to);
                if self.pieces.contains_key(&to) {
                    break;
                }
                to = (to.0 + x, to.1 + y);
            }
        }
    }

    fn fire(&self, from: Place, reach: &mut BTreeSet<Place>) {
        for (x, y) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            let mut screens = 0;
            let mut to = (from.0 + x, from.1 + y);
            while on_board(to) {
                let occupied = self.pieces.contains_key(&to);
                match (screens, occupied) {
                    (0, false) => {
                        reach.insert(to);
                    }
                    (1, true) => {
                        reach.insert(to);
                    }
                    _ => {}
                }
                if occupied {
                    screens += 1;
                }
                to = (to.0 + x, to.1 + y);
            }
        }
    }

    /// All landings from `from` on; jumps on only from empty squares.
    fn jump(&self, from: Place, landings: &mut BTreeSet<Place>) {
        for (x, y) in EIGHT {
            let over = (from.0 + x, from.1 + y);
            let to = (from.0 + 2 * x, from.1 + 2 * y);
            let can = self.pieces.get(&over).is_some_and(|&piece| is_model(piece));
            if can && on_board(to) && landings.insert(to) && !self.pieces.contains_key(&to) {
                self.jump(to, landings);
            }
        }
    }
}
