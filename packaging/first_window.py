"""How long the frozen program takes to its window, beside the same program from its source.

    python packaging/first_window.py build/dist/Stretto/stretto

Under an X server of its own (Xvfb, xdotool); a start is over when the server shows a window with
the program's name. The first start of each is not counted.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BAR_S = 0.5
ROOT = Path(__file__).parent.parent


@contextmanager
def display() -> Iterator[str]:
    """An X server without a screen; its display's name."""
    read, write = os.pipe()
    # -noreset: else the server begins anew whenever its last client goes, and misses the next.
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-noreset"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as told:
        name = ":" + told.readline().strip()
    try:
        yield name
    finally:
        server.terminate()
        server.wait()


def start(command: list[str], profile: Path, screen: str) -> float:
    """Seconds from the start of the process to its window; the program is ended then."""
    environment = {**os.environ, "DISPLAY": screen, "QT_QPA_PLATFORM": "xcb"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    look = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "Stretto"]
    begun = time.perf_counter()
    program = subprocess.Popen(
        [*command, "--profile", str(profile)], env=environment, cwd=ROOT, stderr=subprocess.DEVNULL
    )
    try:
        subprocess.run(look, env=environment, check=True, capture_output=True, timeout=60)
        return time.perf_counter() - begun
    finally:
        program.send_signal(signal.SIGTERM)
        program.wait(60)


def main() -> int:
    """Print both medians and their ratio; 1 if the frozen one misses its bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="the frozen program")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    frozen = [str(options.program.resolve())]
    source = [sys.executable, "-m", "app"]
    taken: dict[str, list[float]] = {"frozen": [], "source": []}
    with display() as screen, tempfile.TemporaryDirectory(prefix="stretto-") as folder:
        for _ in range(options.rounds + 1):
            for name, command in (("frozen", frozen), ("source", source)):
                taken[name].append(start(command, Path(folder) / name, screen))
    medians = {name: statistics.median(times[1:]) for name, times in taken.items()}
    held = medians["frozen"] <= BAR_S
    print(f"frozen, process to window: {medians['frozen']:.2f} s, bar {BAR_S}: ", end="")
    print("held" if held else "missed")
    print(
        f"from source: {medians['source']:.2f} s, ratio {medians['frozen'] / medians['source']:.2f}"
    )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
