//! Legal moves, found without trying them: checks, pins and attacked squares come first.

use super::leaps::{Black, Side, White, for_each_leap, leap_targets};
use super::piece_types::{self, PHOENIX, SLIDERS, SWALLOW};
use super::position::ToriPosition;
use super::slides::{between, open_slide_targets, slide_targets};
use super::squares::{ALL, files_with, last_rank};
use crate::attack_map::NarrowAttackMap;
use crate::{AttackMap, Bits, Color, Move, MoveList, Square};

/// Takes moves as they are found.
trait Sink {
    /// Moves to `targets`, each from `delta` squares before its target.
    fn leaps(&mut self, delta: i8, targets: u64);
    /// Moves of one piece.
    fn moves(&mut self, from: Square, targets: u64);
    /// Drops of pieces of each of `kinds`, which are bits.
    fn drops(&mut self, piece_types: u8, targets: u64);
}

impl Sink for MoveList {
    #[inline(always)]
    fn leaps(&mut self, delta: i8, targets: u64) {
        for to in targets.squares() {
            self.push(Move::new(Square(to.0.wrapping_add_signed(-delta)), to));
        }
    }

    #[inline(always)]
    fn moves(&mut self, from: Square, targets: u64) {
        for to in targets.squares() {
            self.push(Move::new(from, to));
        }
    }

    #[inline(always)]
    fn drops(&mut self, piece_types: u8, targets: u64) {
        for piece_type in u64::from(piece_types).squares() {
            for to in targets.squares() {
                self.push(Move::place(piece_type.0, to));
            }
        }
    }
}

/// Counts the moves only.
struct Count(usize);

impl Sink for Count {
    #[inline(always)]
    fn leaps(&mut self, _: i8, targets: u64) {
        self.0 += targets.len();
    }

    #[inline(always)]
    fn moves(&mut self, _: Square, targets: u64) {
        self.0 += targets.len();
    }

    #[inline(always)]
    fn drops(&mut self, piece_types: u8, targets: u64) {
        self.0 += piece_types.count_ones() as usize * targets.len();
    }
}

impl ToriPosition {
    pub(super) fn list_moves(&self, moves: &mut MoveList) {
        moves.clear();
        self.generate_for_turn(moves);
    }

    pub(super) fn count_moves(&self) -> usize {
        let mut count = Count(0);
        self.generate_for_turn(&mut count);
        count.0
    }

    /// Whether `color`'s phoenix is attacked.
    pub(super) fn in_check(&self, color: Color) -> bool {
        match color {
            Color::White => self.threats::<White>().checkers != 0,
            Color::Black => self.threats::<Black>().checkers != 0,
        }
    }

    /// The pieces of `S` that may not leave the line between their phoenix and an enemy.
    pub(super) fn pinned<S: Side>(&self) -> u64 {
        self.threats::<S>().pinned
    }

    #[inline(always)]
    fn generate_for_turn(&self, sink: &mut impl Sink) {
        match self.turn {
            Color::White => self.generate::<White>(sink),
            Color::Black => self.generate::<Black>(sink),
        }
    }

    #[inline(always)]
    fn generate<S: Side>(&self, sink: &mut impl Sink) {
        let own = self.by_color[S::COLOR];
        let phoenix = self.phoenix::<S>();
        let occupied = self.by_color.white | self.by_color.black;

        let steps = leap_targets(S::COLOR, PHOENIX, phoenix) & !own;
        if steps != 0 {
            sink.moves(phoenix, steps & !self.attacked_by_other::<S>());
        }

        let threats = self.threats::<S>();
        let targets = match threats.checkers.len() {
            0 => ALL,
            1 => threats.checkers | threats.lines,
            _ => return,
        };

        let free_pieces = own & !threats.pinned & !u64::of(phoenix);
        let open = targets & !own;
        for_each_leap!(S, |leap| {
            let pieces = leap.pieces(&self.by_piece_type) & free_pieces;
            sink.leaps(leap.delta, leap.shift(pieces) & open);
        });
        for (slider, piece_type) in SLIDERS.into_iter().enumerate() {
            for from in (self.by_piece_type[piece_type] & free_pieces).squares() {
                let slides = slide_targets(S::COLOR, slider, from, occupied);
                sink.moves(from, slides & open);
            }
        }
        if threats.pinned != 0 && threats.checkers == 0 {
            self.generate_pinned::<S>(phoenix, sink);
        }

        let hand = self.hands[S::COLOR].piece_types();
        if hand != 0 {
            let empty = targets & !occupied;
            sink.drops(hand & !(1 << SWALLOW), empty);
            if hand & 1 << SWALLOW != 0 {
                let own_swallows = self.by_piece_type[SWALLOW] & own;
                let closed = last_rank(S::COLOR) | files_with(2, own_swallows);
                sink.drops(1 << SWALLOW, empty & !closed);
            }
        }
    }

    /// Moves of pinned pieces, while there is no check: a pinned piece never answers a check.
    #[cold]
    #[inline(never)]
    fn generate_pinned<S: Side>(&self, phoenix: Square, sink: &mut impl Sink) {
        let occupied = self.by_color.white | self.by_color.black;
        for sniper in self.snipers::<S>(phoenix).squares() {
            let line = between(phoenix, sniper);
            let blockers = line & occupied;
            let pinned = blockers & self.by_color[S::COLOR];
            let (1, Some(from)) = (blockers.len(), pinned.first()) else {
                continue;
            };
            let piece_type = self.piece_type_at(from);
            let mut targets = leap_targets(S::COLOR, piece_type, from);
            if let Some(slider) = SLIDERS.iter().position(|&k| k == piece_type) {
                targets |= slide_targets(S::COLOR, slider, from, occupied);
            }
            sink.moves(from, targets & (line | u64::of(sniper)));
        }
    }

    #[inline(always)]
    fn phoenix<S: Side>(&self) -> Square {
        (self.by_piece_type[PHOENIX] & self.by_color[S::COLOR])
            .first()
            .expect("each side has its phoenix")
    }

    /// PieceBoard of the other side that would give check but for what stands between.
    #[inline(always)]
    fn snipers<S: Side>(&self, phoenix: Square) -> u64 {
        let mut snipers = 0;
        for (slider, piece_type) in SLIDERS.into_iter().enumerate() {
            snipers |=
                open_slide_targets(S::COLOR, slider, phoenix) & self.by_piece_type[piece_type];
        }
        snipers & self.by_color[S::Other::COLOR]
    }

    #[inline(always)]
    fn threats<S: Side>(&self) -> Threats {
        let phoenix = self.phoenix::<S>();
        let mut checkers = 0;
        for piece_type in 0..piece_types::COUNT {
            checkers |=
                leap_targets(S::COLOR, piece_type, phoenix) & self.by_piece_type[piece_type];
        }
        let mut threats = Threats {
            checkers: checkers & self.by_color[S::Other::COLOR],
            lines: 0,
            pinned: 0,
        };
        let occupied = self.by_color.white | self.by_color.black;
        for sniper in self.snipers::<S>(phoenix).squares() {
            let line = between(phoenix, sniper);
            let blockers = line & occupied;
            if blockers == 0 {
                threats.checkers |= u64::of(sniper);
                threats.lines |= line;
            } else if blockers & (blockers - 1) == 0 {
                threats.pinned |= blockers & self.by_color[S::COLOR];
            }
        }
        threats
    }

    pub(super) fn attacks_of(&self, color: Color) -> AttackMap {
        match color {
            Color::White => self.attack_map_of::<White>(),
            Color::Black => self.attack_map_of::<Black>(),
        }
    }

    #[inline(always)]
    fn attack_map_of<S: Side>(&self) -> AttackMap {
        let own = self.by_color[S::COLOR];
        let occupied = self.by_color.white | self.by_color.black;
        let mut map = NarrowAttackMap::default();
        for_each_leap!(S, |leap| {
            map.add(leap.shift(leap.pieces(&self.by_piece_type) & own));
        });
        for (slider, piece_type) in SLIDERS.into_iter().enumerate() {
            for from in (self.by_piece_type[piece_type] & own).squares() {
                map.add(slide_targets(S::COLOR, slider, from, occupied));
            }
        }
        map.into()
    }

    /// The squares that the other side attacks, also through `S`'s phoenix.
    #[inline(always)]
    fn attacked_by_other<S: Side>(&self) -> u64 {
        let other = self.by_color[S::Other::COLOR];
        let own_phoenix = self.by_piece_type[PHOENIX] & self.by_color[S::COLOR];
        let occupied = (self.by_color.white | self.by_color.black) & !own_phoenix;
        let mut attacked = 0;
        for_each_leap!(S::Other, |leap| {
            attacked |= leap.shift(leap.pieces(&self.by_piece_type) & other);
        });
        for (slider, piece_type) in SLIDERS.into_iter().enumerate() {
            for from in (self.by_piece_type[piece_type] & other).squares() {
                attacked |= slide_targets(S::Other::COLOR, slider, from, occupied);
            }
        }
        attacked
    }
}

/// What threatens a phoenix.
struct Threats {
    /// PieceBoard that give check.
    checkers: u64,
    /// Squares between the phoenix and those of them that slide.
    lines: u64,
    /// Own pieces whose leaving their line would open a check.
    pinned: u64,
}
