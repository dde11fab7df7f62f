use std::path::Path;

use garuda_rules::Position;
use tch::{CModule, Device, Kind, Tensor, no_grad};

use super::Trainer;
use super::folded::{Answer, Folded};
use super::onnx_graph::onnx_file;
use super::trainer::Graph;
use crate::{Encoding, Network};

impl<P: Position> Trainer<P> {
    /// The averaged network, ready to play, if it is convolutional.
    pub(crate) fn folded(&self) -> Option<Folded> {
        match &self.graph {
            Graph::Conv(net) => Some(Folded::new(
                net,
                &self.mean_params.tensors,
                &self.mean_stats.tensors,
            )),
            Graph::Sparse(_) => None,
        }
    }

    /// The averaged network as a file that plays: ONNX for a convolutional one, integers in
    /// safetensors for a sparse one. `run` is the name of the run it comes from.
    pub fn export(&self, run: &str) -> Network {
        let bytes = match &self.graph {
            Graph::Conv(net) => onnx_file(
                &Folded::new(net, &self.mean_params.tensors, &self.mean_stats.tensors),
                &Encoding::of::<P>(),
                self.architecture(),
                self.steps,
                run,
            ),
            Graph::Sparse(graph) => {
                let network = no_grad(|| graph.quantise(&self.mean_params.tensors));
                network.to_bytes(&graph.layout, run, self.steps)
            }
        };
        Network::from_bytes(&bytes).expect("what was just written can be read")
    }

    /// Writes the averaged network as a TorchScript file. Its `forward` takes planes
    /// `[batch, planes, rank, file]` and gives `[batch, actions + 4]`: the logits of all actions,
    /// the chances of win, draw and loss, and the plies left.
    ///
    /// A sparse network has no such form: that is an error.
    pub fn export_torchscript(&self, path: &Path) -> Result<(), tch::TchError> {
        let Some(folded) = self.folded() else {
            return Err(tch::TchError::Kind(
                "only a convolutional network can be written as TorchScript".to_owned(),
            ));
        };
        let sizes = folded.sizes;
        // Any batch will do to trace the network with.
        let shape = [2, sizes.planes, sizes.ranks, sizes.files];
        let example = Tensor::zeros(shape, (Kind::Float, Device::Cpu));
        let mut forward = |inputs: &[Tensor]| {
            let Answer {
                policy,
                wdl,
                moves_left,
            } = folded.forward(&inputs[0]);
            // Tracing knows functions with one result only.
            vec![Tensor::cat(&[policy, wdl, moves_left], 1)]
        };
        let module =
            no_grad(|| CModule::create_by_tracing("Garuda", "forward", &[example], &mut forward))?;
        module.save(path)
    }
}
