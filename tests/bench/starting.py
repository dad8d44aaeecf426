"""Startup times: from process start to the window, and until every chat can be used."""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from app.settings.paths import Paths
from tests.bench.bars import Figure

WINDOW_S, USABLE_S = 0.4, 1.0
_CHATS = 20


def measure(rounds: int) -> list[Figure]:
    """Start with an empty profile, one chat and 20 chats, after a warm-up start of each."""
    with tempfile.TemporaryDirectory(prefix="stretto-") as folder:
        empty = [_start(Path(folder) / f"empty{number}") for number in range(rounds + 1)]
        one = [_start(Path(folder) / "empty0") for _ in range(rounds + 1)]
        full = Path(folder) / "full"
        _start(full, fill=_CHATS)
        again = [_start(full) for _ in range(rounds + 1)]
    assert {run["panes"] for run in again} == {_CHATS}

    def median(runs: list[dict[str, float]], what: str) -> float:
        return statistics.median(run[what] for run in runs[1:])

    return [
        Figure("process to window, a new profile", median(empty, "window"), "s", WINDOW_S),
        Figure("process to window, one open chat", median(one, "window"), "s", WINDOW_S),
        Figure(f"process to window, {_CHATS} open chats", median(again, "window"), "s", WINDOW_S),
        Figure(f"{_CHATS} open chats usable", median(again, "usable"), "s", USABLE_S),
    ]


def _start(profile: Path, fill: int = 0) -> dict[str, float]:
    command = [sys.executable, "-m", __name__, str(profile), "--fill", str(fill)]
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    # Like a user's second start, with compiled modules.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.time()
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, timeout=180
    )
    told: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {**told, "window": told["window"] - begun, "usable": told["usable"] - begun}


def child() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("profile", type=Path)
    parser.add_argument("--fill", type=int, default=0)
    options = parser.parse_args()
    gc.disable()
    from app.system import pyside

    pyside.skip_source_reading()
    from PySide6.QtCore import QEvent, QObject

    from app.program.application import Application, make_qt
    from app.ui.window.main_window import MainWindow

    class FirstPaint(QObject):
        at = 0.0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and not self.at:
                self.at = time.time()
                watched.removeEventFilter(self)
            return False

    qt = make_qt(["stretto"])
    painted = FirstPaint()
    show = MainWindow.show_restored

    def watch(window: MainWindow) -> None:
        # An event filter on the whole application would cost 20 ms for objects unknown to PySide.
        window.installEventFilter(painted)
        show(window)

    MainWindow.show_restored = watch  # type: ignore[method-assign]
    application = Application(qt, Paths.for_profile(options.profile))
    application.start()
    window = application.window
    assert window is not None
    while not painted.at:
        qt.processEvents()
    first = painted.at
    if options.fill:
        from tests.bench import samples

        window.resize(1440, 900)
        for number in range(options.fill):
            window.chats.split("right" if number in (5, 10) else "down" if number == 15 else "tab")
            pane = window.workspace.active
            assert pane is not None
            pane.composer.set_text(samples.CODE[: 40 + number])
        for pane in window.workspace.panes()[options.fill :]:
            window.workspace.close_pane(pane)
    else:
        # Usable: the store has been read and shown, and a key press would be handled.
        while not all(p.chat.transcript is not None for p in window.workspace.panes()):
            qt.processEvents()
        qt.processEvents()
    usable = time.time()
    panes = len(window.workspace.panes())
    application.shut_down()
    print(json.dumps({"window": first, "usable": usable, "panes": panes}))
    return 0


if __name__ == "__main__":
    sys.exit(child())
