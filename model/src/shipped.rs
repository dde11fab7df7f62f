use garuda_rules::RuleSet;

use crate::{Network, NetworkError};

/// The contents of the files of the networks that are part of the program: see nets/README.md.
pub const SHIPPED: &[(RuleSet, &[u8])] = &[
    (
        RuleSet::Makruk,
        include_bytes!("../../nets/makruk.safetensors"),
    ),
    (
        RuleSet::Sittuyin,
        include_bytes!("../../nets/sittuyin.safetensors"),
    ),
    (
        RuleSet::SittuyinBooklet,
        include_bytes!("../../nets/sittuyin-booklet.safetensors"),
    ),
    (
        RuleSet::ToriShogi,
        include_bytes!("../../nets/torishogi.safetensors"),
    ),
    (
        RuleSet::Eternal,
        include_bytes!("../../nets/eternal.safetensors"),
    ),
];

impl Network {
    /// Whether a network is shipped for a rule set.
    pub fn is_shipped(rule_set: RuleSet) -> bool {
        SHIPPED.iter().any(|(other, _)| *other == rule_set)
    }

    /// The network that is shipped for a rule set, if there is one. Reading it takes milliseconds.
    pub fn shipped(rule_set: RuleSet) -> Option<Result<Network, NetworkError>> {
        let (_, bytes) = SHIPPED.iter().find(|(other, _)| *other == rule_set)?;
        Some(Network::from_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use garuda_mcts::{Evaluations, Evaluator};
    use garuda_rules::{Game, GameState, MoveList, with_rule_set};

    use super::*;

    #[test]
    fn shipped_networks_evaluate_their_games() {
        for (rule_set, _) in SHIPPED {
            let network = Network::shipped(*rule_set).unwrap().unwrap();
            assert_eq!(network.info().rule_set().unwrap(), *rule_set);
            with_rule_set!(*rule_set, P => {
                let game = GameState::<P>::start();
                let mut legal = MoveList::new();
                game.legal_moves(&mut legal);
                let mut evaluator = network.evaluator::<P>(1).unwrap();
                let mut evaluations = Evaluations::default();
                evaluator.push(&game, &legal);
                evaluator.run(&mut evaluations).unwrap();
                let (wdl, _) = evaluations.get(0);
                assert!(wdl.value().abs() < 0.5, "{rule_set}: {wdl:?}");
            });
        }
    }
}
