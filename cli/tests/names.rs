//! Runs with names that a terminal or a shell would take for something else.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use garuda_run::RunDir;
use garuda_run::config::Config;

#[test]
fn commands_that_are_suggested_can_be_pasted() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(
        scratch.path().join("tiny.toml"),
        include_str!("../../training/tests/tiny.toml"),
    )
    .unwrap();
    for name in [b"it's a run".as_slice(), b"-x\n\x1b[31m$(touch trace)\xff"] {
        let run = scratch.path().join(OsStr::from_bytes(name));
        let output = Command::new(env!("CARGO_BIN_EXE_garuda"))
            .args(["train", "tiny.toml", "--games=1", "--run"])
            .arg(&run)
            .current_dir(scratch.path())
            .stdin(Stdio::null())
            .env_remove("GARUDA_PROGRAM")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        let (_, next) = text.split_once("Next:\n").unwrap();
        let commands: Vec<_> = next
            .lines()
            .map(|line| line.trim_start().split("   ").next().unwrap())
            .collect();
        assert_eq!(commands.len(), 4, "{text}");
        let ladder = commands.iter().find(|c| c.contains(" ladder ")).unwrap();
        let output = Command::new("bash")
            .args(["-c", ladder])
            .current_dir(scratch.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{ladder}: {errors}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("no matches yet"));
        assert!(!scratch.path().join("trace").exists());
    }
}

#[test]
fn a_line_break_in_a_name_does_not_break_a_message() {
    let scratch = tempfile::tempdir().unwrap();
    let stderr = |command: &str, run: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_garuda"))
            .args([command, run])
            .current_dir(scratch.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    // As an error, and as a warning in the log.
    assert_eq!(
        stderr("status", "no\nrun"),
        "garuda: no\\nrun is not a run: it has no config.toml\n"
    );
    let run = "a\nrun";
    let config = Config::parse("tiny", include_str!("../../training/tests/tiny.toml"), &[]);
    drop(RunDir::open_or_create(&scratch.path().join(run), &config.unwrap()).unwrap());
    fs::write(scratch.path().join(run).join("ladder.json"), "{").unwrap();
    let warning = stderr("ladder", run);
    assert_eq!(warning.lines().count(), 1, "{warning}");
    assert!(
        warning.contains("a\\nrun/ladder.json is damaged"),
        "{warning}"
    );
    // A configuration's problems have a line each, but not its name.
    let file = scratch.path().join(run).join("config.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("seed", "sead")).unwrap();
    let problems = stderr("status", run);
    assert!(
        problems.starts_with("garuda: a\\nrun/config.toml: 2 problems\n  - "),
        "{problems}"
    );
    assert_eq!(problems.lines().count(), 3, "{problems}");
}
