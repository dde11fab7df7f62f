//! What a build of the program has and lacks.

use std::fmt::Write;

/// The features, whether this build has them, and what they are for.
const FEATURES: [(&str, bool, &str); 4] = [
    (
        "torch",
        cfg!(feature = "torch"),
        "training, TorchScript, networks for Fairy-Stockfish, the speed of libtorch",
    ),
    (
        "fleet",
        cfg!(feature = "fleet"),
        "worker, fleet, train --listen",
    ),
    ("serve", cfg!(feature = "serve"), "serve, export-games"),
    (
        "parquet",
        cfg!(feature = "parquet"),
        "export-games --format parquet",
    ),
];

/// What this build cannot do, below the program's help.
pub(crate) fn build_note() -> String {
    let mut note = String::new();
    for (name, _, use_) in FEATURES.iter().filter(|(_, is_there, _)| !is_there) {
        let _ = write!(note, "\n  {name:<8} {use_}");
    }
    if !note.is_empty() {
        note = format!(
            "\
This is a light build, which lacks{note}
scripts/garuda adds what a command needs, and fetches libtorch (550 MB) when one needs it; or build
everything, with LIBTORCH set to a folder with include/ and lib/:
  cargo build --release --package garuda"
        );
    }
    note
}

/// That this build lacks a feature which something needs.
pub fn lacks(what: &str, feature: &str) -> anyhow::Error {
    debug_assert!(
        FEATURES
            .iter()
            .any(|&(name, is_there, _)| name == feature && !is_there)
    );
    anyhow::anyhow!(
        "{what} needs the feature {feature}, which this build does not have. Use scripts/garuda, which adds it, or build everything: cargo build --release --package garuda"
    )
}
