use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use garuda_mcts::{EvalError, Evaluations, Evaluator};
use garuda_rules::{GameState, Move, Position};

use crate::files::read_bounded;
use crate::onnx::{OnnxEvaluator, OnnxFile};
use crate::sparse::{FeatureLayout, SparseEvaluator, SparseNetwork};
use crate::{NetworkError, NetworkInfo};

/// An exported network that was read from a file and checked.
///
/// ```no_run
/// use garuda_mcts::{Evaluations, Evaluator};
/// use garuda_model::Network;
/// use garuda_rules::{Game, MoveList, ToriShogi};
///
/// let network = Network::read("torishogi.onnx".as_ref())?;
/// println!("{} after {} steps", network.info().architecture, network.info().step);
///
/// let game = ToriShogi::start();
/// let mut legal = MoveList::new();
/// game.legal_moves(&mut legal);
/// let mut evaluator = network.evaluator(64)?;
/// let mut evaluations = Evaluations::default();
/// evaluator.push(&game, &legal);
/// evaluator.run(&mut evaluations)?;
/// let (wdl, logits) = evaluations.get(0);
/// println!("{wdl:?}, and {} logits", logits.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Network {
    info: NetworkInfo,
    contents: Contents,
}

/// What the formats of files hold besides their metadata. The format decides which evaluator runs
/// the network.
#[derive(Clone)]
enum Contents {
    Onnx(OnnxFile),
    Sparse {
        network: Arc<SparseNetwork>,
        bytes: Vec<u8>,
    },
}

impl Network {
    /// The largest file that is read.
    pub const MAX_BYTES: u64 = 1 << 30;

    pub fn read(path: &Path) -> Result<Network, NetworkError> {
        let bytes = read_bounded(path, Self::MAX_BYTES).map_err(|source| NetworkError::Read {
            path: path.to_owned(),
            source,
        })?;
        Network::from_bytes(&bytes)
    }

    /// Reads the contents of a file. Refuses what Garuda did not export, and what was damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        if SparseNetwork::is_file(bytes) {
            let (info, network) = SparseNetwork::from_bytes(bytes)?;
            let contents = Contents::Sparse {
                network: Arc::new(network),
                bytes: bytes.to_vec(),
            };
            return Ok(Network { info, contents });
        }
        let (info, file) = OnnxFile::decode(bytes)?;
        Ok(Network {
            info,
            contents: Contents::Onnx(file),
        })
    }

    pub fn info(&self) -> &NetworkInfo {
        &self.info
    }

    /// The contents of the file.
    pub fn bytes(&self) -> &[u8] {
        match &self.contents {
            Contents::Onnx(file) => file.bytes(),
            Contents::Sparse { bytes, .. } => bytes,
        }
    }

    /// The network as an ONNX file, whatever its kind.
    pub fn to_onnx(&self) -> Cow<'_, [u8]> {
        match &self.contents {
            Contents::Onnx(file) => file.bytes().into(),
            Contents::Sparse { network, .. } => network.to_onnx(&self.info).into(),
        }
    }

    /// The integers of a sparse network. Refuses another kind, game or encoding.
    pub fn sparse<P: Position>(&self) -> Result<&SparseNetwork, NetworkError> {
        match &self.contents {
            Contents::Onnx(_) => Err(NetworkError::NotTrainable),
            Contents::Sparse { network, .. } => {
                self.info.expect_features(&FeatureLayout::of::<P>())?;
                Ok(network)
            }
        }
    }

    /// An evaluator for batches of up to `capacity` positions. Refuses a network of another game or
    /// encoding.
    pub fn evaluator<P: Position>(
        &self,
        capacity: usize,
    ) -> Result<NetworkEvaluator<P>, NetworkError> {
        let backend = match &self.contents {
            Contents::Onnx(file) => Backend::Onnx(OnnxEvaluator::new(&self.info, file, capacity)?),
            Contents::Sparse { network, .. } => {
                self.info.expect_features(&FeatureLayout::of::<P>())?;
                Backend::Sparse(SparseEvaluator::new(Arc::clone(network)))
            }
        };
        Ok(NetworkEvaluator(backend))
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

/// Evaluates positions with a [`Network`] of any kind, on the calling thread.
///
/// The evaluation of a position does not depend on the others in its batch.
#[derive(Debug)]
pub struct NetworkEvaluator<P>(Backend<P>);

#[derive(Debug)]
enum Backend<P> {
    Onnx(OnnxEvaluator<P>),
    Sparse(SparseEvaluator<P>),
}

impl<P: Position> Evaluator<GameState<P>> for NetworkEvaluator<P> {
    fn capacity(&self) -> usize {
        match &self.0 {
            Backend::Onnx(evaluator) => evaluator.capacity(),
            Backend::Sparse(evaluator) => evaluator.capacity(),
        }
    }

    fn push(&mut self, game: &GameState<P>, legal: &[Move]) {
        match &mut self.0 {
            Backend::Onnx(evaluator) => evaluator.push(game, legal),
            Backend::Sparse(evaluator) => evaluator.push(game, legal),
        }
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        match &mut self.0 {
            Backend::Onnx(evaluator) => evaluator.run(evaluations),
            Backend::Sparse(evaluator) => evaluator.run(evaluations),
        }
    }
}
