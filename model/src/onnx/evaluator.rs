use std::marker::PhantomData;

use garuda_mcts::{EvalError, Evaluations, Evaluator, Wdl};
use garuda_rules::{GameState, Move, Position};
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::TensorRef;

use super::{INPUT, OnnxFile, POLICY, WDL};
use crate::{Encoding, NetworkError, NetworkInfo, View, encode, runtime};

/// Runs an ONNX file on the calling thread.
#[derive(Debug)]
pub(crate) struct OnnxEvaluator<P> {
    session: Session,
    /// `[planes, rank, file]`
    input_shape: [usize; 3],
    actions: usize,
    capacity: usize,
    /// Number of positions in the batch.
    size: usize,
    /// `[capacity, planes, rank, file]`, of which `size` positions are filled.
    planes: Vec<f32>,
    /// The legal actions of all positions, and where those of each position end.
    legal: Vec<u16>,
    ends: Vec<usize>,
    game: PhantomData<P>,
}

impl<P: Position> OnnxEvaluator<P> {
    /// Refuses a network of another game or encoding.
    pub(crate) fn new(
        info: &NetworkInfo,
        file: &OnnxFile,
        capacity: usize,
    ) -> Result<Self, NetworkError> {
        info.expect::<P>()?;
        let encoding = Encoding::of::<P>();
        let session = session(file.bytes())?;
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

    fn evaluate(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
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
        let (_, probabilities) = outputs[WDL].try_extract_tensor::<f32>().map_err(backend)?;
        if logits.len() != self.size * self.actions || probabilities.len() != self.size * 3 {
            return Err(EvalError::Backend(
                "the network's output has the wrong size".into(),
            ));
        }
        let mut start = 0;
        for (i, &end) in self.ends.iter().enumerate() {
            let logits = &logits[i * self.actions..][..self.actions];
            let &[win, draw, loss] = probabilities[3 * i..]
                .first_chunk()
                .expect("there are three");
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

impl<P: Position> Evaluator<GameState<P>> for OnnxEvaluator<P> {
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
            self.evaluate(evaluations)
        };
        self.size = 0;
        self.legal.clear();
        self.ends.clear();
        result
    }
}

/// A session that works on the calling thread alone: one per core is faster than one that
/// spreads over cores, and its results are reproducible.
pub fn session(file: &[u8]) -> Result<Session, NetworkError> {
    let environment = runtime::environment()?;
    let build = || -> ort::Result<Session> {
        Session::builder(environment)?
            .with_intra_threads(1)?
            .with_inter_threads(1)?
            .with_optimization_level(GraphOptimizationLevel::All)?
            .commit_from_memory(file)
    };
    build().map_err(NetworkError::Session)
}

fn backend(error: ort::Error) -> EvalError {
    EvalError::Backend(Box::new(error))
}
