"""Checks that the crates depend on each other as docs/architecture.md draws them.

    python3 scripts/check_layers.py

Which crate may name which is the table below; a new crate needs a row. Also checked: the crates
outside of the workspace that one crate alone may name, and what no build without the feature `torch`,
or without any feature, may contain.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

ALLOWED = {
    "garuda-rules": [],
    "garuda-mcts": ["rules"],
    "garuda-model": ["rules", "mcts"],
    "garuda-torch": ["rules", "mcts", "model"],
    "garuda-run": ["rules", "mcts", "model"],
    "garuda-arena": ["rules", "mcts", "model", "run"],
    "garuda-study": ["rules", "mcts", "model", "run", "arena"],
    "garuda-selfplay": ["rules", "mcts", "model", "run", "arena", "study"],
    "garuda-training": ["rules", "mcts", "model", "torch", "run", "arena", "study", "selfplay"],
    "garuda-fleet": ["rules", "mcts", "model", "run", "selfplay"],
    "garuda-serve": ["rules", "mcts", "model", "run", "arena", "study"],
    "garuda": ["rules", "mcts", "model", "torch", "run", "arena", "study", "selfplay", "training", "fleet",
               "serve"],
    "garuda-engine": ["rules", "mcts", "model"],
}
# Crates that only these of ours may name: what they do is behind an interface.
CONFINED = {
    "tch": ["garuda-torch"],
    "ort": ["garuda-model", "garuda-torch"],
    "safetensors": ["garuda-model", "garuda-torch"],
    "bincode": ["garuda-run"],
    "maud": ["garuda-study"],
    "axum": ["garuda-serve"],
    "tokio": ["garuda-serve", "garuda-fleet"],
    "async-nats": ["garuda-fleet"],
    "rusqlite": ["garuda-serve"],
    "clap": ["garuda", "garuda-engine"],
}
# Feeds all the others with broken inputs; nothing depends on it.
OUTSIDE = {"garuda-fuzz"}
WITHOUT_TORCH = ["garuda", "garuda-engine", "garuda-run", "garuda-arena", "garuda-study", "garuda-selfplay",
                 "garuda-fleet", "garuda-serve"]
TORCH = {"tch", "torch-sys"}
# What the lightest build of `garuda` leaves out: it is what a new user waits for.
NOT_LIGHT = {"garuda-fleet", "garuda-serve", "tokio", "async-nats", "axum", "rusqlite", "parquet"}


def cargo(*arguments):
    done = subprocess.run(["cargo", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"cargo {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def faults():
    packages = json.loads(cargo("metadata", "--format-version=1", "--no-deps", "--locked"))["packages"]
    packages = [package for package in packages if package["name"] not in OUTSIDE]
    members = {package["name"] for package in packages}
    for name in sorted(members ^ ALLOWED.keys()):
        yield f"{name} is in only one of the workspace and the table of {Path(__file__).name}"
    for package in packages:
        name = package["name"]
        allowed = {f"garuda-{short}" for short in ALLOWED.get(name, [])}
        for dependency in package["dependencies"]:
            other = dependency["name"]
            if dependency["kind"] == "dev":
                continue
            if other in members and other not in allowed:
                yield f"{name} may not depend on {other}"
            if other in OUTSIDE:
                yield f"{name} may not depend on {other}"
            if name not in CONFINED.get(other, [name]):
                yield f"{name} may not name {other}: only {' and '.join(CONFINED[other])} may"
            if other in members and "torch" in dependency["features"]:
                yield f"{name} asks for {other} with libtorch: only its own feature torch may"
    for name in WITHOUT_TORCH:
        if name in members:
            tree = cargo("tree", "--locked", "--edges=normal,build", "--prefix=none", "--package", name,
                         "--no-default-features", "--format={p}")
            found = {line.split()[0] for line in tree.splitlines() if line}
            for other in sorted(TORCH & found):
                yield f"{name} without the feature torch contains {other}"
            for other in sorted(NOT_LIGHT & found if name == "garuda" else []):
                yield f"{name} without features contains {other}"


def main():
    found = list(faults())
    for fault in found:
        print(fault)
    sys.exit(bool(found))


main()
