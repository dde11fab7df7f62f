use garuda_model::nnue::{CompactLayout, NnuePosition};
use tch::Tensor;

/// Positions to train on, as the rows that each side sees. About 120 bytes a position.
#[derive(Debug)]
pub struct NnueSet {
    layout: CompactLayout,
    /// Of all positions: the rows of the side to move, then those of the other.
    rows: Vec<u16>,
    /// Where the rows of each position and side start: two per position, and the end.
    starts: Vec<u32>,
    buckets: Vec<u8>,
    targets: Vec<f32>,
    weights: Vec<f32>,
    scratch: Vec<u32>,
}

/// A batch as tensors.
#[derive(Debug)]
pub(super) struct NnueBatch {
    /// Active rows of all positions of a side, and where each position's begin: the side to move's,
    /// then the other's. `[active]`, `[batch]`
    pub(super) sides: [(Tensor, Tensor); 2],
    /// The stack of each position. `[batch]`
    pub(super) stacks: Tensor,
    /// `[batch]`
    pub(super) targets: Tensor,
    pub(super) weights: Tensor,
}

impl NnueSet {
    pub fn new(layout: &CompactLayout) -> NnueSet {
        assert!(layout.rows() <= usize::from(u16::MAX) + 1);
        NnueSet {
            layout: layout.clone(),
            rows: Vec::new(),
            starts: vec![0],
            buckets: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Adds a position with the expected score to train towards, from 0 to 1, and its weight.
    pub fn push(&mut self, position: &NnuePosition, target: f32, weight: f32) {
        for perspective in [position.turn(), !position.turn()] {
            (self.layout).fill(position, perspective, &mut self.scratch);
            self.rows.extend(self.scratch.iter().map(|&row| row as u16));
            let end = u32::try_from(self.rows.len());
            self.starts
                .push(end.expect("fewer than 70 million positions"));
        }
        self.buckets.push(position.bucket() as u8);
        self.targets.push(target);
        self.weights.push(weight);
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    pub fn layout(&self) -> &CompactLayout {
        &self.layout
    }

    /// The positions with these numbers; a network with one stack has all in stack 0.
    pub(super) fn batch(&self, numbers: &[u32], stacks: usize) -> NnueBatch {
        let sides = [0, 1].map(|side| {
            let mut rows = Vec::with_capacity(numbers.len() * 32);
            let mut offsets = Vec::with_capacity(numbers.len());
            for &number in numbers {
                let place = 2 * number as usize + side;
                let (from, to) = (self.starts[place] as usize, self.starts[place + 1] as usize);
                offsets.push(rows.len() as i32);
                rows.extend(self.rows[from..to].iter().map(|&row| i32::from(row)));
            }
            (Tensor::from_slice(&rows), Tensor::from_slice(&offsets))
        });
        let take = |values: &[f32]| -> Tensor {
            let taken: Vec<f32> = numbers.iter().map(|&n| values[n as usize]).collect();
            Tensor::from_slice(&taken)
        };
        let stack = |&number: &u32| match stacks {
            1 => 0,
            _ => i64::from(self.buckets[number as usize]),
        };
        let stacks: Vec<i64> = numbers.iter().map(stack).collect();
        NnueBatch {
            sides,
            stacks: Tensor::from_slice(&stacks),
            targets: take(&self.targets),
            weights: take(&self.weights),
        }
    }
}
