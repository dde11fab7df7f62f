//! Random numbers for Zobrist keys, fixed at compile time.

/// The `n`-th number of stream `stream` (SplitMix64): a different stream for every purpose.
pub(crate) const fn number(stream: u64, n: u64) -> u64 {
    let mut z = (stream << 32)
        .wrapping_add(n + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// `N` numbers of a stream.
pub(crate) const fn numbers<const N: usize>(stream: u64) -> [u64; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        out[i] = number(stream, i as u64);
        i += 1;
    }
    out
}
