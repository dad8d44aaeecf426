"""Measure the time to the first window, of the frozen app and of the source.

    python packaging/first_window.py build/dist/Stretto/stretto

It uses its own X server (Xvfb). A start ends when the server shows the app's first window, which is
painted about 0.08 s later. The first start of each is ignored.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import select
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
    """Run an X server without a screen, and yield the name of its display."""
    read, write = os.pipe()
    # Without -noreset the server restarts when its last client disconnects, and misses the next
    # one.
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


class Watch:
    """Waits for the X event that a window is shown. Polling would add to the time."""

    _SUBSTRUCTURE, _MAP_NOTIFY = 1 << 19, 19

    def __init__(self, screen: str) -> None:
        self._x = x = ctypes.CDLL("libX11.so.6")
        x.XOpenDisplay.restype = ctypes.c_void_p
        x.XDefaultRootWindow.restype = ctypes.c_ulong
        self._display = ctypes.c_void_p(x.XOpenDisplay(screen.encode()))
        root = ctypes.c_ulong(x.XDefaultRootWindow(self._display))
        x.XSelectInput(self._display, root, ctypes.c_long(self._SUBSTRUCTURE))
        x.XSync(self._display, 0)

    def forget(self) -> None:
        """Drop the events of earlier windows."""
        self._x.XSync(self._display, 1)

    def wait(self, seconds: float) -> None:
        """Return when a window is shown. Raises TimeoutError."""
        end = time.perf_counter() + seconds
        event = ctypes.create_string_buffer(192)
        while (left := end - time.perf_counter()) > 0:
            if not self._x.XPending(self._display):
                select.select([self._x.XConnectionNumber(self._display)], [], [], left)
                continue
            self._x.XNextEvent(self._display, event)
            if int.from_bytes(event.raw[:4], sys.byteorder) == self._MAP_NOTIFY:
                return
        raise TimeoutError("No window was shown.")


def start(command: list[str], profile: Path, screen: str, watch: Watch) -> float:
    """Start the app and stop it. Return the seconds from its start to its window."""
    environment = {**os.environ, "DISPLAY": screen, "QT_QPA_PLATFORM": "xcb"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    watch.forget()
    begun = time.perf_counter()
    program = subprocess.Popen(
        [*command, "--profile", str(profile)], env=environment, cwd=ROOT, stderr=subprocess.DEVNULL
    )
    try:
        watch.wait(60)
        return time.perf_counter() - begun
    finally:
        program.send_signal(signal.SIGTERM)
        program.wait(60)


def main() -> int:
    """Print both medians and their ratio. Return 1 if the frozen app is too slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="the frozen program")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    frozen = [str(options.program.resolve())]
    source = [sys.executable, "-m", "app"]
    taken: dict[str, list[float]] = {"frozen": [], "source": []}
    with display() as screen, tempfile.TemporaryDirectory(prefix="stretto-") as folder:
        watch = Watch(screen)
        for _ in range(options.rounds + 1):
            for name, command in (("frozen", frozen), ("source", source)):
                taken[name].append(start(command, Path(folder) / name, screen, watch))
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
