use std::fmt;

use garuda_rules::Color;

use super::layout::NnueLayout;
use super::network::{
    HIDDEN_1, HIDDEN_2, NnueEvaluation, NnueNetwork, NnueStack, PADDED_1, STACKS, WIDTH,
    activation, dot, layer,
};
use super::position::NnuePosition;

/// How finely rows tell the squares of the own king apart, after mirroring it to the left half.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum KingBuckets {
    /// Not at all.
    One,
    /// By rank: the first, the second, the next two, the rest.
    Four,
    /// By rank as above, and the outer two files apart from the others.
    Eight,
    /// Every square by itself.
    Every,
}

impl KingBuckets {
    /// All of them, coarsest first.
    pub const ALL: [KingBuckets; 4] = [
        KingBuckets::One,
        KingBuckets::Four,
        KingBuckets::Eight,
        KingBuckets::Every,
    ];

    /// Number of buckets on a board.
    pub fn count(self, layout: &NnueLayout) -> usize {
        match self {
            KingBuckets::One => 1,
            KingBuckets::Four => 4,
            KingBuckets::Eight => 8,
            KingBuckets::Every => left_files(layout) * usize::from(layout.board().ranks),
        }
    }

    /// The bucket of a king on a file of the left half.
    fn of(self, layout: &NnueLayout, file: usize, rank: usize) -> usize {
        let by_rank = match rank {
            0 | 1 => rank,
            2 | 3 => 2,
            _ => 3,
        };
        match self {
            KingBuckets::One => 0,
            KingBuckets::Four => by_rank,
            KingBuckets::Eight => 2 * by_rank + usize::from(file >= 2),
            KingBuckets::Every => rank * left_files(layout) + file,
        }
    }
}

impl fmt::Display for KingBuckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KingBuckets::One => "1",
            KingBuckets::Four => "4",
            KingBuckets::Eight => "8",
            KingBuckets::Every => "every",
        })
    }
}

/// Files of the left half, a middle one included.
fn left_files(layout: &NnueLayout) -> usize {
    usize::from(layout.board().files).div_ceil(2)
}

/// Which of the engine's features share a row. What differs only by left and right shares one, and so
/// do king squares of a bucket; the own and the enemy king, which the engine keeps in one plane, are
/// told apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompactLayout {
    layout: NnueLayout,
    king_buckets: KingBuckets,
    /// The row of each of the engine's features.
    rows: Vec<u32>,
}

impl CompactLayout {
    pub fn new(layout: NnueLayout, king_buckets: KingBuckets) -> CompactLayout {
        let rows = (0..layout.features())
            .map(|feature| row_of(&layout, king_buckets, feature) as u32)
            .collect();
        CompactLayout {
            layout,
            king_buckets,
            rows,
        }
    }

    pub fn layout(&self) -> &NnueLayout {
        &self.layout
    }

    pub fn king_buckets(&self) -> KingBuckets {
        self.king_buckets
    }

    /// Rows per king bucket.
    pub fn classes(&self) -> usize {
        classes(&self.layout)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.king_buckets.count(&self.layout) * self.classes()
    }

    /// The row of one of the engine's features.
    pub fn row(&self, feature: u32) -> u32 {
        self.rows[feature as usize]
    }

    /// Replaces `out` by the rows that a side sees.
    pub fn fill(&self, position: &NnuePosition, perspective: Color, out: &mut Vec<u32>) {
        self.layout.fill(position, perspective, out);
        for feature in out {
            *feature = self.row(*feature);
        }
    }

    /// The value of a row's piece to start training from, in the engine's units: positive for the
    /// own side's.
    pub fn piece_value(&self, row: usize) -> i32 {
        let (layout, class) = (&self.layout, row % self.classes());
        let on_board = 2 * layout.types() * layout.squares();
        let plane = match class.checked_sub(on_board) {
            None => class / layout.squares(),
            Some(slot) => slot / layout.hand_slots(),
        };
        let value = layout.piece_values().get(plane / 2).copied().unwrap_or(0);
        if plane % 2 == 0 { value } else { -value }
    }
}

fn classes(layout: &NnueLayout) -> usize {
    let types = layout.types();
    2 * types * layout.squares() + 2 * (types - 1) * layout.hand_slots()
}

/// A feature's bucket and class, by taking its number apart as [`NnueLayout::fill`] puts it together.
fn row_of(layout: &NnueLayout, king_buckets: KingBuckets, feature: usize) -> usize {
    let (squares, types) = (layout.squares(), layout.types());
    let files = usize::from(layout.board().files);
    let (king, index) = (
        feature / layout.features_per_king(),
        feature % layout.features_per_king(),
    );
    let (file, rank) = (king % files, king / files);
    let is_mirrored = file >= left_files(layout);
    let file = if is_mirrored { files - 1 - file } else { file };
    let image = |place: usize| match is_mirrored {
        true => layout.mirror_type(place),
        false => place,
    };
    let king_plane = 2 * (types - 1);
    let class = if index < (2 * types - 1) * squares {
        let (plane, square) = (index / squares, index % squares);
        let plane = match plane == king_plane {
            true => king_plane + usize::from(square != king),
            false => 2 * image(plane / 2) + plane % 2,
        };
        let (at, rank) = (square % files, square / files);
        let at = if is_mirrored { files - 1 - at } else { at };
        plane * squares + rank * files + at
    } else {
        let index = index - (2 * types - 1) * squares;
        let (plane, slot) = (index / layout.hand_slots(), index % layout.hand_slots());
        let plane = 2 * image(plane / 2) + plane % 2;
        2 * types * squares + plane * layout.hand_slots() + slot
    };
    king_buckets.of(layout, file, rank) * classes(layout) + class
}

/// A trained and quantised network whose rows are shared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompactNetwork {
    pub layout: CompactLayout,
    /// Columns per side, at most 512.
    pub width: usize,
    /// \[width\]
    pub bias: Vec<i16>,
    /// \[rows\]\[width\]
    pub rows: Vec<i16>,
    /// \[rows\]\[stacks\]
    pub psqt: Vec<i32>,
    /// One for all numbers of pieces, or 8.
    pub stacks: Vec<NnueStack>,
}

impl CompactNetwork {
    /// The stack for one of the engine's 8 buckets.
    fn stack(&self, bucket: usize) -> usize {
        match self.stacks.len() {
            1 => 0,
            _ => bucket,
        }
    }

    /// The evaluation from the shared rows, which [`expand`](Self::expand) must not change.
    pub fn evaluate(&self, position: &NnuePosition) -> NnueEvaluation {
        let number = self.stack(position.bucket());
        let stack = &self.stacks[number];
        let mut active = Vec::new();
        let mut input = Vec::with_capacity(2 * self.width);
        let mut psqt = [0; 2];
        for (side, perspective) in [position.turn(), !position.turn()].into_iter().enumerate() {
            self.layout.fill(position, perspective, &mut active);
            for column in 0..self.width {
                let weights = (active.iter())
                    .map(|&row| i32::from(self.rows[row as usize * self.width + column]));
                let sum = i32::from(self.bias[column]) + weights.sum::<i32>();
                input.push(activation(sum));
            }
            psqt[side] = (active.iter())
                .map(|&row| self.psqt[row as usize * self.stacks.len() + number])
                .sum::<i32>();
        }
        let hidden_1 = layer(&stack.bias_1, &stack.weights_1, &input, 2 * self.width);
        let hidden_2 = layer(&stack.bias_2, &stack.weights_2, &hidden_1, HIDDEN_1);
        NnueEvaluation {
            psqt: (psqt[0] - psqt[1]) / 2,
            positional: stack.bias_3 + dot(&stack.weights_3, &hidden_2),
        }
    }

    /// The network with a row for each of the engine's features. Missing columns are zero.
    pub fn expand(&self, description: String) -> NnueNetwork {
        let features = self.layout.layout().features();
        let mut bias = vec![0; WIDTH];
        bias[..self.width].copy_from_slice(&self.bias);
        let mut rows = vec![0; features * WIDTH];
        let mut psqt = Vec::with_capacity(features * STACKS);
        for (feature, out) in rows.chunks_exact_mut(WIDTH).enumerate() {
            let row = self.layout.row(feature as u32) as usize;
            out[..self.width].copy_from_slice(&self.rows[row * self.width..][..self.width]);
            let values = &self.psqt[row * self.stacks.len()..][..self.stacks.len()];
            psqt.extend((0..STACKS).map(|bucket| values[self.stack(bucket)]));
        }
        NnueNetwork {
            description,
            bias,
            rows,
            psqt,
            stacks: (0..STACKS)
                .map(|bucket| self.expand_stack(&self.stacks[self.stack(bucket)]))
                .collect(),
        }
    }

    fn expand_stack(&self, stack: &NnueStack) -> NnueStack {
        let mut weights_1 = vec![0; HIDDEN_1 * 2 * WIDTH];
        for (to, from) in weights_1
            .chunks_exact_mut(WIDTH)
            .zip(stack.weights_1.chunks_exact(self.width))
        {
            to[..self.width].copy_from_slice(from);
        }
        let mut weights_2 = vec![0; HIDDEN_2 * PADDED_1];
        for (to, from) in weights_2
            .chunks_exact_mut(PADDED_1)
            .zip(stack.weights_2.chunks_exact(HIDDEN_1))
        {
            to[..HIDDEN_1].copy_from_slice(from);
        }
        NnueStack {
            bias_1: stack.bias_1.clone(),
            weights_1,
            bias_2: stack.bias_2.clone(),
            weights_2,
            bias_3: stack.bias_3,
            weights_3: stack.weights_3.clone(),
        }
    }
}
