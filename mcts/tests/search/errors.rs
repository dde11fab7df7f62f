//! A failing evaluator stops the search with an error and leaves the tree unchanged.

use garuda_mcts::evaluators::Uniform;
use garuda_mcts::{
    Analysis, AnalysisSettings, EvalError, Evaluations, Evaluator, Gumbel, GumbelSettings, Puct,
    PuctSettings, Search, SearchControl, SearchLimits, Shard, Wdl,
};
use garuda_rules::{Game, Move};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::helpers::TREE_BYTES;
use crate::toy_games::TicTacToe;

/// The uniform evaluator, except that batch number `bad` is wrong.
struct Faulty {
    uniform: Uniform,
    batch: u32,
    bad: u32,
    fault: Fault,
}

#[derive(Copy, Clone, Debug)]
enum Fault {
    Fails,
    NanValue,
    NegativeProbability,
    NanLogit,
    InfiniteLogit,
    TooFewEvaluations,
    TooManyLogits,
}

impl Faulty {
    fn new(fault: Fault, bad: u32) -> Faulty {
        Faulty {
            uniform: Uniform::default(),
            batch: 0,
            bad,
            fault,
        }
    }
}

impl<G: Game> Evaluator<G> for Faulty {
    fn capacity(&self) -> usize {
        64
    }

    fn push(&mut self, game: &G, legal: &[Move]) {
        self.uniform.push(game, legal);
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        Evaluator::<G>::run(&mut self.uniform, evaluations)?;
        self.batch += 1;
        if self.batch != self.bad {
            return Ok(());
        }
        let first = evaluations.get(0).1.to_vec();
        evaluations.clear();
        let mut wdl = Wdl::UNKNOWN;
        let mut logits = first;
        match self.fault {
            Fault::Fails => return Err(EvalError::Backend("no power".into())),
            Fault::TooFewEvaluations => return Ok(()),
            Fault::NanValue => wdl.draw = f32::NAN,
            Fault::NegativeProbability => (wdl.win, wdl.loss) = (-0.1, 1.1 - wdl.draw),
            Fault::NanLogit => logits[0] = f32::NAN,
            Fault::InfiniteLogit => logits[0] = f32::NEG_INFINITY,
            Fault::TooManyLogits => logits.push(0.0),
        }
        evaluations.push(wdl, logits)
    }
}

const ALL: [Fault; 7] = [
    Fault::Fails,
    Fault::NanValue,
    Fault::NegativeProbability,
    Fault::NanLogit,
    Fault::InfiniteLogit,
    Fault::TooFewEvaluations,
    Fault::TooManyLogits,
];

/// Runs a shard to its end and returns the errors on the way.
fn finish<S: Search<TicTacToe>>(
    shard: &mut Shard<TicTacToe, S>,
    evaluator: &mut Faulty,
) -> Vec<EvalError> {
    let mut errors = Vec::new();
    while !shard.searches().iter().all(S::is_over) {
        errors.extend(shard.step(evaluator).err());
    }
    errors
}

#[test]
fn an_error_is_returned_and_leaves_the_tree_unchanged() {
    for fault in ALL {
        let dumps = [u32::MAX, 1, 2, 9].map(|bad| {
            let mut search = Gumbel::new(TicTacToe::START, TREE_BYTES);
            let settings = GumbelSettings {
                simulations: 40,
                ..GumbelSettings::default()
            };
            search.begin(settings, &mut ChaCha8Rng::seed_from_u64(1));
            let mut gumbel = Shard::new(vec![search], None);
            let errors = finish(&mut gumbel, &mut Faulty::new(fault, bad));
            assert_eq!(errors.len(), usize::from(bad != u32::MAX), "{fault:?}");
            let mut search = Puct::new(TicTacToe::START, TREE_BYTES, PuctSettings::default());
            search.begin(40);
            let mut puct = Shard::new(vec![search], None);
            let errors = finish(&mut puct, &mut Faulty::new(fault, bad));
            assert_eq!(errors.len(), usize::from(bad != u32::MAX), "{fault:?}");
            let gumbel = gumbel.searches()[0].dump().to_string();
            gumbel + &puct.searches()[0].dump().to_string()
        });
        assert!(dumps.iter().all(|dump| *dump == dumps[0]));
    }
}

#[test]
fn an_error_ends_an_analysis() {
    for fault in ALL {
        let settings = AnalysisSettings {
            batch_size: 4,
            ..AnalysisSettings::default()
        };
        let mut analysis = Analysis::new(TicTacToe::START, settings);
        let mut evaluator = Faulty::new(fault, 5);
        let limits = SearchLimits::nodes(100);
        let control = SearchControl::new();
        let result = analysis.search(&mut evaluator, limits, &control, |_| {});
        assert!(result.is_err(), "{fault:?}");
        let info = analysis
            .search(&mut evaluator, limits, &control, |_| {})
            .unwrap();
        assert_eq!(info.visits, 100);
    }
}
