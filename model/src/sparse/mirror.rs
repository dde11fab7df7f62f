use garuda_rules::{Color, Position};

use super::FeatureLayout;
use crate::View;

/// The mirror image of every feature, action and move-table entry of a game: a sample can be
/// mirrored without its position. Only samples of positions that have a mirror image
/// ([`Position::mirrored`]) may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MirrorTable {
    pub(crate) features: Vec<u16>,
    pub(crate) actions: Vec<u16>,
    pub(crate) moves: Vec<u16>,
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
