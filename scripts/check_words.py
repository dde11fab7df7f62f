"""Finds words and names that the project no longer uses: see scripts/retired_words.txt.

    python3 scripts/check_words.py [FILE...]     default: every tracked or new source file
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = "scripts/retired_words.txt"
EXEMPT = {LIST, "CHANGELOG.md"}
ENDINGS = {".rs", ".md", ".toml", ".py", ".sh"}


def retired():
    for line in (ROOT / LIST).read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, instead = line.split(" => ")
            yield re.compile(pattern), instead


def sources():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    for name in sorted(set(filter(None, listed))):
        path = Path(name)
        is_script = path.parts[0] in ("scripts", ".ci", "fuzz") and not path.suffix
        if (path.suffix in ENDINGS or is_script) and name not in EXEMPT and (ROOT / path).is_file():
            yield name


def main():
    patterns = list(retired())
    found = 0
    for name in sys.argv[1:] or sources():
        for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
            for pattern, instead in patterns:
                match = pattern.search(line)
                if match:
                    found += 1
                    print(f"{name}:{number}: '{match[0].strip()}' is retired: {instead}\n    {line.strip()}")
    if found:
        print(f"{found} retired words")
    sys.exit(found > 0)


main()
