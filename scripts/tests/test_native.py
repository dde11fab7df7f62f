"""The set-up of the native libraries, with small wheels made here and no network."""

import hashlib
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "setup"))

import common
import native

TAG = "cp311-cp311-manylinux_2_28_x86_64"


class Checkout(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "a checkout"  # with a space, as people have them
        self.wheels = Path(folder.name) / "wheels"
        self.names = ["libtorch", "onnxruntime"]
        self.space = 1  # MB that the torch wheel is said to need
        self.log = Path(folder.name) / "log"
        self.root.mkdir()
        self.wheels.mkdir()
        self.torch = self.wheel("torch-2.13.0", {
            "torch/include/torch/torch.h": "header",
            "torch/lib/libtorch.so": "the one that pulls in CUDA",
            "torch/lib/libtorch_cpu.so": "cpu",
            "torch/lib/libtorch_cuda.so": "cuda",
            "torch/lib/libc10.so": "c10",
            "torch/lib/libgomp.so.1": "gomp",
        })
        self.onnx = self.wheel("onnxruntime-1.31.1", {
            "onnxruntime/capi/libonnxruntime.so.1.31.1": "onnx",
            "onnxruntime/__init__.py": "",
        })

    def wheel(self, name, members):
        path = self.wheels / f"{name}-{TAG}.whl"
        package, version = name.split("-")
        with zipfile.ZipFile(path, "w") as archive:
            for member, text in members.items():
                archive.writestr(member, text)
            archive.writestr(f"{name}.dist-info/METADATA",
                             f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
            archive.writestr(f"{name}.dist-info/WHEEL", "Wheel-Version: 1.0\n")
            archive.writestr(f"{name}.dist-info/RECORD", "")
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def start(self, *changes, **environment):
        """Starts the set-up in a process of its own, after calling `changes` there."""
        process = os.fork()
        if process:
            return process
        try:
            os.dup2(os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            os.environ.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(self.wheels), PIP_NO_CACHE_DIR="1")
            os.environ.update(environment)
            sys.argv = ["native.py", *self.names]
            common.ROOT = self.root
            native.NATIVE = self.root / "native"
            native.WORK = native.NATIVE / ".work"
            tag = TAG.split("-")[2]
            native.LIBRARIES = {native.this_platform(): {
                "libtorch": (
                    native.Wheel("torch", "2.13.0", tag, self.space, self.torch, native.TORCH_LINUX),
                ),
                "onnxruntime": (
                    native.Wheel("onnxruntime", "1.31.1", tag, 1, self.onnx, native.ONNX),
                ),
            }}
            for change in changes:
                change()
            common.run(native.main)
        except SystemExit as exit:
            os._exit(exit.code)
        finally:
            os._exit(70)

    def end(self, process):
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        self.words = self.log.read_text()
        return code

    def set_up(self, *changes, **environment):
        return self.end(self.start(*changes, **environment))

    def copy_for_pip(self):
        def copy(arguments, what, megabytes, scratch, lock):
            for wheel in self.wheels.glob(f"{what.split()[0]}-*.whl"):
                shutil.copy(wheel, scratch.parent)
        native.pip = copy
        os.sync = lambda: None

    def assert_complete(self):
        folder = self.root / "native"
        files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        self.assertEqual(files, {
            ".lock", "libtorch/stamp", "libtorch/build-version", "libtorch/include/torch/torch.h",
            "libtorch/lib/libc10.so", "libtorch/lib/libgomp.so.1", "libtorch/lib/libtorch.so",
            "libtorch/lib/libtorch_cpu.so", "onnxruntime/stamp", "onnxruntime/libonnxruntime.so",
        })
        self.assertIn("INPUT(", (folder / "libtorch/lib/libtorch.so").read_text())

    def assert_fails(self, code, *words):
        self.assertEqual(code, 1, self.words)
        for word in words:
            self.assertIn(word, self.words)
        self.assertNotIn("Traceback", self.words)

    def test_pip_fetches_what_is_missing_and_only_that(self):
        self.assertEqual(self.set_up(), 0, self.words)
        self.assert_complete()
        self.assertEqual(self.set_up(PIP_FIND_LINKS="/nowhere"), 0, self.words)
        self.assertEqual(self.words, "")

    def test_a_new_version_replaces_the_old(self):
        self.assertEqual(self.set_up(self.copy_for_pip), 0, self.words)
        self.torch = self.wheel("torch-2.13.0", {
            "torch/include/torch/torch.h": "newer", "torch/lib/libtorch_cpu.so": "newer",
            "torch/lib/libc10.so": "newer", "torch/lib/libgomp.so.1": "newer",
        })
        self.assertEqual(self.set_up(self.copy_for_pip), 0, self.words)
        self.assert_complete()
        self.assertEqual((self.root / "native/libtorch/lib/libc10.so").read_text(), "newer")

    def test_killed_at_any_line_it_is_repaired(self):
        def kill():
            lines = 0

            def count(frame, event, argument):
                nonlocal lines
                if frame.f_code.co_filename != native.__file__:
                    return None
                lines += event == "line"
                if lines == at:
                    os.kill(os.getpid(), signal.SIGKILL)
                return count

            sys.settrace(count)

        code, at = -signal.SIGKILL, 0
        while code == -signal.SIGKILL:
            at += 1
            code = self.set_up(self.copy_for_pip, kill)
            self.assertEqual(self.set_up(self.copy_for_pip), 0, f"killed at line {at}: {self.words}")
            self.assert_complete()
            # In turns it starts from nothing and from an older version.
            if at % 2:
                shutil.rmtree(self.root / "native")
            else:
                (self.root / "native/libtorch/stamp").write_text("older")
        self.assertEqual(code, 0, self.words)
        self.assertGreater(at, 100)

    def test_two_at_once(self):
        both = [self.start(self.copy_for_pip) for _ in range(2)]
        self.assertEqual([self.end(process) for process in both], [0, 0], self.words)
        self.assert_complete()

    def test_a_tampered_wheel_is_refused(self):
        self.torch = "0" * 64
        self.assert_fails(self.set_up(), "SHA-256 is wrong", "pip cache purge")
        self.assert_fails(self.set_up(self.copy_for_pip), "SHA-256 is wrong")
        self.assertFalse((self.root / "native/libtorch").exists())

    def test_a_damaged_download_is_fetched_again(self):
        left = self.root / "native/.work/libtorch/torch"
        left.mkdir(parents=True)
        (left / f"torch-2.13.0-{TAG}.whl").write_text("half of it")
        self.assertEqual(self.set_up(self.copy_for_pip), 0, self.words)
        self.assert_complete()

    def test_one_library_leaves_the_wheels_of_another_alone(self):
        left = self.root / "native/.work/libtorch/torch/torch.whl"
        left.parent.mkdir(parents=True)
        left.write_text("fetched before the set-up was interrupted")
        self.names = ["onnxruntime"]
        self.assertEqual(self.set_up(self.copy_for_pip), 0, self.words)
        self.assertTrue(left.exists())
        self.assertFalse((self.root / "native/libtorch").exists())
        self.names = ["libtorch", "onnxruntime"]
        self.assertEqual(self.set_up(self.copy_for_pip), 0, self.words)
        self.assert_complete()
        self.assertFalse((self.root / "native/.work").exists())

    def test_modules_in_the_users_folder_are_not_run(self):
        folder = self.root / "theirs"
        folder.mkdir()
        for name in ("pip", "zipfile", "venv"):
            (folder / f"{name}.py").write_text(f"open({str(folder / 'was-run')!r}, 'w')\n")
        self.assertEqual(self.set_up(lambda: os.chdir(folder)), 0, self.words)
        self.assertFalse((folder / "was-run").exists(), self.words)
        self.assertTrue((self.root / "native/libtorch/stamp").exists())

    def test_a_virtual_environment_is_not_required(self):
        self.assertEqual(self.set_up(PIP_REQUIRE_VIRTUALENV="1"), 0, self.words)
        self.assert_complete()

    def test_no_network(self):
        # Nothing listens on port 9 of this machine.
        code = self.set_up(PIP_NO_INDEX="0", PIP_INDEX_URL="http://127.0.0.1:9/simple",
                           PIP_FIND_LINKS="", PIP_RETRIES="0")
        self.assert_fails(code, "could not reach", "Check the network")

    def test_the_index_lacks_it(self):
        code = self.set_up(PIP_FIND_LINKS=str(self.root))
        self.assert_fails(code, "does not have torch 2.13.0", "mirror")

    def test_no_pip(self):
        def no_pip():
            importlib.util.find_spec = lambda name: None
        self.assert_fails(self.set_up(no_pip), "has no pip", "apt install python3-pip")

    def test_disk_full_before_and_while_unpacking(self):
        self.space = 10**12
        self.assert_fails(self.set_up(), "is full", "Make room")
        self.space = 1

        def full(*arguments):
            raise OSError(28, "No space left on device")

        def full_when_unpacking():
            zipfile.ZipFile.open = full
        self.assert_fails(self.set_up(self.copy_for_pip, full_when_unpacking), "is full", "Make room")
        self.assertEqual(self.set_up(self.copy_for_pip), 0, self.words)
        self.assert_complete()

    def test_unsupported_platforms(self):
        for system, machine, libc in [
            ("Windows", "AMD64", ("", "")), ("Darwin", "x86_64", ("", "")),
            ("Linux", "riscv64", ("glibc", "2.40")), ("Linux", "x86_64", ("glibc", "2.27")),
            ("Linux", "x86_64", ("", "")),
        ]:
            def elsewhere():
                native.platform.system, native.platform.machine = lambda: system, lambda: machine
                native.platform.libc_ver = lambda: libc
            with self.subTest(system=system, machine=machine, libc=libc):
                code = self.set_up(elsewhere)
                self.assert_fails(code, "no prebuilt libraries", machine, "LIBTORCH")


if __name__ == "__main__":
    unittest.main()
