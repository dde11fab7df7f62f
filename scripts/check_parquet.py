"""Checks that games exported as Parquet say what `garuda openings --visits 0` counts.

    .venv/bin/python scripts/check_parquet.py target/debug

The folder holds `garuda` and `examples/synthetic_run`. Each game's run is made, exported, read with
DuckDB and compared.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

GAMES = 200
RULES = ["makruk", "sittuyin", "sittuyin-booklet", "torishogi", "eternal"]


def output(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout


def counted(garuda, run):
    """Games, wins, draws and losses of the side to move by first move, as the report counts them."""
    report = json.loads(output(garuda, "openings", run, "--visits", "0", "--json"))
    rows = {}
    for row in report["moves"]:
        first = row["move"].split()[0]
        counts = [row[key] for key in ("games", "wins", "draws", "losses")]
        rows[first] = [a + b for a, b in zip(rows.get(first, [0] * 4), counts)]
    return {move: counts for move, counts in rows.items() if counts[0]}


def exported(folder):
    """The same from the tables."""
    query = f"""
        SELECT d.move, count(*), count(*) FILTER (result = 1), count(*) FILTER (result = 0),
               count(*) FILTER (result = -1)
        FROM '{folder}/decisions.parquet' d JOIN '{folder}/games.parquet' g USING (checkpoint, number)
        WHERE ply = 0 GROUP BY d.move"""
    return {move: list(counts) for move, *counts in duckdb.sql(query).fetchall()}


def check(built, rules, folder):
    run, garuda = folder / rules, built / "garuda"
    output(built / "examples/synthetic_run", rules, run, GAMES)
    output(garuda, "export-games", run, "--format", "parquet")
    wanted, found = counted(garuda, run), exported(run)
    if wanted != found:
        sys.exit(f"{rules}: the report counts {wanted}, the tables {found}")
    plies, decisions, shares, named = duckdb.sql(f"""
        SELECT (SELECT sum(plies) FROM '{run}/games.parquet'), count(*),
               sum(list_sum([e.share FOR e IN policy])), sum(len(policy))
        FROM '{run}/decisions.parquet'""").fetchone()
    if plies != decisions or abs(shares - decisions) > 0.001 * decisions or not named:
        sys.exit(f"{rules}: {plies} plies, {decisions} decisions, shares {shares}, {named} policy moves")
    lines = output(garuda, "export-games", run, "--format", "jsonl", "--output", "-").splitlines()
    if sum(len(json.loads(line)["decisions"]) for line in lines) != decisions:
        sys.exit(f"{rules}: JSON lines have other decisions than Parquet")
    pgn = output(garuda, "export-games", run, "--format", "pgn", "--output", "-")
    if pgn.count("[PlyCount ") != GAMES or pgn.count("[Event ") != GAMES:
        sys.exit(f"{rules}: PGN has other games than Parquet")


def main():
    built = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for rules in RULES:
            check(built, rules, Path(folder))
    print(f"{len(RULES)} passed, 0 failed")


main()
