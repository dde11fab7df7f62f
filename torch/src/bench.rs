//! How fast networks are on this machine: the 4×64 tower on Tori Shogi's board.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use garuda_mcts::{Evaluations, Evaluator, Wdl};
use garuda_model::onnx::{INPUT, session};
use garuda_model::random_games::random_positions;
use garuda_model::sparse::{FeatureLayout, SparseShape};
use garuda_model::{ConvShape, Encoding, Network, NetworkError, NetworkKind, View, encode};
use garuda_rules::tori::ToriPosition;
use garuda_rules::{GameState, MoveList};
use ort::value::TensorRef;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tch::{Device, Kind, Tensor};

use crate::{Batch, GameSamples, Targets, TrainParams, Trainer, set_threads};
use crate::{numbers, product_file};

/// The batch sizes that are measured.
pub const BATCHES: [usize; 3] = [1, 16, 64];
/// The batch size of training a convolutional network.
pub const TRAINING_BATCH: usize = 256;
/// The batch size of training a sparse network.
pub const SPARSE_TRAINING_BATCH: usize = 512;
/// How often a position is trained on, for the cost of making its sample.
const SAMPLES_PER_POSITION: f64 = 2.0;

/// Rates measured in one run. They can be compared with each other, but on a busy machine not with
/// those of another run.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchStats {
    pub cores: usize,
    /// Number of additions and multiplications to evaluate one position.
    pub flops_per_eval: f64,
    /// Rate of one core in products of large matrices: an upper bound.
    pub matmul_gflops_per_core: f64,
    /// ONNX Runtime, as games are played.
    pub onnx: Rates,
    /// The same network in libtorch.
    pub torch: Rates,
    /// Training samples per second, on all cores.
    pub train_samples_per_s: f64,
    /// The same for a sparse network, 256 wide with 32 hidden neurons.
    pub sparse_training: SparseTrainingStats,
}

/// How fast a sparse network is trained.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct SparseTrainingStats {
    /// Including the time to make the samples.
    pub samples_per_s: f64,
    /// Share of the time that goes into samples: listing a position's features once, on one core,
    /// for every second sample of it, and filling batches.
    pub sample_share: f64,
    /// Memory of a position in the replay window.
    pub bytes_per_position: f64,
}

/// Positions evaluated per second, for each of [`BATCHES`].
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Rates {
    pub one_core: [f64; BATCHES.len()],
    /// An evaluator of its own on each core.
    pub all_cores: [f64; BATCHES.len()],
}

impl BenchStats {
    /// The rate of one core with the largest batch, in GFLOP/s.
    pub fn gflops_per_core(&self, rates: &Rates) -> f64 {
        rates.one_core[BATCHES.len() - 1] * self.flops_per_eval / 1e9
    }

    /// Training speed as a share of what libtorch's forward rate implies, if forward and backward
    /// cost three times a forward.
    pub fn training_share(&self) -> f64 {
        let forward = self.torch.all_cores.into_iter().fold(0.0, f64::max);
        3.0 * self.train_samples_per_s / forward
    }
}

/// Measures every rate, each for `time`. Uses all cores, and leaves libtorch set to one thread.
pub fn measure(time: Duration) -> Result<BenchStats, NetworkError> {
    set_threads(1);
    let shape = ConvShape::new(4, 64).expect("4x64 is a valid shape");
    let mut trainer = Trainer::<ToriPosition>::new(shape, TrainParams::default(), 1);
    let network = trainer.averaged().export("bench");
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let samples = samples(TRAINING_BATCH);
    let matmul = matmul_flops(time)?;
    let mut rates = [[[0.0; BATCHES.len()]; 2]; 2];
    for (i, &batch) in BATCHES.iter().enumerate() {
        for (j, &threads) in [1, cores].iter().enumerate() {
            rates[0][j][i] = onnx_rate(&network, &samples[..batch], threads, time)?;
            rates[1][j][i] = torch_rate(&trainer, &samples[..batch], threads, time);
        }
    }
    let [onnx, torch] = rates.map(|[one_core, all_cores]| Rates {
        one_core,
        all_cores,
    });
    set_threads(cores);
    let train_samples_per_s = training_rate(&mut trainer, &samples, time);
    let sparse_training = sparse_training(time);
    set_threads(1);
    Ok(BenchStats {
        cores,
        flops_per_eval: trainer
            .averaged()
            .folded()
            .expect("the network is convolutional")
            .flops(),
        matmul_gflops_per_core: matmul / 1e9,
        onnx,
        torch,
        train_samples_per_s,
        sparse_training,
    })
}

/// A position, its legal moves, and a policy target.
struct Sample {
    game: GameState<ToriPosition>,
    legal: MoveList,
    policy: Vec<f32>,
}

fn samples(count: usize) -> Vec<Sample> {
    let mut samples = Vec::with_capacity(count);
    random_positions(count, 1, &[], |game, legal| {
        samples.push(Sample {
            game: game.clone(),
            policy: vec![1.0 / legal.len() as f32; legal.len()],
            legal: legal.clone(),
        });
    });
    samples
}

/// Repeats `work` on each of `threads` threads and returns how often per second it was done by all
/// together, in the best of several rounds: other load on the machine then matters little.
fn rate<W: FnMut()>(threads: usize, time: Duration, work: impl Fn() -> W + Sync) -> f64 {
    const ROUNDS: u32 = 20;
    let barrier = Barrier::new(threads);
    let rates: Vec<[f64; ROUNDS as usize]> = thread::scope(|scope| {
        let measure = || {
            // A new thread starts with all cores, whatever other threads were set to.
            set_threads(1);
            let mut work = work();
            work();
            let mut rates = [0.0; ROUNDS as usize];
            for rate in &mut rates {
                barrier.wait();
                let started = Instant::now();
                let mut done = 0;
                while started.elapsed() < time / ROUNDS {
                    work();
                    done += 1;
                }
                *rate = f64::from(done) / started.elapsed().as_secs_f64();
            }
            rates
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(measure)).collect();
        let join = |handle: thread::ScopedJoinHandle<'_, _>| {
            handle.join().expect("measuring does not panic")
        };
        handles.into_iter().map(join).collect()
    });
    (0..ROUNDS as usize)
        .map(|round| rates.iter().map(|thread| thread[round]).sum())
        .fold(0.0, f64::max)
}

/// Floating-point operations per second of one core in products of matrices, by the
/// faster of the two libraries.
fn matmul_flops(time: Duration) -> Result<f64, NetworkError> {
    const SIZE: usize = 512;
    let side = SIZE as i64;
    let matrix = || Tensor::rand([side, side], (Kind::Float, Device::Cpu));
    let torch = rate(1, time, || {
        let (a, b, product) = (matrix(), matrix(), matrix());
        move || {
            let _ = a.matmul_out(&product, &b);
        }
    });
    let file = product_file(&matrix());
    session(&file)?;
    let onnx = rate(1, time, || {
        let mut session = session(&file).expect("the file was loaded before");
        let numbers = numbers(&matrix());
        move || {
            let input = TensorRef::from_array_view(([SIZE, SIZE], numbers.as_slice()));
            let input = input.expect("the numbers have the shape");
            session
                .run(ort::inputs![INPUT => input])
                .expect("a product can be computed");
        }
    });
    Ok(torch.max(onnx) * 2.0 * (SIZE as f64).powi(3))
}

fn onnx_rate(
    network: &Network,
    samples: &[Sample],
    threads: usize,
    time: Duration,
) -> Result<f64, NetworkError> {
    // Errors are returned before the threads start.
    network.evaluator::<ToriPosition>(samples.len())?;
    let per_second = rate(threads, time, || {
        let mut evaluator = network
            .evaluator::<ToriPosition>(samples.len())
            .expect("an evaluator was opened before");
        let mut evaluations = Evaluations::default();
        move || {
            for sample in samples {
                evaluator.push(&sample.game, &sample.legal);
            }
            evaluator
                .run(&mut evaluations)
                .expect("a fresh network gives finite evaluations");
        }
    });
    Ok(per_second * samples.len() as f64)
}

fn torch_rate(
    trainer: &Trainer<ToriPosition>,
    samples: &[Sample],
    threads: usize,
    time: Duration,
) -> f64 {
    let encoding = Encoding::of::<ToriPosition>();
    let length = encoding.input_len();
    let mut planes = vec![0.0; samples.len() * length];
    for (sample, planes) in samples.iter().zip(planes.chunks_mut(length)) {
        encode(&sample.game, View::of(sample.game.position()), planes);
    }
    let networks: Vec<_> = (0..threads)
        .map(|_| {
            trainer
                .averaged()
                .folded()
                .expect("the network is convolutional")
        })
        .collect();
    let networks = std::sync::Mutex::new(networks);
    let per_second = rate(threads, time, || {
        let network = networks.lock().expect("nothing panics").pop();
        let network = network.expect("there is a network for each thread");
        let sizes = network.sizes;
        let shape = [-1, sizes.planes, sizes.ranks, sizes.files];
        let planes = Tensor::from_slice(&planes).view(shape);
        move || {
            network.forward(&planes);
        }
    });
    per_second * samples.len() as f64
}

fn training_rate(trainer: &mut Trainer<ToriPosition>, samples: &[Sample], time: Duration) -> f64 {
    let mut batch = Batch::new(NetworkKind::Conv);
    let mut step = || {
        let started = Instant::now();
        batch.clear();
        for sample in samples {
            let targets = targets(sample);
            batch.push(&sample.game, &sample.legal, &targets, false);
        }
        trainer.step(&batch, 1e-3);
        samples.len() as f64 / started.elapsed().as_secs_f64()
    };
    step();
    let started = Instant::now();
    let mut best = 0.0_f64;
    while best == 0.0 || started.elapsed() < time {
        best = best.max(step());
    }
    best
}

fn targets(sample: &Sample) -> Targets<'_> {
    Targets {
        policy: &sample.policy,
        opponent_policy: Some((&sample.legal, &sample.policy)),
        wdl: Wdl {
            win: 0.4,
            draw: 0.2,
            loss: 0.4,
        },
        short_term_value: [0.0; 2],
        moves_left: Some(40.0),
        policy_weight: 1.0,
        value_weight: 1.0,
    }
}

/// Trains a sparse network on random positions of a small window, on all cores.
fn sparse_training(time: Duration) -> SparseTrainingStats {
    let positions = samples(8 * SPARSE_TRAINING_BATCH);
    let layout = FeatureLayout::of::<ToriPosition>();
    let mut window = GameSamples::default();
    let started = Instant::now();
    for sample in &positions {
        window.push(&layout, &sample.game, &sample.legal, &targets(sample));
    }
    let making = started.elapsed().as_secs_f64() / positions.len() as f64;
    window.shrink();
    let shape = SparseShape::new(256, 32).expect("256 and 32 are valid sizes");
    let mut trainer = Trainer::<ToriPosition>::new(shape, TrainParams::default(), 1);
    let mut batch = Batch::new(NetworkKind::Sparse);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut step = || {
        let started = Instant::now();
        batch.clear();
        for _ in 0..SPARSE_TRAINING_BATCH {
            let index = rng.random_range(..window.len());
            batch.push_stored(&window, index, rng.random_bool(0.5));
        }
        let filled = started.elapsed().as_secs_f64();
        trainer.step(&batch, 1e-3);
        (filled, started.elapsed().as_secs_f64())
    };
    step();
    let started = Instant::now();
    let (mut steps, mut filled, mut seconds) = (0.0, 0.0, 0.0);
    while steps < 1.0 || started.elapsed() < time {
        let step = step();
        steps += 1.0;
        filled += step.0;
        seconds += step.1;
    }
    let (filled, seconds) = (filled / steps, seconds / steps);
    let making = making * SPARSE_TRAINING_BATCH as f64 / SAMPLES_PER_POSITION;
    SparseTrainingStats {
        samples_per_s: SPARSE_TRAINING_BATCH as f64 / (seconds + making),
        sample_share: (filled + making) / (seconds + making),
        bytes_per_position: window.bytes() as f64 / window.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_measured() {
        let stats = measure(Duration::from_millis(20)).unwrap();
        let rates = [&stats.onnx, &stats.torch];
        let rates = rates
            .into_iter()
            .flat_map(|rates| [rates.one_core, rates.all_cores]);
        assert!(rates.flatten().all(|rate| rate > 1.0), "{stats:?}");
        assert!(stats.train_samples_per_s > 1.0 && stats.training_share() > 0.0);
        let sparse = stats.sparse_training;
        assert!(sparse.samples_per_s > 1.0 && (0.0..1.0).contains(&sparse.sample_share));
        assert!((100.0..1000.0).contains(&sparse.bytes_per_position));
        assert!(stats.gflops_per_core(&stats.onnx) > 0.1);
        // 8 convolutions of 64 channels on 49 squares, and a little more.
        let tower = 8.0 * 2.0 * 9.0 * 64.0 * 64.0 * 49.0;
        assert!(
            (1.0..1.15).contains(&(stats.flops_per_eval / tower)),
            "{stats:?}"
        );
    }
}
