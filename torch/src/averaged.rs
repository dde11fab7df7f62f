use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use garuda_model::sparse::FeatureLayout;
use garuda_model::{Architecture, Encoding, Network, NetworkError};
use garuda_rules::Position;
use tch::{CModule, Device, Kind, TchError, Tensor, no_grad};

use super::conv_net::{ConvNet, MOVES_LEFT, MOVES_LEFT_UNIT, Output, POLICY, Policies, WDL};
use super::folded::{Folded, FoldedOutput};
use super::loss::Input;
use super::onnx_graph::onnx_file;
use super::sparse::SparseGraph;
use super::weights::{Layout, Weights, numbers};
use super::widen::widen;

/// A network whose weights are averages over the last training steps, in libtorch. This is what is
/// exported, and all that exporting needs.
#[derive(Debug)]
pub struct AveragedNetwork<P> {
    pub(crate) graph: Graph,
    architecture: Architecture,
    pub(crate) params: Weights,
    /// Means and variances of batch norms.
    pub(crate) stats: Weights,
    pub(crate) steps: u64,
    game: PhantomData<P>,
}

/// The structure of a network of any kind.
#[derive(Debug)]
pub(crate) enum Graph {
    Conv(ConvNet),
    Sparse(SparseGraph),
}

impl Graph {
    fn new<P: Position>(architecture: Architecture) -> Graph {
        match architecture {
            Architecture::Conv(shape) => Graph::Conv(ConvNet::new(&Encoding::of::<P>(), shape)),
            Architecture::Sparse(shape) => {
                Graph::Sparse(SparseGraph::new(FeatureLayout::of::<P>(), shape))
            }
        }
    }

    /// The tensors learned by gradients, and those that normalisation keeps.
    fn layouts(&self) -> (Arc<Layout>, Arc<Layout>) {
        match self {
            Graph::Conv(net) => (net.params.clone(), net.stats.clone()),
            Graph::Sparse(graph) => (graph.params.clone(), Arc::default()),
        }
    }

    /// What the weights of each tensor learned by gradients may not exceed in either direction.
    pub(super) fn limits(&self) -> Vec<f64> {
        match self {
            Graph::Conv(net) => vec![f64::INFINITY; net.params.entries.len()],
            Graph::Sparse(graph) => graph.limits(),
        }
    }

    /// The outputs of the network with these tensors for a batch of its kind.
    pub(super) fn forward(
        &self,
        params: &[Tensor],
        stats: &[Tensor],
        input: &Input,
        train: bool,
    ) -> Output {
        match (self, input) {
            (Graph::Conv(net), Input::Planes(planes)) => net.forward(params, stats, planes, train),
            (Graph::Sparse(graph), Input::Sparse(input)) => graph.forward(params, input),
            _ => panic!("the batch was made for another kind of network"),
        }
    }
}

/// The outputs of a network for a batch of positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// Logits `[batch, actions]`.
    pub policy: Vec<f32>,
    /// Probabilities of win, draw and loss `[batch, 3]`.
    pub wdl: Vec<f32>,
    /// Plies to the end of the game `[batch]`.
    pub moves_left: Vec<f32>,
}

impl<P: Position> AveragedNetwork<P> {
    /// An untrained network. Equal seeds give equal networks.
    pub fn new(architecture: Architecture, seed: u64) -> Self {
        let graph = Graph::new::<P>(architecture);
        let (params, stats) = graph.layouts();
        AveragedNetwork {
            graph,
            architecture,
            params: Weights::random(params, seed),
            stats: Weights::random(stats, seed),
            steps: 0,
            game: PhantomData,
        }
    }

    /// The network of a file that plays, to be trained further. What only training uses is new;
    /// equal seeds make it equal. Only a sparse network's file holds all that is needed: the others
    /// can be trained from their checkpoints ([`load`](AveragedNetwork::load)).
    pub fn from_network(network: &Network, seed: u64) -> Result<Self, NetworkError> {
        let integers = network.sparse::<P>()?;
        let averaged = AveragedNetwork::new(network.info().architecture, seed);
        if let Graph::Sparse(graph) = &averaged.graph {
            no_grad(|| graph.load_integers(&averaged.params.tensors, integers));
        }
        Ok(averaged)
    }

    /// A network of another size that gives the same evaluations, up to rounding, and has more to
    /// learn with. Only sparse networks can grow, and only to a multiple of their width: `None` for
    /// any other architecture. Equal seeds make it equal.
    pub fn widened(&self, architecture: Architecture, seed: u64) -> Option<Self> {
        let (Architecture::Sparse(old), Architecture::Sparse(new)) =
            (self.architecture, architecture)
        else {
            return None;
        };
        let grows = new.width() > old.width() && new.width().is_multiple_of(old.width());
        if !grows || new.hidden() != old.hidden() {
            return None;
        }
        let wider = AveragedNetwork::new(architecture, seed);
        widen(&self.params, &wider.params, seed);
        Some(wider)
    }

    /// Number of training steps behind it.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The outputs for planes `[batch, planes, rank, file]`, if the network is convolutional.
    pub fn predict(&self, planes: &[f32]) -> Option<Prediction> {
        let Graph::Conv(net) = &self.graph else {
            return None;
        };
        let sizes = net.sizes;
        let planes = Tensor::from_slice(planes).view([-1, sizes.planes, sizes.ranks, sizes.files]);
        no_grad(|| {
            let output = self.forward(&Input::Planes(planes));
            let Policies::Actions(policies) = &output.policies else {
                return None;
            };
            let wdl = output.scalars.narrow(1, WDL, 3).softmax(1, Kind::Float);
            let moves_left = output.scalars.narrow(1, MOVES_LEFT, 1) * MOVES_LEFT_UNIT;
            Some(Prediction {
                policy: numbers(&policies.select(1, POLICY)),
                wdl: numbers(&wdl),
                moves_left: numbers(&moves_left),
            })
        })
    }

    pub(crate) fn forward(&self, input: &Input) -> Output {
        let train = false;
        self.graph
            .forward(&self.params.tensors, &self.stats.tensors, input, train)
    }

    /// The network as it is exported, if it is convolutional.
    pub(crate) fn folded(&self) -> Option<Folded> {
        match &self.graph {
            Graph::Conv(net) => Some(self.fold(net)),
            Graph::Sparse(_) => None,
        }
    }

    fn fold(&self, net: &ConvNet) -> Folded {
        Folded::new(net, &self.params.tensors, &self.stats.tensors)
    }

    /// The network as a file that plays: ONNX for a convolutional one, integers in safetensors for
    /// a sparse one. `run` is the name of the run it comes from.
    pub fn export(&self, run: &str) -> Network {
        let bytes = match &self.graph {
            Graph::Conv(net) => onnx_file(
                &self.fold(net),
                &Encoding::of::<P>(),
                self.architecture,
                self.steps,
                run,
            ),
            Graph::Sparse(graph) => {
                let network = no_grad(|| graph.quantise(&self.params.tensors));
                network.to_bytes(&graph.layout, run, self.steps)
            }
        };
        Network::from_bytes(&bytes).expect("what was just written can be read")
    }

    /// Writes the network as a TorchScript file. Its `forward` takes planes
    /// `[batch, planes, rank, file]` and returns `[batch, actions + 4]`: the logits of all actions,
    /// the probabilities of win, draw and loss, and the plies left.
    ///
    /// A sparse network has no such form: that is an error.
    pub fn export_torchscript(&self, path: &Path) -> Result<(), TchError> {
        let Some(folded) = self.folded() else {
            return Err(TchError::Kind(
                "only a convolutional network can be written as TorchScript".to_owned(),
            ));
        };
        let sizes = folded.sizes;
        // The traced network takes batches of any size.
        let shape = [2, sizes.planes, sizes.ranks, sizes.files];
        let example = Tensor::zeros(shape, (Kind::Float, Device::Cpu));
        let mut forward = |inputs: &[Tensor]| {
            let FoldedOutput {
                policy,
                wdl,
                moves_left,
            } = folded.forward(&inputs[0]);
            // Tracing supports functions with one result only.
            vec![Tensor::cat(&[policy, wdl, moves_left], 1)]
        };
        let module =
            no_grad(|| CModule::create_by_tracing("Garuda", "forward", &[example], &mut forward))?;
        module.save(path)
    }
}
