//! Attack maps against the steps of the pieces and against the move generators.

mod walk;

use garuda_rules::{
    AttackMap, Color, GameState, MoveList, Occupant, Origin, Position, RuleSet, with_rule_set,
};
use walk::walk;

/// Every capture on the board is an attack, and attacks follow from steps unless pieces copy
/// others (Eternal chess).
fn check<P: Position>(game: &GameState<P>, legal: &MoveList, by_steps: bool) {
    let position = game.position();
    let turn = position.turn();
    let map = position.attack_map(turn);
    for mv in legal {
        let captures = matches!(
            (mv.origin(), position.occupant(mv.to())),
            (Origin::Board(from), Some(Occupant::Piece(piece)))
                if from != mv.to() && piece.color != turn
        );
        assert!(!captures || map.has(mv.to()), "{mv:?} in {position}");
    }
    for color in Color::ALL {
        let map = position.attack_map(color);
        assert_eq!(map.twice & !map.once, 0);
        if by_steps {
            assert_eq!(
                map,
                AttackMap::by_steps(position, color),
                "{color} in {position}"
            );
        }
        // Turned by half a turn, the other side attacks the same squares.
        let rotated = position.rotated().attack_map(!color);
        let turned = |set: u128| set.reverse_bits() >> (128 - P::BOARD.squares());
        assert_eq!(turned(map.once), rotated.once, "{position}");
        assert_eq!(turned(map.twice), rotated.twice, "{position}");
    }
}

#[test]
fn attack_maps_agree_with_steps_and_captures() {
    for rules in RuleSet::ALL {
        let by_steps = rules != RuleSet::Eternal;
        for seed in 0..40 {
            with_rule_set!(rules, P => {
                walk(GameState::<P>::start(), seed, 200, |game, legal| check(game, legal, by_steps));
            });
        }
    }
}
