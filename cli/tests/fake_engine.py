"""A UCI engine for tests: `fake_engine.py GARUDA BEHAVIOUR [MOVE]`.

It plays random legal moves, which it gets from `GARUDA rules`, and misbehaves with its third move of
a game, or with move MOVE, as BEHAVIOUR says. With `classical` it never uses the network it is given. The commands it receives are written to the file that its
option "Log File" names.
"""

import json
import random
import subprocess
import sys
import time

GARUDA, BEHAVIOUR = sys.argv[1:3]
MOVE = int(sys.argv[3]) if len(sys.argv) > 3 else 3
VARIANTS = ["makruk", "sittuyin", "sittuyin-booklet", "torishogi", "eternal"]


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def forever():
    while True:
        time.sleep(1)


class Rules:
    """Starts with the first question, which takes a while."""

    def __init__(self):
        self.process = None

    def ask(self, question):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = self.process or subprocess.Popen([GARUDA, "rules"], **pipes)
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def legal_moves(rules, variant, command):
    words = command.split()
    moves = words.index("moves") if "moves" in words else len(words)
    fen = None if words[1] == "startpos" else " ".join(words[2:moves])
    assert words[1] in ("fen", "startpos"), command
    question = {"game": variant, "fen": fen, "moves": words[moves + 1 :]}
    return rules.ask(question)["legal"]


def misbehave(move):
    if BEHAVIOUR == "illegal":
        say("bestmove a1a1x ponder a1a2")
    elif BEHAVIOUR == "nothing":
        say("bestmove")
    elif BEHAVIOUR == "none":
        say("bestmove (none)")
    elif BEHAVIOUR == "crash":
        sys.exit("the fake engine falls over")
    elif BEHAVIOUR == "hang":
        forever()
    elif BEHAVIOUR == "flood":
        while True:
            time.sleep(0.001)
            say("info string still thinking")
    elif BEHAVIOUR == "slow":
        time.sleep(2)
        say(f"bestmove {move}")
    elif BEHAVIOUR == "garbage":
        sys.stdout.flush()
        sys.stdout.buffer.write(b"\xff\xfe\x00 bestmove\n" + b"x" * 200_000 + b"\n\n\r\n")
        sys.stdout.buffer.flush()
        for _ in range(2_000):
            say("bestmoves a1a1 info depth")
        say(f"   bestmove   {move}   ponder")
    else:
        say(f"bestmove {move}")


def main():
    rules = Rules()
    variant, position, log, asked = None, None, None, 0
    for line in sys.stdin:
        line = line.strip()
        if log:
            log.write(line + "\n")
            log.flush()
        if line == "uci":
            if BEHAVIOUR == "deaf":
                forever()
            say("id name Fake")
            say("option name Log File type string default <empty>")
            if BEHAVIOUR in ("classical", "network"):
                say("option name Use NNUE type check default true")
                say("option name EvalFile type string default <empty>")
            if BEHAVIOUR == "chess":
                say("option name UCI_Variant type combo default chess var chess var atomic")
            elif BEHAVIOUR != "old":
                names = " ".join(f"var {name}" for name in VARIANTS)
                say(f"option name UCI_Variant type combo default makruk {names}")
            say("uciok")
        elif line == "isready":
            if MOVE > 1:
                rules.ask({"game": variant})
            say("readyok")
        elif line.startswith("setoption name UCI_Variant value "):
            variant = line.split()[-1]
        elif line.startswith("setoption name Log File value "):
            try:
                log = open(line.removeprefix("setoption name Log File value "), "a")
            except OSError as error:
                say(f"info string ERROR: {error}")
        elif line == "ucinewgame":
            asked = 0
        elif line.startswith("position"):
            position = line
        elif line.startswith("go"):
            asked += 1
            if BEHAVIOUR == "classical":
                say("info string classical evaluation enabled")
            move = random.choice(legal_moves(rules, variant, position)) if MOVE > 1 else None
            say(f"info depth 1 score cp 0 nodes 1 pv {move}")
            if asked == MOVE:
                misbehave(move)
            else:
                say(f"bestmove {move}")
        elif line == "quit":
            return


main()
