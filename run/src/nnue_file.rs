//! Files of networks for Fairy-Stockfish: their names, and those that are part of the program.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use garuda_model::nnue::{NnueLayout, NnueNetwork};
use garuda_rules::{RuleSet, with_rule_set};

use crate::files::write_atomically;

/// The networks of nets/nnue, packed by zstd: see nets/README.md.
const SHIPPED: &[(RuleSet, &[u8])] = &[(
    RuleSet::ToriShogi,
    include_bytes!("../../nets/nnue/torishogi.nnue.zst"),
)];

/// No file of this format is larger.
const MAX_BYTES: usize = 64 << 20;

/// The contents of the file that is shipped for a rule set, if there is one.
pub fn shipped_nnue(rule_set: RuleSet) -> Option<anyhow::Result<Vec<u8>>> {
    let (_, packed) = SHIPPED.iter().find(|(other, _)| *other == rule_set)?;
    Some(unpack(rule_set, packed))
}

fn unpack(rule_set: RuleSet, packed: &[u8]) -> anyhow::Result<Vec<u8>> {
    let bytes = zstd::bulk::decompress(packed, MAX_BYTES)
        .with_context(|| format!("the shipped network for {rule_set} does not unpack"))?;
    let layout = with_rule_set!(rule_set, P => NnueLayout::of::<P>())?;
    NnueNetwork::from_bytes(&layout, &bytes)
        .with_context(|| format!("the shipped network for {rule_set} does not read back"))?;
    Ok(bytes)
}

/// Refuses a name that would make the engine ignore the network: it takes a file for a network of the
/// variant that its name begins with, and says nothing when it does not.
pub fn check_nnue_name(variant: &str, out: &Path) -> anyhow::Result<()> {
    if out.is_dir() {
        return Ok(());
    }
    let name = out
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let fits = name.is_some_and(|name| name.starts_with(variant));
    ensure!(
        fits,
        "the name of {} must begin with {variant:?}, or Fairy-Stockfish would not use it",
        out.display(),
    );
    Ok(())
}

/// Writes a network to a file, or into a directory as `<variant>-<12 hex>.nnue`. Returns the file.
pub fn write_nnue(variant: &str, bytes: &[u8], out: &Path) -> anyhow::Result<PathBuf> {
    check_nnue_name(variant, out)?;
    let hash = blake3::hash(bytes).to_hex();
    let file = match out.is_dir() {
        true => out.join(format!("{variant}-{}.nnue", &hash[..12])),
        false => out.to_owned(),
    };
    write_atomically(&file, bytes)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use garuda_model::nnue::NnuePosition;
    use garuda_rules::Position;

    use super::*;

    /// Less than a pawn at the start.
    #[test]
    fn shipped_networks_evaluate_their_games() {
        for (rule_set, _) in SHIPPED {
            let bytes = shipped_nnue(*rule_set).unwrap().unwrap();
            with_rule_set!(*rule_set, P => {
                let layout = NnueLayout::of::<P>().unwrap();
                let network = NnueNetwork::from_bytes(&layout, &bytes).unwrap();
                let start = NnuePosition::of(&layout, &P::start()).unwrap();
                let internal = network.evaluate(&layout, &start).internal();
                assert!(internal.abs() < 208, "{rule_set}: {internal}");
            });
        }
    }

    #[test]
    fn a_name_that_the_engine_ignores_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let error = write_nnue("makruk", b"x", &dir.path().join("mak.nnue")).unwrap_err();
        assert!(error.to_string().contains("must begin with \"makruk\""));
        assert_eq!(dir.path().read_dir().unwrap().count(), 0);
        let file = write_nnue("makruk", b"x", dir.path()).unwrap();
        assert_eq!(
            file.file_name().unwrap().len(),
            "makruk-0123456789ab.nnue".len()
        );
    }
}
