"""Plays random games and compares, ply by ply, what `garuda rules` and pyffish say about them.

Compared are the FEN, the legal moves, check, and the end of the game with its winner. Stops at
the first difference and names the position. `scripts/test` runs it for a minute; by hand it can
run for as long as wanted:

    .venv/bin/python scripts/compare_rules.py --seconds 3600 target/release/garuda
"""

import argparse
import json
import multiprocessing
import random
import subprocess
import sys
import time

import pyffish

GAMES = ("makruk", "sittuyin", "torishogi")
# For random endings: the pieces a side may have beside its king, and the size of the board.
ENDING_PIECES = {
    "makruk": ("MSNRP", 8),
    "sittuyin": ("FSNRP", 8),
    "torishogi": (("S", "S", "F", "C", "P", "L", "R", "+S", "+F"), 7),
}
HAND_ORDER = "FRLCPSfrlcps"
LONGEST = 300


class Difference(Exception):
    pass


class Garuda:
    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "rules"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, game, fen, moves):
        question = {"game": game, "fen": fen, "moves": moves}
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Difference(f"garuda rules died at {question}")
        return json.loads(line)


def random_ending(game, rng):
    """A FEN with a few pieces at random; it may be impossible."""
    letters, size = ENDING_PIECES[game]
    squares = rng.sample(range(size * size), rng.randint(2, 8))
    board = {squares[0]: "K", squares[1]: "k"}
    for square in squares[2:]:
        letter = rng.choice(letters)
        board[square] = letter if rng.random() < 0.5 else letter.lower()
    rows = []
    for rank in range(size):
        row = "".join(board.get(rank * size + file, ".") for file in range(size))
        for empty in range(size, 0, -1):
            row = row.replace("." * empty, str(empty))
        rows.append(row)
    hand = ""
    if game == "torishogi":
        hand = rng.choices("SSSFCPLRsssfcplr", k=rng.randint(0, 4))
        hand = "".join(sorted(hand, key=HAND_ORDER.index))
    brackets = "" if game == "makruk" else f"[{hand}]"
    return f"{'/'.join(rows)}{brackets} {rng.choice('wb')} - - 0 1"


def random_start(garuda, game, rng):
    if rng.random() < 0.5:
        return garuda.ask(game, None, [])["fen"]
    while True:
        fen = random_ending(game, rng)
        if "error" not in garuda.ask(game, fen, []) and pyffish.validate_fen(fen, game) == 1:
            return fen


def winner_of(result, turn):
    """pyffish gives results to the side to move."""
    if result == 0:
        return None
    return turn if (result > 0) else {"w": "b", "b": "w"}[turn]


def expected_end(game, start, moves, fen, turn, legal):
    """Whether the reference ends the game here, and the winner if so."""
    if not legal:
        return True, winner_of(pyffish.game_result(game, start, moves), turn)
    ended, result = pyffish.is_optional_game_end(game, start, moves)
    if ended:
        return True, winner_of(result, turn)
    if game != "torishogi" and all(pyffish.has_insufficient_material(game, fen, [])):
        return True, None
    return False, None


def occupied(game, fen):
    """The names of the occupied squares. (Asking pyffish about every move takes long.)"""
    size = ENDING_PIECES[game][1]
    squares = set()
    for row, text in enumerate(fen.split("[")[0].split(" ")[0].split("/")):
        file = 0
        for letter in text.replace("+", ""):
            if letter.isdigit():
                file += int(letter)
            else:
                squares.add(f"{'abcdefgh'[file]}{size - row}")
                file += 1
    return squares


def choose(game, fen, legal, moves, style, rng):
    """Captures lead to endings, where the special rules are; quiet moves to repetition."""
    if len(moves) >= 2 and rng.random() < 0.15:
        back = moves[-2][2:4] + moves[-2][0:2]
        if back in legal:
            return back
    if style != "uniform" and rng.random() < 0.7:
        pieces = occupied(game, fen)
        captures = [move for move in legal if move[2:4] in pieces and move[0:2] != move[2:4]]
        quiet = sorted(set(legal) - set(captures))
        return rng.choice((captures if style == "captures" else quiet) or legal)
    return rng.choice(legal)


def compare(name, ours, theirs):
    if ours != theirs:
        raise Difference(f"{name}: ours {ours}, the reference's {theirs}")


def compare_position(game, start, moves, fen, ours, legal):
    """Compares one position; returns whether the game is over there."""
    if "error" in ours:
        raise Difference(ours["error"])
    compare("FEN", ours["fen"], fen)
    compare("legal moves", ours["legal"], legal)
    compare("check", ours["check"], pyffish.gives_check(game, fen, []))
    outcome = ours["outcome"]
    if outcome and outcome["reason"] == "length-limit":
        return True
    ended, winner = expected_end(game, start, moves, fen, ours["turn"], legal)
    compare("end of the game", outcome is not None, ended)
    if ended:
        compare("winner", outcome["winner"], winner)
    return ended


def play(garuda, game, start, rng, end):
    """Plays one game, until the time is up, and returns the number of positions compared."""
    moves = []
    style = rng.choice(("uniform", "captures", "quiet"))
    fen = pyffish.get_fen(game, start, [])
    while True:
        ours = garuda.ask(game, start, moves)
        legal = sorted(pyffish.legal_moves(game, fen, []))
        try:
            over = compare_position(game, start, moves, fen, ours, legal)
        except Difference as difference:
            raise Difference(
                f"{difference}\n  game:  {game}\n  start: {start}\n  moves: {' '.join(moves)}\n"
                f"  there: {fen}\n  garuda says: {json.dumps(ours)}"
            ) from None
        if over or len(moves) >= LONGEST or time.monotonic() > end:
            return len(moves) + 1
        move = choose(game, fen, legal, moves, style, rng)
        fen = pyffish.get_fen(game, fen, [move])
        moves.append(move)


def work(job):
    """Compares until the time is up. Returns games and positions per game, and a difference."""
    program, seconds, seed, games = job
    rng = random.Random(seed)
    garuda = Garuda(program)
    counts = {game: [0, 0] for game in games}
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            game = min(counts, key=lambda g: counts[g][1])
            positions = play(garuda, game, random_start(garuda, game, rng), rng, end)
            counts[game][0] += 1
            counts[game][1] += positions
    except Difference as difference:
        return counts, str(difference)
    return counts, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the garuda binary")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, help="default: the time, so that games are fresh")
    parser.add_argument("--game", action="append", choices=GAMES, help="default: all three")
    args = parser.parse_args()
    games = args.game or GAMES
    seed = time.time_ns() if args.seed is None else args.seed
    workers = multiprocessing.cpu_count()
    print(f"comparing with pyffish for {args.seconds:.0f} s, seed {seed}", flush=True)
    with multiprocessing.Pool(workers) as pool:
        jobs = [(args.program, args.seconds, f"{seed}/{i}", games) for i in range(workers)]
        results = pool.map(work, jobs)
    for game in games:
        played, positions = (sum(counts[game][k] for counts, _ in results) for k in (0, 1))
        print(f"  {game}: {played} games, {positions} positions equal")
    differences = [difference for _, difference in results if difference]
    for difference in differences:
        print(f"DIFFERENCE {difference}")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
