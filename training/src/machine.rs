use std::thread::available_parallelism;

use garuda_run::config::{MachineSettings, PhaseOrder};

/// Number of cores from which playing and training at the same time keeps more of them busy than
/// taking turns: a training step does not spread over many.
const CORES_TO_SPARE: usize = 8;
/// One core in this number trains while the others play: a new position costs about 24 to 64
/// evaluations to make, and a few training samples, of three evaluations each, to train on.
const CORES_A_LEARNER: usize = 4;

/// How the cores are used.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Machine {
    /// Whether games are played while the next checkpoint is trained.
    pub(super) overlap: bool,
    /// Shards of self-play.
    pub(super) shards: usize,
    /// Threads of training.
    pub(super) threads: usize,
    /// Threads of what has the machine to itself.
    pub(super) cores: usize,
}

impl Machine {
    pub(super) fn here(settings: &MachineSettings) -> Machine {
        Machine::with_cores(settings, available_parallelism().map_or(1, usize::from))
    }

    fn with_cores(settings: &MachineSettings, cores: usize) -> Machine {
        let overlap = match settings.phases {
            PhaseOrder::Overlap => true,
            PhaseOrder::Alternate => false,
            PhaseOrder::Auto => cores >= CORES_TO_SPARE,
        };
        let or = |n: u32, otherwise: usize| if n == 0 { otherwise } else { n as usize };
        let (shards, threads) = if overlap {
            let threads = or(settings.threads, (cores / CORES_A_LEARNER).max(1));
            let rest = cores.saturating_sub(threads).max(1);
            (or(settings.shards, rest), threads)
        } else {
            (or(settings.shards, cores), or(settings.threads, cores))
        };
        Machine {
            overlap,
            shards,
            threads,
            cores: or(settings.shards, cores),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_shared_out() {
        use PhaseOrder::{Alternate, Auto, Overlap};
        // Phases, shards, threads as asked for; cores; overlap, shards, threads as given.
        for (phases, shards, threads, cores, expected) in [
            (Auto, 0, 0, 1, (false, 1, 1)),
            (Auto, 0, 0, 2, (false, 2, 2)),
            (Auto, 0, 0, 16, (true, 12, 4)),
            (Auto, 3, 0, 16, (true, 3, 4)),
            (Auto, 0, 8, 16, (true, 8, 8)),
            (Alternate, 0, 0, 16, (false, 16, 16)),
            (Overlap, 0, 0, 1, (true, 1, 1)),
            (Overlap, 0, 0, 2, (true, 1, 1)),
            (Overlap, 0, 64, 16, (true, 1, 64)),
        ] {
            let settings = MachineSettings {
                phases,
                shards,
                threads,
            };
            let machine = Machine::with_cores(&settings, cores);
            let given = (machine.overlap, machine.shards, machine.threads);
            assert_eq!(given, expected, "{phases:?} {shards} {threads} on {cores}");
        }
    }
}
