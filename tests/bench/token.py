"""Latency of a token from the engine's event to the screen."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.ui.transcript.markdown_view import MarkdownView
from tests.bench.bars import Figure, percentile
from tests.bench.drip import Drip
from tests.bench.drive import program

BAR_MS = 33.0
_WIDTH = 6  # characters per token


class Shown(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.at: list[float] = []
        self._painting = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        view = watched.parent()
        if event.type() == QEvent.Type.Paint and isinstance(view, MarkdownView):
            self._painting = view.document().characterCount() // _WIDTH
            QTimer.singleShot(0, self, self._painted)
        return False

    def _painted(self) -> None:
        while len(self.at) < self._painting:
            self.at.append(time.perf_counter())


def measure(tokens: int, rate: float) -> list[Figure]:
    posted: list[float] = []

    def text() -> Iterator[str]:
        for number in range(tokens):
            yield f"{number:0{_WIDTH - 1}d} "

    def on_post(_piece: str) -> None:
        posted.append(time.perf_counter())

    with program(engine=lambda: Drip(text, rate, on_post)) as driver:
        shown = Shown()
        qt = QApplication.instance()
        assert qt is not None
        qt.installEventFilter(shown)
        driver.pane.chat.turn.send("Write")
        driver.until(lambda: not driver.pane.chat.reply.is_active, tokens / rate + 60)
        driver.wait(0.5)
        qt.removeEventFilter(shown)
    took = sorted((at - when) * 1000 for at, when in zip(shown.at, posted, strict=False))
    return [
        Figure(f"{len(took)} tokens to the screen, median", percentile(took, 0.5), "ms", BAR_MS),
        Figure("p99", percentile(took, 0.99), "ms"),
        Figure("max", took[-1] if took else 0.0, "ms"),
    ]
