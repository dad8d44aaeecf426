"""Time from opening a chat of 10,000 messages until it is painted."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QObject
from PySide6.QtWidgets import QApplication

from app.ui.transcript.markdown_view import MarkdownView
from tests.bench import samples
from tests.bench.bars import Figure
from tests.bench.drip import Drip
from tests.bench.drive import program
from tests.driving import Driver

BAR_MS = 150.0


class Painted(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.seen = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched.parent(), MarkdownView):
            self.seen = True
        return False


def measure(messages: int, chats: int) -> list[Figure]:
    ids: list[str] = []

    def fill(file: Path) -> None:
        ids.extend(samples.write_long(file, messages) for _ in range(chats))

    with program(engine=lambda: Drip(lambda: iter(()), 50), fill=fill) as driver:
        took = [_open(driver, chat_id) for chat_id in ids]
    return [
        Figure(f"{messages:,} messages, the first chat", took[0], "ms", BAR_MS),
        Figure("each, median", statistics.median(took), "ms", BAR_MS),
    ]


def _open(driver: Driver, chat_id: str) -> float:
    painted = Painted()
    qt = QApplication.instance()
    assert qt is not None
    qt.installEventFilter(painted)
    begun = time.perf_counter()
    driver.window.chats.open(chat_id)
    while not painted.seen:
        # Waiting as in exec(): a busy loop would hold the GIL that the reading thread needs.
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.perf_counter() - begun > 60:
            raise TimeoutError("The chat was not painted within 60 s.")
    took = (time.perf_counter() - begun) * 1000
    qt.removeEventFilter(painted)
    driver.wait(0.5)
    return took
