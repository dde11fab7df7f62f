use std::marker::PhantomData;

use garuda_mcts::{EvalError, Evaluations, Evaluator, Wdl};
use garuda_rules::{GameState, Move};
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::TensorRef;

use crate::onnx::{INPUT, POLICY, WDL};
use crate::{Encode, Encoding, Model, ModelError, View, encode, runtime};

/// Judges positions by an exported network, with ONNX Runtime, on the thread that asks.
///
/// An answer does not depend on what else is in the batch.
#[derive(Debug)]
pub struct OnnxEvaluator<P> {
    session: Session,
    /// `[planes, rank, file]`
    input_shape: [usize; 3],
    actions: usize,
    capacity: usize,
    /// Positions in the batch, and their planes `[size, planes, rank, file]`.
    size: usize,
    planes: Vec<f32>,
    /// The legal actions of all of them, and where each one's end.
    legal: Vec<u16>,
    ends: Vec<usize>,
    game: PhantomData<P>,
}

impl<P: Encode> OnnxEvaluator<P> {
    /// An evaluator for batches of up to `capacity` positions. Refuses a network of another game
    /// or encoding.
    pub fn new(model: &Model, capacity: usize) -> Result<Self, ModelError> {
        model.info().expect::<P>()?;
        let encoding = Encoding::of::<P>();
        let session = session(model.bytes())?;
        let board = encoding.board;
        Ok(OnnxEvaluator {
            session,
            input_shape: [
                encoding.planes.len(),
                usize::from(board.ranks),
                usize::from(board.files),
            ],
            actions: encoding.actions(),
            capacity,
            size: 0,
            planes: vec![0.0; capacity * encoding.input_len()],
            legal: Vec::new(),
            ends: Vec::new(),
            game: PhantomData,
        })
    }

    fn answer(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        let [planes, ranks, files] = self.input_shape;
        let input = &self.planes[..self.size * planes * ranks * files];
        let input = TensorRef::from_array_view(([self.size, planes, ranks, files], input))
            .map_err(backend)?;
        let outputs = self
            .session
            .run(ort::inputs![INPUT => input])
            .map_err(backend)?;
        let (_, logits) = outputs[POLICY]
            .try_extract_tensor::<f32>()
            .map_err(backend)?;
        let (_, chances) = outputs[WDL].try_extract_tensor::<f32>().map_err(backend)?;
        if logits.len() != self.size * self.actions || chances.len() != self.size * 3 {
            return Err(EvalError::Backend(
                "the network's answer has the wrong size".into(),
            ));
        }
        let mut start = 0;
        for (i, &end) in self.ends.iter().enumerate() {
            let logits = &logits[i * self.actions..][..self.actions];
            let &[win, draw, loss] = chances[3 * i..].first_chunk().expect("there are three");
            evaluations.push(
                Wdl { win, draw, loss },
                self.legal[start..end]
                    .iter()
                    .map(|&action| logits[usize::from(action)]),
            )?;
            start = end;
        }
        Ok(())
    }
}

impl<P: Encode> Evaluator<GameState<P>> for OnnxEvaluator<P> {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn push(&mut self, game: &GameState<P>, legal: &[Move]) {
        assert!(self.size < self.capacity, "the batch is full");
        let position = game.position();
        let view = View::of(position);
        let length = self.planes.len() / self.capacity;
        encode(game, view, &mut self.planes[self.size * length..][..length]);
        self.legal
            .extend(legal.iter().map(|&mv| view.action(position, mv) as u16));
        self.ends.push(self.legal.len());
        self.size += 1;
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        evaluations.clear();
        let result = if self.size == 0 {
            Ok(())
        } else {
            self.answer(evaluations)
        };
        self.size = 0;
        self.legal.clear();
        self.ends.clear();
        result
    }
}

/// A session that works on the calling thread alone: one per core is faster than one that
/// spreads over cores, and its results are reproducible.
pub(crate) fn session(model: &[u8]) -> Result<Session, ModelError> {
    let environment = runtime::environment()?;
    let build = || -> ort::Result<Session> {
        Session::builder(environment)?
            .with_intra_threads(1)?
            .with_inter_threads(1)?
            .with_optimization_level(GraphOptimizationLevel::All)?
            .commit_from_memory(model)
    };
    build().map_err(ModelError::Session)
}

fn backend(error: ort::Error) -> EvalError {
    EvalError::Backend(Box::new(error))
}
