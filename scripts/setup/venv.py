"""Make .venv with the Python packages that scripts/test compares Garuda with.

    python3 scripts/setup/venv.py

The packages are pinned in scripts/requirements.txt; a copy of that file, written last, is the stamp
that says what .venv holds.
"""

import shutil
import subprocess
import sys

from common import ROOT, Failure, pip, run, say, take_lock

VENV = ROOT / ".venv"
REQUIREMENTS = ROOT / "scripts/requirements.txt"


def main():
    if sys.version_info < (3, 11):
        raise Failure(
            f"the checks need Python 3.11 or newer, and {sys.executable} is "
            f"{sys.version.split()[0]}.\nInstall a newer one as python3 and run this again."
        )
    # Not in .venv, which is deleted here; the other set-up's folder is git-ignored too.
    lock = take_lock(ROOT / "native/.venv-lock")
    wanted = REQUIREMENTS.read_text()
    stamp, python = VENV / "stamp", VENV / "bin/python"
    # The interpreter is a link, which dangles when the system's Python was replaced.
    if stamp.exists() and stamp.read_text() == wanted and python.exists():
        return
    say("setting up .venv")
    shutil.rmtree(VENV, ignore_errors=True)
    # Debian's Python has pip in one package and what `venv` needs to copy it in another: do without.
    # In the checkout, because `python -m` runs modules of the working directory first.
    made = subprocess.run([sys.executable, "-m", "venv", "--without-pip", VENV], cwd=ROOT)
    if made.returncode != 0:
        raise Failure(
            f"{sys.executable} cannot make a virtual environment; its output is above.\n"
            "Install what it lacks (Debian, Ubuntu: apt install python3-venv) and run this again."
        )
    pip(
        ["--python", python, "install", "--quiet", "--no-deps", "--only-binary=:all:",
         "--require-hashes", f"--requirement={REQUIREMENTS}"],
        "the Python packages in scripts/requirements.txt", 300, VENV / "tmp", lock,
    )
    stamp.write_text(wanted)


if __name__ == "__main__":
    run(main)
