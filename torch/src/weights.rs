use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tch::{Device, Kind, Tensor};

/// The names and shapes of a network's tensors, in the order they lie in memory.
#[derive(Clone, Default, Debug)]
pub(crate) struct Layout {
    pub(crate) entries: Vec<Entry>,
    length: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) shape: Vec<i64>,
    init: Init,
    offset: i64,
}

/// What a tensor holds before training.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Init {
    Zeros,
    Ones,
    Constant(f64),
    /// Normally distributed with this standard deviation. Only such tensors decay.
    Normal(f64),
}

impl Entry {
    pub(crate) fn numel(&self) -> i64 {
        self.shape.iter().product()
    }

    /// Whether weight decay applies to it.
    pub(crate) fn decays(&self) -> bool {
        matches!(self.init, Init::Normal(_))
    }
}

impl Layout {
    /// Adds a tensor, and gives its index.
    pub(crate) fn add(&mut self, name: String, shape: &[i64], init: Init) -> usize {
        let entry = Entry {
            name,
            shape: shape.to_vec(),
            init,
            offset: self.length,
        };
        self.length += entry.numel();
        self.entries.push(entry);
        self.entries.len() - 1
    }

    /// Numbers in all tensors together.
    pub(crate) fn len(&self) -> i64 {
        self.length
    }

    /// Ones where a number decays, zeros where it does not.
    pub(crate) fn decay_mask(&self) -> Tensor {
        let mask = Tensor::zeros([self.length], (Kind::Float, Device::Cpu));
        for entry in self.entries.iter().filter(|entry| entry.decays()) {
            let _ = mask.narrow(0, entry.offset, entry.numel()).fill_(1.0);
        }
        mask
    }
}

/// Tensors of a layout. All numbers lie in one buffer, so that an optimiser or an average over
/// hundreds of tensors is a handful of operations on one.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) layout: Arc<Layout>,
    /// `[layout.len()]`
    pub(crate) flat: Tensor,
    /// The tensors, sharing the memory of `flat`.
    pub(crate) tensors: Vec<Tensor>,
}

impl Weights {
    pub(crate) fn new(layout: Arc<Layout>, flat: Tensor) -> Weights {
        assert_eq!(flat.size(), [layout.len()]);
        let tensors = layout
            .entries
            .iter()
            .map(|entry| {
                flat.narrow(0, entry.offset, entry.numel())
                    .view(&entry.shape[..])
            })
            .collect();
        Weights {
            layout,
            flat,
            tensors,
        }
    }

    pub(crate) fn zeros(layout: Arc<Layout>) -> Weights {
        let flat = Tensor::zeros([layout.len()], (Kind::Float, Device::Cpu));
        Weights::new(layout, flat)
    }

    /// Untrained weights. Equal seeds give equal weights.
    pub(crate) fn random(layout: Arc<Layout>, seed: u64) -> Weights {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut values = Vec::with_capacity(layout.len() as usize);
        for entry in &layout.entries {
            let numel = entry.numel() as usize;
            values.extend((0..numel).map(|_| match entry.init {
                Init::Zeros => 0.0,
                Init::Ones => 1.0,
                Init::Constant(value) => value as f32,
                Init::Normal(deviation) => (normal(&mut rng) * deviation) as f32,
            }));
        }
        Weights::new(layout, Tensor::from_slice(&values))
    }

    /// A copy in memory of its own.
    pub(crate) fn duplicate(&self) -> Weights {
        Weights::new(Arc::clone(&self.layout), self.flat.copy())
    }

    /// The same memory as tensors that gradients can be asked for.
    pub(crate) fn leaves(&self) -> Vec<Tensor> {
        self.tensors
            .iter()
            .map(|tensor| tensor.detach().set_requires_grad(true))
            .collect()
    }
}

/// The numbers of a tensor, whatever its shape.
pub(crate) fn numbers(tensor: &Tensor) -> Vec<f32> {
    let mut numbers = vec![0.0; tensor.numel()];
    let length = numbers.len();
    tensor.contiguous().copy_data(&mut numbers, length);
    numbers
}

/// A number from the standard normal distribution, by Box and Muller.
fn normal(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(rng)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// A number from 0 to below 1.
pub(crate) fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
