use std::path::Path;

use garuda_rules::Position;
use tch::{CModule, Device, Kind, Tensor, no_grad};

use super::Trainer;
use super::folded::{Answer, Folded};
use super::onnx_graph::onnx_file;
use crate::Network;

impl<P: Position> Trainer<P> {
    /// The averaged network, ready to play.
    pub(crate) fn folded(&self) -> Folded {
        Folded::new(
            &self.network,
            &self.mean_params.tensors,
            &self.mean_stats.tensors,
        )
    }

    /// The averaged network as an ONNX file. `run` is the name of the run it comes from.
    pub fn export(&self, run: &str) -> Network {
        let bytes = onnx_file(
            &self.folded(),
            &self.encoding,
            self.architecture(),
            self.steps,
            run,
        );
        Network::from_bytes(&bytes).expect("what was just written can be read")
    }

    /// Writes the averaged network as a TorchScript file. Its `forward` takes planes
    /// `[batch, planes, rank, file]` and gives `[batch, actions + 4]`: the logits of all actions,
    /// the chances of win, draw and loss, and the plies left.
    pub fn export_torchscript(&self, path: &Path) -> Result<(), tch::TchError> {
        let folded = self.folded();
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
