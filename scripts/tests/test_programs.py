"""scripts/garuda, in a small checkout with a fake cargo."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
TOOLS = ["bash", "env", "dirname", "readlink", "mkdir", "mv", "sed", "awk", "tee", "cat", "chmod", "uname"]

# Notes its calls, and "builds" a program that prints its arguments, its folder and its hint. Like the
# real one it reads .cargo/config.toml, which says where libtorch is, from the working directory.
CARGO = """#!/usr/bin/env bash
[[ $1 == --version ]] && { echo "cargo $VERSION (0123456 2026-01-01)"; exit; }
echo "$*" >>"$ROOT/calls"
[[ $1 == build ]] || exit 0
[[ -f .cargo/config.toml ]] || { echo "Cannot find a libtorch install" >&2; exit 101; }
target=${*: -1}/release
printf '#!/usr/bin/env bash\\nprintf "[%%s]" "$@"; pwd -P\\n' >"$target/garuda"
[[ -z ${HINT-} ]] || printf 'echo "$GARUDA_PROGRAM"\\n' >>"$target/garuda"
chmod +x "$target/garuda"
escaped=${ROOT// /\\\\ } # as cargo does it
echo "$escaped/target/release/garuda: $escaped/rules/a\\\\ b.rs" >"$target/garuda.d"
"""
# Notes what the set-up was asked to fetch, and "fetches" it.
PYTHON = """#!/usr/bin/env bash
[[ $1 == -c ]] && exit
echo "${@:2}" >>"$ROOT/fetched"
for name in "${@:2}"; do mkdir -p "$ROOT/native/$name"; echo >"$ROOT/native/$name/stamp"; done
"""
LIGHT = "--no-default-features"


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
        self.program("cargo", CARGO)
        shutil.copytree(SCRIPTS, self.root / "scripts")
        for name in ("rules", ".cargo", "native/libtorch", "native/onnxruntime"):
            (self.root / name).mkdir(parents=True)
        for name in ("Cargo.lock", ".cargo/config.toml", "rules/Cargo.toml", "rules/a b.rs"):
            (self.root / name).touch()
        (self.root / "Cargo.toml").write_text('rust-version = "1.95"\n')
        for name in ("libtorch", "onnxruntime"):
            (self.root / "native" / name / "stamp").touch()
        self.environment = {"PATH": str(self.bin), "ROOT": str(self.root), "VERSION": "1.95.0"}

    def program(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

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

    def test_a_build_works_from_any_folder(self):
        for folder in ("/", self.bin, self.root / "rules"):
            done = self.run_script("garuda", "--version", folder=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""), folder)
            shutil.rmtree(self.root / "target")

    def test_the_program_knows_how_it_was_called(self):
        done = subprocess.run(["scripts/garuda"], capture_output=True, text=True, cwd=self.root,
                              env={**self.environment, "HINT": "1"})
        self.assertEqual(done.stdout.splitlines()[-1], "scripts/garuda", done.stderr)

    def without_libraries(self):
        shutil.rmtree(self.root / "native")
        self.program("python3", PYTHON)
        (self.root / "network.onnx").touch()
        (self.root / "runs/tori").mkdir(parents=True)

    def fetched(self):
        path = self.root / "fetched"
        return path.read_text().split() if path.exists() else []

    def test_only_what_needs_libtorch_fetches_it(self):
        onnx, both = ["onnxruntime"], ["libtorch", "onnxruntime"]
        self.without_libraries()
        for command, expected in [
            ("--version", []), ("--help", []), ("perft torishogi 4", []), ("rules", []),
            ("play random --game makruk", []), ("match random alphabeta:100 --game makruk", []),
            ("match uci:engine random", []), ("train --help", []), ("bench -h", []),
            ("status runs/tori", []), ("ladder runs/tori", []), ("values runs/tori", []),
            ("export runs/tori", []), ("export runs/tori --format onnx", []),
            ("play runs/tori", onnx), ("play network.onnx", onnx), ("openings runs/tori", onnx),
            ("match random runs/tori --games 2", onnx), ("serve", []), ("serve runs/tori", onnx),
            ("export runs/tori --format torchscript", ["libtorch"]),
            ("export runs/tori --format=torchscript", ["libtorch"]),
            ("export runs/tori --format nnue", ["libtorch"]), ("export torishogi --format nnue", []),
            ("export torishogi --format=nnue --labels labels", ["libtorch"]),
            ("export torishogi --format nnue --output runs/tori", []),
            ("export torishogi --output=runs/tori --format=nnue", []),
            ("export --output out.nnue --format nnue runs/tori", ["libtorch"]),
            ("worker nats://host:4222 --key worker.nk", onnx), ("fleet runs/tori list", []),
            ("train configs/tori.toml --listen", [*both, "nats-server"]),
            ("train configs/tori.toml --listen=0.0.0.0:4222", [*both, "nats-server"]),
            ("train configs/tori.toml", both), ("bench", both), ("bench --quick", both),
        ]:
            with self.subTest(command):
                done = self.run_script("garuda", *command.split(), folder=self.root)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.fetched(), expected)
                self.assertEqual(LIGHT in self.calls()[-1], "libtorch" not in expected)
                for left in ("native", "fetched", "target"):
                    path = self.root / left
                    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def test_where_libtorch_is_there_one_build_serves_all(self):
        self.without_libraries()
        self.run_script("garuda", "perft")
        self.run_script("garuda", "train")
        for command in ("perft", "rules", "--version", "bench", "train"):
            done = self.run_script("garuda", command)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([LIGHT in call for call in self.calls()], [True, False])
        self.assertEqual(self.fetched(), ["libtorch", "onnxruntime"])

    def features(self):
        """Those of the last build, or None if it was the full one."""
        arguments = self.calls()[-1].split(" --")
        found = [a.removeprefix("features=").split() for a in arguments if a.startswith("features=")]
        return found[0] if found else None

    def test_a_light_build_has_what_its_command_needs(self):
        self.without_libraries()
        for command, expected in [
            ("play random --game makruk", []), ("match random alphabeta:9 --game makruk", []), ("perft makruk 1", []),
            ("openings runs/tori", []), ("rules", []), ("serve --help", []), ("worker -h", []),
            ("serve", ["serve"]), ("serve runs/tori", ["serve"]), ("export-games runs/tori --format pgn", ["parquet"]),
            ("worker nats://host:4222 --key worker.nk", ["fleet"]), ("fleet runs/tori list", ["fleet"]),
            ("train configs/tori.toml", None),
        ]:
            with self.subTest(command):
                done = self.run_script("garuda", *command.split(), folder=self.root)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.features(), expected)
                for left in ("native", "target"):
                    shutil.rmtree(self.root / left, ignore_errors=True)

    def test_a_light_build_keeps_what_it_has(self):
        self.without_libraries()
        for command, builds, features in [
            ("perft", 1, []), ("serve", 2, ["serve"]), ("perft", 2, ["serve"]), ("fleet", 3, ["fleet", "serve"]),
            ("serve", 3, ["fleet", "serve"]), ("export-games", 4, ["fleet", "serve", "parquet"]),
            ("worker", 4, ["fleet", "serve", "parquet"]),
        ]:
            done = self.run_script("garuda", command)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((len(self.calls()), self.features()), (builds, features), command)
        # A build that failed adds nothing.
        shutil.rmtree(self.root / "target")
        config = self.root / ".cargo/config.toml"
        config.unlink()
        self.assertNotEqual(self.run_script("garuda", "serve").returncode, 0)
        config.touch()
        self.run_script("garuda", "perft")
        self.assertEqual(self.features(), [])

    def test_a_light_build_needs_no_cpp_compiler(self):
        self.without_libraries()
        (self.bin / "c++").unlink()
        self.assertEqual(self.run_script("garuda", "perft").returncode, 0)
        self.assert_fails(self.run_script("garuda", "train"), "no C++ compiler", "apt install g++")
        (self.bin / "cc").unlink()
        shutil.rmtree(self.root / "target")
        shutil.rmtree(self.root / "native")
        self.assert_fails(self.run_script("garuda", "perft"), "no C compiler", "apt install gcc")

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
            done = self.run_script("garuda", "train", LIBTORCH=str(own), ORT_DYLIB_PATH=wrong)
            self.assert_fails(done, wrong, "ONNX Runtime")

    def test_an_unfinished_set_up_is_taken_up_again(self):
        (self.root / "native/.work/libtorch").mkdir(parents=True)
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


if __name__ == "__main__":
    unittest.main()
