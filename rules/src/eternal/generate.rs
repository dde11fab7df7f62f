use super::position::{EternalPosition, Phase};
use super::{ADVISOR, CANNON, ELEPHANT, HALF, HORSE, ROOK, SOLDIER, WINNING_POINTS, ZONE, attacks};
use crate::{AttackMap, Bits, Color, Move, MoveList, Square};

impl EternalPosition {
    pub(super) fn generate(&self, moves: &mut MoveList) {
        moves.clear();
        if self.is_won() {
            return;
        }
        match self.phase {
            Phase::Move => self.each_piece(|from, targets| {
                moves.extend(targets.squares().map(|to| Move::new(from, to)));
            }),
            Phase::Place(piece) => {
                let room = self.room_for(piece.color);
                moves.extend(room.squares().map(|to| Move::place(piece.piece_type, to)));
            }
            Phase::Deport(from) => {
                let room = self.room_for(!self.turn);
                moves.extend(room.squares().map(|to| Move::new(from, to)));
            }
        }
    }

    pub(super) fn count(&self) -> usize {
        if self.is_won() {
            return 0;
        }
        match self.phase {
            Phase::Move => {
                let mut count = 0;
                self.each_piece(|_, targets| count += targets.len());
                count
            }
            Phase::Place(piece) => self.room_for(piece.color).len(),
            Phase::Deport(_) => self.room_for(!self.turn).len(),
        }
    }

    /// Whether the fourth point has been scored.
    pub(super) fn is_won(&self) -> bool {
        self.points.white.max(self.points.black) >= WINNING_POINTS
    }

    /// The side's guardian, if it has one.
    fn guardian(&self, color: Color) -> u128 {
        self.sides[color] & ZONE[color]
    }

    /// Where a piece that has been captured or deported may be put.
    fn room_for(&self, owner: Color) -> u128 {
        let free = HALF[owner] & !self.occupied();
        if self.guardian(owner).is_empty() {
            free
        } else {
            free & !ZONE[owner]
        }
    }

    /// Gives `visit` every piece of the side to move with its legal targets.
    #[inline]
    fn each_piece(&self, mut visit: impl FnMut(Square, u128)) {
        let occupied = self.occupied();
        let own = self.sides[self.turn];
        let guardian = self.guardian(self.turn);
        let guardians = guardian | self.guardian(!self.turn);
        let closed = if guardian.is_empty() {
            guardians
        } else {
            guardians | ZONE[self.turn]
        };
        let mut each = |piece_type: usize, reach: &dyn Fn(Square) -> u128| {
            for from in (self.piece_types[piece_type] & own).squares() {
                let closed = if guardian.has(from) {
                    guardians
                } else {
                    closed
                };
                visit(from, reach(from) & !closed);
            }
        };
        each(ROOK, &|from| attacks::rook(from, occupied));
        each(HORSE, &|from| attacks::horse(from));
        each(CANNON, &|from| attacks::cannon(from, occupied));
        each(ELEPHANT, &|from| attacks::elephant(from, occupied));
        each(ADVISOR, &|from| self.advisor(from, occupied));
        let hurdles = self.movers();
        each(SOLDIER, &|from| attacks::soldier(from, occupied, hurdles));
    }

    /// A piece that stands guard cannot be captured, and a guarded zone is closed to its own side.
    pub(super) fn attacks_of(&self, color: Color) -> AttackMap {
        let occupied = self.occupied();
        let own = self.sides[color];
        let guardian = self.guardian(color);
        let guardians = guardian | self.guardian(!color);
        let closed = if guardian.is_empty() {
            guardians
        } else {
            guardians | ZONE[color]
        };
        let hurdles = self.movers();
        let mut map = AttackMap::default();
        for (piece_type, set) in self.piece_types.iter().enumerate() {
            for from in (set & own).squares() {
                let attacked = match piece_type {
                    ROOK => attacks::rook(from, occupied),
                    HORSE => attacks::horse(from),
                    CANNON => attacks::cannon_attacks(from, occupied),
                    ELEPHANT => attacks::elephant(from, occupied),
                    SOLDIER => attacks::soldier(from, occupied, hurdles),
                    _ => self.advisor_attacks(from, occupied),
                };
                let closed = if guardian.has(from) {
                    guardians
                } else {
                    closed
                };
                map.add(attacked & !closed);
            }
        }
        map
    }

    /// The pieces that advisors copy and soldiers jump: R N C B of either side.
    fn movers(&self) -> u128 {
        self.piece_types[ROOK]
            | self.piece_types[HORSE]
            | self.piece_types[CANNON]
            | self.piece_types[ELEPHANT]
    }

    fn advisor(&self, from: Square, occupied: u128) -> u128 {
        self.copied(from, occupied, attacks::cannon)
    }

    fn advisor_attacks(&self, from: Square, occupied: u128) -> u128 {
        self.copied(from, occupied, attacks::cannon_attacks)
    }

    /// What an advisor reaches by the ways of its neighbours, `cannon` being a cannon's way.
    fn copied(&self, from: Square, occupied: u128, cannon: impl Fn(Square, u128) -> u128) -> u128 {
        let near = attacks::neighbours(from);
        let beside = |piece_type: usize| near & self.piece_types[piece_type] != 0;
        let mut reach = 0;
        if beside(ROOK) {
            reach |= attacks::rook(from, occupied);
        }
        if beside(HORSE) {
            reach |= attacks::horse(from);
        }
        if beside(CANNON) {
            reach |= cannon(from, occupied);
        }
        if beside(ELEPHANT) {
            reach |= attacks::elephant(from, occupied);
        }
        reach
    }
}
