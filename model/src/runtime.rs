use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ort::environment::Environment;
use thiserror::Error;

/// The variable that names ONNX Runtime's library file.
const VARIABLE: &str = "ORT_DYLIB_PATH";

/// Why ONNX Runtime cannot be used.
#[derive(Clone, Debug, Error)]
pub enum RuntimeError {
    #[error(
        "ONNX Runtime's library is not there; looked for {}. \
         Run a command through scripts/garuda once, which fetches it, or set {VARIABLE} to the file",
        list(.0)
    )]
    Missing(Vec<PathBuf>),
    #[error("ONNX Runtime's library {path} cannot be used: {what}", path = .path.display())]
    Unusable { path: PathBuf, what: String },
}

/// ONNX Runtime, loaded when it is first asked for. There is one in a process.
pub(crate) fn environment() -> Result<&'static Environment, RuntimeError> {
    static ENVIRONMENT: OnceLock<Result<Environment, RuntimeError>> = OnceLock::new();
    ENVIRONMENT
        .get_or_init(|| {
            let path = find(&candidates())?;
            load(&path).map_err(|what| RuntimeError::Unusable { path, what })
        })
        .as_ref()
        .map_err(Clone::clone)
}

fn load(path: &Path) -> Result<Environment, String> {
    ort::init_from(path)
        .map_err(|error| error.to_string())?
        .with_name("garuda")
        .with_telemetry(false)
        .build()
        .map_err(|error| error.to_string())
}

/// Paths of the library, the first existing one is used: only the one that the variable names, if
/// it is set; else beside the program, and where it was when the program was built.
fn candidates() -> Vec<PathBuf> {
    if let Some(path) = env::var_os(VARIABLE) {
        return vec![path.into()];
    }
    let name = format!(
        "{}onnxruntime{}",
        env::consts::DLL_PREFIX,
        env::consts::DLL_SUFFIX
    );
    let beside = env::current_exe()
        .ok()
        .and_then(|program| Some(program.parent()?.join(name)));
    let built_with = option_env!("ORT_DYLIB_PATH").map(PathBuf::from);
    beside.into_iter().chain(built_with).collect()
}

fn find(candidates: &[PathBuf]) -> Result<PathBuf, RuntimeError> {
    candidates
        .iter()
        .find(|path| path.is_file())
        .cloned()
        .ok_or_else(|| RuntimeError::Missing(candidates.to_vec()))
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_an_error_that_says_what_to_do() {
        let error = find(&["nowhere/a.so".into(), "nowhere/b.so".into()]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("nowhere/a.so and nowhere/b.so"), "{text}");
        assert!(
            text.contains("scripts/garuda") && text.contains(VARIABLE),
            "{text}"
        );
    }
}
