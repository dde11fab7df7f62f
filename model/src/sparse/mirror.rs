use garuda_rules::{Color, Position, Square};

use super::FeatureLayout;
use super::features::THREAT_STATES;
use crate::View;

/// The mirror image of every feature, action and move-table entry of a game: a sample can be
/// mirrored without its position. Only samples of positions that have a mirror image
/// ([`Position::mirrored`]) may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MirrorTable {
    pub features: Vec<u16>,
    pub actions: Vec<u16>,
    pub moves: Vec<u16>,
}

impl MirrorTable {
    pub fn of<P: Position>() -> MirrorTable {
        let layout = FeatureLayout::of::<P>();
        let start = P::start();
        let view = View {
            color: Color::White,
            mirror: true,
        };
        let action = |action| {
            let image = view.move_of(&start, action);
            let image = image.expect("every number below the count is an action");
            image.action(P::BOARD) as u16
        };
        MirrorTable {
            features: (0..layout.features())
                .map(|feature| layout.mirrored_feature::<P>(feature) as u16)
                .collect(),
            actions: (0..layout.actions()).map(action).collect(),
            moves: (0..layout.moves())
                .map(|entry| layout.mirrored_move::<P>(entry) as u16)
                .collect(),
        }
    }
}

/// Mirror images of numbers, for positions that have one.
impl FeatureLayout {
    /// The feature that takes a feature's place when left and right are exchanged.
    fn mirrored_feature<P: Position>(&self, feature: usize) -> usize {
        let mirror = |square: usize| P::BOARD.mirror(Square(square as u8)).index();
        if let Some((side, piece_type, state, square)) = self.piece_of(feature) {
            let kind = side * self.types + mirrored_type::<P>(piece_type);
            return (kind * THREAT_STATES + state) * self.squares + mirror(square.index());
        }
        let within = |first: usize, count: usize| {
            (first..first + count)
                .contains(&feature)
                .then(|| feature - first)
        };
        let stone = self.stones.and_then(|first| within(first, self.squares));
        if let Some(square) = stone {
            return feature - square + mirror(square);
        }
        if let Some(held) = within(self.hands, 2 * self.placeable * Self::HAND) {
            let place = held / Self::HAND % self.placeable;
            let image = mirrored_type::<P>(usize::from(P::PLACEABLE[place]));
            let image = P::PLACEABLE
                .iter()
                .position(|&other| usize::from(other) == image);
            let image = image.expect("the mirror image of a placeable type is placeable");
            return feature - place * Self::HAND + image * Self::HAND;
        }
        feature
    }

    /// The move-table entry of a move's mirror image.
    fn mirrored_move<P: Position>(&self, entry: usize) -> usize {
        let (rest, target) = (entry / 4, entry % 4);
        let (rest, captured) = (rest / self.captures(), rest % self.captures());
        let (moving, is_attacked) = (rest / 2, rest % 2);
        let moving = moving / self.types * self.types + mirrored_type::<P>(moving % self.types);
        let captured = match captured {
            piece if (1..=self.types).contains(&piece) => 1 + mirrored_type::<P>(piece - 1),
            other => other,
        };
        ((moving * 2 + is_attacked) * self.captures() + captured) * 4 + target
    }
}

fn mirrored_type<P: Position>(piece_type: usize) -> usize {
    let view = View {
        color: Color::White,
        mirror: true,
    };
    usize::from(view.piece_type(&P::start(), piece_type as u8))
}
