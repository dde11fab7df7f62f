"""What the two set-up programs share: messages to the user, a lock, and calls of pip."""

import errno
import fcntl
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Failure(Exception):
    """What went wrong and what to do about it, as a message to the user."""


def say(text):
    print(f"garuda: {text}", file=sys.stderr, flush=True)


def run(job):
    """Calls `job`, turns what it raises into messages, and exits."""
    try:
        job()
        sys.exit(0)
    except Failure as failure:
        say(str(failure))
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        say(disk_full() if full else f"the set-up failed: {error}")
    except KeyboardInterrupt:
        say("the set-up was interrupted; run this again to complete it")
    sys.exit(1)


def has_room(folder, megabytes):
    return shutil.disk_usage(folder).free >= megabytes * 1e6


def disk_full():
    return (
        f"the disk that holds {ROOT} is full.\n"
        "Setting up needs about 1.5 GB, of which 0.5 GB stay in use; a build takes 1 GB more. "
        "Make room and run this again."
    )


def take_lock(path):
    """An exclusive lock that lasts until this process, and every child given it, has ended."""
    path.parent.mkdir(exist_ok=True)
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another set-up is at work here; waiting for it")
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def pip(arguments, what, megabytes, scratch, lock):
    """Runs pip with its temporary files in the folder `scratch`.

    There the next set-up finds and deletes what a killed pip leaves behind. pip inherits the lock:
    should this process be killed alone, no other set-up starts until pip has ended too.

    It is also pip's working directory, because `python -m` runs modules that it finds there first,
    and the user's may hold a pip.py.
    """
    if importlib.util.find_spec("pip") is None:
        raise Failure(
            f"{sys.executable} has no pip, which fetches {what}.\n"
            "Install it (Debian, Ubuntu: apt install python3-pip; elsewhere: python3 -m ensurepip) "
            "and run this again."
        )
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    if not has_room(scratch, megabytes):
        raise Failure(disk_full())
    log = scratch / "pip.log"
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments,
         "--disable-pip-version-check", "--no-input", f"--log={log}"],
        cwd=scratch, stdout=sys.stderr, stdin=subprocess.DEVNULL, pass_fds=[lock],
        # It needs no virtual environment: it fetches files, or is told to install into .venv.
        env={**os.environ, "TMPDIR": str(scratch), "PIP_REQUIRE_VIRTUALENV": "0"},
    )
    if done.returncode != 0:
        # On a full disk pip cannot even write down why it failed.
        raise Failure(why_pip_failed(what, log) if has_room(scratch, megabytes) else disk_full())
    shutil.rmtree(scratch, ignore_errors=True)


def why_pip_failed(what, log):
    text = log.read_text(errors="replace") if log.exists() else ""
    if "DO NOT MATCH THE HASHES" in text:
        return wrong_hash(what)
    if re.search(r"connection broken|ConnectionError|NewConnectionError|Max retries|ProxyError|"
                 r"SSLError|ReadTimeout|Network is unreachable", text):
        return (
            f"pip could not reach the Python package index to fetch {what}.\n"
            "Check the network (and a proxy or mirror in pip's configuration) and run this again."
        )
    if "No matching distribution found" in text:
        return (
            f"the package index that pip uses does not have {what} for this platform.\n"
            "If pip is configured for a mirror, use a complete one, and run this again."
        )
    return f"pip failed to fetch {what}; its output is above.\nWhen the cause is gone, run this again."


def wrong_hash(what):
    return (
        f"what was downloaded for {what} is not the expected file: its SHA-256 is wrong, and it was "
        "not used.\n"
        "Run `python3 -m pip cache purge` and this again; if it stays so, distrust the mirror or proxy "
        "that pip uses."
    )
