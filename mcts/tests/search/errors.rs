//! A failing evaluator stops the search with an error and leaves the tree as it was.

use garuda_mcts::evaluators::Uniform;
use garuda_mcts::{
    Analysis, AnalysisSettings, EvalError, Evaluations, Evaluator, Gumbel, GumbelSettings, Limits,
    Puct, PuctSettings, Search, Shard, Signal, Wdl,
};
use garuda_rules::{Game, Move};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::runs::MEMORY;
use crate::toys::TicTacToe;

/// Uniform, but its batch number `bad` is spoilt.
struct Broken {
    uniform: Uniform,
    batch: u32,
    bad: u32,
    how: How,
}

#[derive(Copy, Clone, Debug)]
enum How {
    Fails,
    NanValue,
    NegativeChance,
    NanLogit,
    InfiniteLogit,
    TooFewAnswers,
    TooManyLogits,
}

impl Broken {
    fn new(how: How, bad: u32) -> Broken {
        Broken {
            uniform: Uniform::default(),
            batch: 0,
            bad,
            how,
        }
    }
}

impl<G: Game> Evaluator<G> for Broken {
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
        match self.how {
            How::Fails => return Err(EvalError::Backend("no power".into())),
            How::TooFewAnswers => return Ok(()),
            How::NanValue => wdl.draw = f32::NAN,
            How::NegativeChance => (wdl.win, wdl.loss) = (-0.1, 1.1 - wdl.draw),
            How::NanLogit => logits[0] = f32::NAN,
            How::InfiniteLogit => logits[0] = f32::NEG_INFINITY,
            How::TooManyLogits => logits.push(0.0),
        }
        evaluations.push(wdl, logits)
    }
}

const ALL: [How; 7] = [
    How::Fails,
    How::NanValue,
    How::NegativeChance,
    How::NanLogit,
    How::InfiniteLogit,
    How::TooFewAnswers,
    How::TooManyLogits,
];

/// Steps a shard to its end and returns the errors on the way.
fn finish<S: Search<TicTacToe>>(
    shard: &mut Shard<TicTacToe, S>,
    evaluator: &mut Broken,
) -> Vec<EvalError> {
    let mut errors = Vec::new();
    while !shard.searches().iter().all(S::is_over) {
        errors.extend(shard.step(evaluator).err());
    }
    errors
}

#[test]
fn an_error_surfaces_and_leaves_no_trace() {
    for how in ALL {
        let outlines = [u32::MAX, 1, 2, 9].map(|bad| {
            let mut search = Gumbel::new(TicTacToe::START, MEMORY);
            let settings = GumbelSettings {
                simulations: 40,
                ..GumbelSettings::default()
            };
            search.begin(settings, &mut ChaCha8Rng::seed_from_u64(1));
            let mut gumbel = Shard::new(vec![search], None);
            let errors = finish(&mut gumbel, &mut Broken::new(how, bad));
            assert_eq!(errors.len(), usize::from(bad != u32::MAX), "{how:?}");
            let mut search = Puct::new(TicTacToe::START, MEMORY, PuctSettings::default());
            search.begin(40);
            let mut puct = Shard::new(vec![search], None);
            let errors = finish(&mut puct, &mut Broken::new(how, bad));
            assert_eq!(errors.len(), usize::from(bad != u32::MAX), "{how:?}");
            let gumbel = gumbel.searches()[0].outline().to_string();
            gumbel + &puct.searches()[0].outline().to_string()
        });
        assert!(outlines.iter().all(|outline| *outline == outlines[0]));
    }
}

#[test]
fn an_error_ends_thinking() {
    for how in ALL {
        let settings = AnalysisSettings {
            leaves: 4,
            ..AnalysisSettings::default()
        };
        let mut analysis = Analysis::new(TicTacToe::START, settings);
        let mut evaluator = Broken::new(how, 5);
        let limits = Limits::nodes(100);
        let signal = Signal::new();
        let result = analysis.think(&mut evaluator, limits, &signal, |_| {});
        assert!(result.is_err(), "{how:?}");
        let report = analysis
            .think(&mut evaluator, limits, &signal, |_| {})
            .unwrap();
        assert_eq!(report.visits, 100);
    }
}
