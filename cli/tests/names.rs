//! Runs with names that a terminal or a shell would take for something else.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

#[test]
fn commands_that_are_suggested_can_be_pasted() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(
        scratch.path().join("tiny.toml"),
        include_str!("../../selfplay/tests/tiny.toml"),
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
