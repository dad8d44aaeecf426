"""Runs the tests as two processes side by side, the window's and all others: ``make test``.

Most of them keep one core busy, so on two cores it takes little more than half the time. With
files or folders among the arguments there is one process, and pytest as ever.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parent
WINDOW = ("app", "desktop")


def main(arguments: list[str]) -> int:
    """The exit status of pytest, of whichever of the two failed."""
    pytest = [sys.executable, "-m", "pytest", *arguments]
    if any(Path(argument.partition("::")[0]).exists() for argument in arguments):
        return subprocess.call(pytest)
    folders = sorted(p for p in TESTS.iterdir() if any(p.glob("**/test_*.py")))
    window = [str(p) for p in folders if p.name in WINDOW]
    others = [str(p) for p in folders if p.name not in WINDOW]
    others += [str(p) for p in sorted(TESTS.glob("test_*.py"))]
    with tempfile.TemporaryFile("w+") as said:
        # Only one of them may write pytest's cache.
        beside = [*pytest, "-p", "no:cacheprovider", *others]
        with subprocess.Popen(beside, stdout=said, stderr=subprocess.STDOUT) as other:
            try:
                first = subprocess.call([*pytest, *window])
                second = other.wait()
            finally:
                other.kill()
        said.seek(0)
        print(said.read(), end="", flush=True)
    return first or second  # a killed one's is below zero


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
