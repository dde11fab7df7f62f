"""scripts/garuda and the counting of scripts/test, in a small checkout with a pretended cargo."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
TOOLS = ["bash", "env", "dirname", "readlink", "mkdir", "mv", "sed", "awk", "tee", "cat", "chmod", "uname"]

# Notes that it was called, and "builds" a program that tells its arguments and folder.
CARGO = """#!/usr/bin/env bash
[[ $1 == --version ]] && { echo "cargo $VERSION (0123456 2026-01-01)"; exit; }
echo "$*" >>"$ROOT/calls"
[[ $1 == build ]] || exit 0
printf '#!/usr/bin/env bash\\nprintf "[%%s]" "$@"; pwd -P\\n' >"$ROOT/target/release/garuda"
chmod +x "$ROOT/target/release/garuda"
escaped=${ROOT// /\\\\ } # as cargo does it
echo "$escaped/target/release/garuda: $escaped/rules/a\\\\ b.rs" >"$ROOT/target/release/garuda.d"
"""


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve() / "a checkout"
        self.bin = Path(folder.name) / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            self.tool(tool, shutil.which(tool))
        for tool in ("cc", "c++"):
            self.tool(tool, "/bin/true")
        (self.bin / "cargo").write_text(CARGO)
        (self.bin / "cargo").chmod(0o755)
        shutil.copytree(SCRIPTS, self.root / "scripts")
        for name in ("rules", ".cargo", "native/libtorch", "native/onnxruntime"):
            (self.root / name).mkdir(parents=True)
        for name in ("Cargo.lock", ".cargo/config.toml", "rules/Cargo.toml", "rules/a b.rs"):
            (self.root / name).touch()
        (self.root / "Cargo.toml").write_text('rust-version = "1.95"\n')
        for name in ("libtorch", "onnxruntime"):
            (self.root / "native" / name / "stamp").touch()
        self.environment = {"PATH": str(self.bin), "ROOT": str(self.root), "VERSION": "1.95.0"}

    def tool(self, name, target):
        (self.bin / name).symlink_to(target)

    def run_script(self, name, *arguments, folder="/", **environment):
        return subprocess.run([self.root / "scripts" / name, *arguments], capture_output=True, text=True,
                              cwd=folder, env={**self.environment, **environment})

    def calls(self):
        calls = self.root / "calls"
        return calls.read_text().splitlines() if calls.exists() else []

    def assert_fails(self, done, *words):
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def age(self, path, seconds):
        path.touch()
        time = path.stat().st_mtime + seconds
        os.utime(path, (time, time))

    def test_arguments_and_folder_are_the_users(self):
        done = self.run_script("garuda", "a b", "", "*", folder=self.bin)
        self.assertEqual(done.stdout, f"[a b][][*]{self.bin.resolve()}\n", done.stderr)

    def test_works_through_a_link(self):
        (self.bin / "garuda").symlink_to(self.root / "scripts/garuda")
        done = subprocess.run([self.bin / "garuda", "x"], capture_output=True, text=True, cwd="/",
                              env=self.environment)
        self.assertEqual(done.stdout, "[x]/\n", done.stderr)

    def test_builds_only_what_changed_and_is_silent_otherwise(self):
        for _ in range(2):
            self.assertEqual(self.run_script("garuda").stderr, "")
            self.assertEqual(len(self.calls()), 1)
        builds = 1
        for changed in ("rules/a b.rs", "Cargo.toml", "rules/Cargo.toml", "Cargo.lock", ".cargo/config.toml"):
            self.age(self.root / changed, 10)
            self.run_script("garuda")
            builds += 1
            self.assertEqual(len(self.calls()), builds, changed)
            self.age(self.root / changed, -10)
        self.run_script("garuda", RUSTFLAGS="-O")
        self.assertEqual(len(self.calls()), builds + 1, "the settings changed")
        (self.root / "rules/a b.rs").unlink()
        self.run_script("garuda", RUSTFLAGS="-O")
        self.assertEqual(len(self.calls()), builds + 2, "a source is gone")

    def test_what_is_missing_is_said_with_its_cure(self):
        self.assert_fails(self.run_script("garuda", VERSION="1.84.1"), "1.84.1 is too old", "rustup update")
        for tool in ("cc", "c++"):
            (self.bin / tool).unlink()
            self.assert_fails(self.run_script("garuda"), "no C++ compiler", "apt install g++")
            self.tool(tool, "/bin/true")
        self.assert_fails(self.run_script("garuda", CXX="no-such-compiler"), "no C++ compiler")
        (self.bin / "cargo").unlink()
        self.assert_fails(self.run_script("garuda"), "cargo is not installed", "1.95", "rustup")
        self.tool("cargo", "/bin/false")
        self.assert_fails(self.run_script("garuda"), "cargo does not work", "rustup")
        (self.root / "native/libtorch/stamp").unlink()
        self.assert_fails(self.run_script("garuda"), "python3 is not installed", "apt install python3")
        self.tool("python3", "/bin/false")
        self.assert_fails(self.run_script("garuda"), "python3 is older than 3.8")

    def test_newer_rust_is_welcome(self):
        for version in ("1.95.0", "1.100.0", "2.0.0", "1.96.0-nightly"):
            self.assertEqual(self.run_script("garuda", VERSION=version).returncode, 0, version)
            shutil.rmtree(self.root / "target")

    def test_own_libraries_are_honoured_and_checked(self):
        shutil.rmtree(self.root / "native")
        own = self.root / "own"
        (own / "include").mkdir(parents=True)
        (own / "lib").mkdir()
        done = self.run_script("garuda", LIBTORCH=str(own), ORT_DYLIB_PATH=str(self.root / "Cargo.toml"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for wrong in ("own", "/nowhere", str(self.root)):
            self.assert_fails(self.run_script("garuda", LIBTORCH=wrong), wrong, "include/ and lib/")
        for wrong in ("Cargo.toml", "/nowhere", str(own)):
            self.assert_fails(self.run_script("garuda", LIBTORCH=str(own), ORT_DYLIB_PATH=wrong), wrong)

    def test_an_unfinished_set_up_is_taken_up_again(self):
        (self.root / "native/.work").mkdir()
        self.assert_fails(self.run_script("garuda"), "python3")

    def test_the_virtual_environment_is_made_once(self):
        python = self.root / ".venv/bin/python"
        python.parent.mkdir(parents=True)
        python.symlink_to("/bin/true")
        pins = self.root / "scripts/requirements.txt"
        shutil.copy(pins, self.root / ".venv/stamp")

        def set_up():
            return subprocess.run(["bash", "-c", "source scripts/setup/ready.sh; set_up_venv"],
                                  capture_output=True, text=True, cwd=self.root, env=self.environment)

        self.assertEqual(set_up().returncode, 0)
        pins.write_text("onnx==0\n")
        self.assert_fails(set_up(), "python3 is not installed")

    def test_counting(self):
        for output, status, expected in [
            ("", 0, "1 0"),
            ("error: it does not compile\n", 101, "0 1"),
            ("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\n" * 2, 0, "6 0"),
            ("test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured\n", 101, "3 2"),
            ("test result: ok. 0 passed; 0 failed; 0 ignored\n", 0, "0 0"),
            ("     Summary [   0.010s] 1 test run: 1 passed, 0 skipped\n", 0, "1 0"),
            ("\033[32;1m     Summary\033[0m [  70.010s] \033[1m30\033[0m tests run: \033[1m25\033[0m passed "
             "(2 slow), \033[1m4\033[0m failed, 1 timed out, 2 skipped\n", 100, "25 5"),
            ("Ran 5 tests in 0.1s\n\nOK\n", 0, "5 0"),
            ("Ran 5 tests in 0.1s\n\nOK (skipped=1)\n", 0, "4 0"),
            ("Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=2)\n", 1, "2 3"),
            ("12 passed, 3 failed\n", 1, "12 3"),
            ("12 passed, 0 failed\nthen it crashed\n", 1, "12 1"),
        ]:
            source = (self.root / "scripts/test").read_text()
            function = source[source.index("count() {"):source.index("\nset_up_native")]
            done = subprocess.run(["bash", "-c", f"{function}\ncount {status}"], input=output,
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.strip(), expected, output)


if __name__ == "__main__":
    unittest.main()
