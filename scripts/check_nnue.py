"""Compares our evaluation of .nnue files with Fairy-Stockfish's, on positions of random games.

    python3 scripts/check_nnue.py [--positions N] [--engine COMMAND] PROGRAM [FILE...]

PROGRAM is the example nnue_evals of garuda-model, as cargo builds it. Without FILEs it makes networks
with random weights for all games. The engine is the one of scripts/engine/package.json, run by node,
or COMMAND. A network must agree on every position; and the engine must be seen to play without a
network when it is given a file with another game's name, or one that is cut off.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

WASM = Path(__file__).resolve().parent.parent / ".engine/node_modules/fairy-stockfish-nnue.wasm/uci.js"
# `eval` shows two decimals, and its integers may be rounded the other way.
TOLERANCE = 0.006
SECONDS = 300
EVALUATION = re.compile(r"NNUE evaluation +([+-]?[0-9.]+) \(white side\)")


class Disagreement(Exception):
    pass


def ask(engine, game, path, fens):
    """All that the engine prints when it evaluates these positions with a network."""
    # The one of npm has its files in memory. It copies the one that the variable names.
    file, environment = (path, None) if engine else (f"/{path.name}", {**os.environ, "UCI_NNUE_FILE": str(path)})
    lines = [f"setoption name UCI_Variant value {game}", "setoption name Use NNUE value true",
             f"setoption name EvalFile value {file}"]
    for fen in fens:
        lines += [f"position fen {fen}", "eval"]
    command = shlex.split(engine) if engine else ["node", "--no-experimental-fetch", str(WASM)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    timer = threading.Timer(SECONDS, process.kill)
    timer.start()
    process.stdin.write("\n".join([*lines, "quit", ""]))
    process.stdin.close()
    printed = []
    for line in process.stdout:
        printed.append(line)
        # In node the program stays after that.
        if "The engine will be terminated" in line:
            process.kill()
    process.wait()
    timer.cancel()
    return "".join(printed)


def evaluations(engine, game, path, fens):
    printed = ask(engine, game, path, fens)
    if "classical evaluation enabled" in printed:
        raise Disagreement("the engine evaluates without the network")
    found = [float(number) for number in EVALUATION.findall(printed)]
    if len(found) != len(fens):
        last = " / ".join(printed.strip().splitlines()[-2:])
        raise Disagreement(f"{len(found)} evaluations of {len(fens)} positions; the engine's last lines: {last}")
    return found


def listed(program, path, positions):
    done = subprocess.run([program, "list", path, str(positions)], check=True, stdout=subprocess.PIPE, text=True)
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    return [float(value) for value, _ in lines], [fen for _, fen in lines]


def check(arguments, path):
    ours, fens = listed(arguments.program, path, arguments.positions)
    theirs = evaluations(arguments.engine, path.name.split("-")[0], path, fens)
    apart = [abs(a - b) for a, b in zip(ours, theirs)]
    worst = max(range(len(apart)), key=apart.__getitem__)
    if apart[worst] > TOLERANCE:
        wrong = sum(difference > TOLERANCE for difference in apart)
        raise Disagreement(f"{wrong} of {len(apart)} positions differ; {fens[worst]}: ours "
                           f"{ours[worst]:+.4f}, the engine's {theirs[worst]:+.2f}")
    if max(ours) - min(ours) < 0.1:
        raise Disagreement("all evaluations are equal, which compares nothing")
    print(f"{path.name}: {len(apart)} positions, {min(ours):+.2f} to {max(ours):+.2f} pawns, "
          f"off by {apart[worst]:.4f} at most")


def check_refused(arguments, path, broken, why):
    """The engine does not use a file that it should not use, and we notice."""
    _, fens = listed(arguments.program, path, 1)
    try:
        evaluations(arguments.engine, path.name.split("-")[0], broken, fens)
    except Disagreement as refusal:
        print(f"{why}: {refusal}")
    else:
        raise Disagreement(f"{why}: it passes for a network")


def jobs(arguments, folder):
    files = arguments.files
    if not files:
        subprocess.run([arguments.program, "random", folder], check=True)
        files = sorted(folder.glob("*.nnue"))
    for path in files:
        yield path.name, lambda path=path: check(arguments, path)
    path = files[0]
    other, cut = folder / f"other-{path.name}", folder / path.name.replace(".nnue", "-cut.nnue")
    shutil.copyfile(path, other)
    cut.write_bytes(path.read_bytes()[:-1])
    for broken, why in ((other, "a file with another game's name"), (cut, "a file that is cut off")):
        yield broken.name, lambda broken=broken, why=why: check_refused(arguments, path, broken, why)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=50)
    parser.add_argument("--engine", help="command of a Fairy-Stockfish [default: npm's, by node]")
    parser.add_argument("program")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, job in jobs(arguments, Path(folder)):
            try:
                job()
                passed += 1
            except (Disagreement, OSError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"{name}: {error}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
