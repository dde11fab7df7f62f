"""Make .engine with the Fairy-Stockfish that the check nnue of scripts/test compares with.

    python3 scripts/setup/engine.py

The package is pinned in scripts/engine; a copy of its lock file, written last, is the stamp that says
what .engine holds.
"""

import shutil
import subprocess
import sys

from common import ROOT, Failure, disk_full, has_room, run, say, take_lock

ENGINE = ROOT / ".engine"
PINNED = ROOT / "scripts/engine"
MEGABYTES = 50


def main():
    lock = take_lock(ROOT / "native/.engine-lock")
    wanted = (PINNED / "package-lock.json").read_text()
    stamp = ENGINE / "stamp"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    say("setting up .engine")
    shutil.rmtree(ENGINE, ignore_errors=True)
    ENGINE.mkdir()
    if not has_room(ENGINE, MEGABYTES):
        raise Failure(disk_full())
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(PINNED / name, ENGINE / name)
    # Nothing of a package is run: the engine is one file of WebAssembly and its loader.
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=ENGINE,
                          stdout=sys.stderr, stdin=subprocess.DEVNULL, pass_fds=[lock])
    if done.returncode != 0:
        raise Failure(
            "npm failed to fetch the engine that our evaluation is compared with; its output is above.\n"
            "Check the network (and npm's configuration) and run this again."
        )
    stamp.write_text(wanted)


if __name__ == "__main__":
    run(main)
