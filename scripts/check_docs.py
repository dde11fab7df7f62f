"""Checks the documentation: links and file names in it exist, and the README stays short.

    python3 scripts/check_docs.py

A name in backquotes counts as a file name if it contains a slash, starts with a top-level folder and
has no placeholder in it; runs/, native/ and target/ are made by programs and not looked for.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README_LINES = 130
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAME = re.compile(r"`([\w.-]+(?:/[\w.-]+)+/?)`")


def tracked():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    return [name for name in sorted(set(filter(None, listed))) if (ROOT / name).is_file()]


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    for heading in re.findall(r"^#+ +(.*)$", page.read_text(), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def faults():
    names = tracked()
    folders = {Path(name).parts[0] for name in names if "/" in name}
    for name in names:
        if not name.endswith(".md"):
            continue
        page = ROOT / name
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for link in LINK.findall(line):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path) if path else page
                if not target.exists():
                    yield f"{name}:{number}: {link} does not exist"
                elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                    yield f"{name}:{number}: {link} has no such heading"
            for path in NAME.findall(line):
                is_ours = path.split("/")[0] in folders
                if is_ours and not (ROOT / path).exists() and not (page.parent / path).exists():
                    yield f"{name}:{number}: {path} does not exist"
    lines = len((ROOT / "README.md").read_text().splitlines())
    if lines > README_LINES:
        yield f"README.md has {lines} lines; {README_LINES} is the most"


def main():
    found = list(faults())
    for fault in found:
        print(fault)
    sys.exit(bool(found))


main()
