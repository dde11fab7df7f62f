use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// Maximum of the option `Hash` where the size of the memory is unknown.
const DEFAULT_MAX_HASH_MIB: usize = 1 << 16;
/// `Hash` can have the default value on any machine.
const MIN_MAX_HASH_MIB: usize = 256;
/// Upper bound of any machine.
const MAX_HASH_MIB: usize = 1 << 20;

/// Maximum of the option `Hash` in MiB: three quarters of the memory of the machine, or of the
/// container the engine runs in.
pub(crate) fn max_hash_mib() -> usize {
    static MAX: OnceLock<usize> = OnceLock::new();
    *MAX.get_or_init(|| {
        let read = |path: &str| fs::read_to_string(Path::new(path)).ok();
        let total = read("/proc/meminfo").and_then(|text| parse_meminfo(&text));
        let container = read("/sys/fs/cgroup/memory.max").and_then(|text| parse_cgroup(&text));
        max_hash_of(total.into_iter().chain(container).min())
    })
}

/// `bytes` is the size of the memory, if known.
fn max_hash_of(bytes: Option<u64>) -> usize {
    let mib = bytes.map(|bytes| usize::try_from(bytes >> 20).unwrap_or(usize::MAX) / 4 * 3);
    mib.unwrap_or(DEFAULT_MAX_HASH_MIB)
        .clamp(MIN_MAX_HASH_MIB, MAX_HASH_MIB)
}

/// `MemTotal` of Linux's `/proc/meminfo` in bytes.
fn parse_meminfo(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The limit of a Linux control group in bytes; `None` for `max`.
fn parse_cgroup(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_follows_the_memory() {
        let meminfo = "MemTotal:       24681472 kB\nMemFree:        16160768 kB\n";
        let total = parse_meminfo(meminfo);
        assert_eq!(total, Some(24_681_472 * 1024));
        assert_eq!(max_hash_of(total), 18_075);
        assert_eq!(max_hash_of(parse_cgroup("2147483648\n")), 1536);
        assert_eq!(max_hash_of(None), DEFAULT_MAX_HASH_MIB);
        assert_eq!(max_hash_of(Some(0)), 256);
        assert_eq!(max_hash_of(Some(u64::MAX)), MAX_HASH_MIB);
        for text in [
            "",
            "max",
            "MemTotal: kB",
            "MemTotal: 99999999999999999999 kB",
        ] {
            assert_eq!((parse_meminfo(text), parse_cgroup(text)), (None, None));
        }
    }
}
