"""Delays of the event loop while many panes stream, and the cost of streaming."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, Qt, QTimer, Slot

from app.ui.pane.pane import ChatPane
from tests.bench import samples
from tests.bench.bars import Figure, lateness
from tests.bench.drip import Drip
from tests.bench.drive import program
from tests.driving import Driver

QUESTIONS = (
    "Write a long answer about trees",
    "Tell me a long story",
    "Write a long text about Stretto with headings",
    "Show me some Python code and explain it",
)


class Probe(QObject):
    """A precise timer that records its own delays in milliseconds.

    Key presses are delayed by the same amount. On a busy machine it's also late if this thread only
    waited for a core, so `busy_ms` records the CPU time of the thread between two ticks.
    """

    INTERVAL_MS = 5

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []
        self.busy_ms: list[float] = []
        self._used = 0.0
        self._expected = 0.0
        self._timer = QTimer(self, interval=self.INTERVAL_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)

    def start(self) -> None:
        self._expected = time.perf_counter() + self.INTERVAL_MS / 1000
        self._used = time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    @Slot()
    def _on_tick(self) -> None:
        now = time.perf_counter()
        self.late_ms.append(max(0.0, (now - self._expected) * 1000))
        self._expected = now + self.INTERVAL_MS / 1000
        used = time.thread_time()
        self.busy_ms.append((used - self._used) * 1000)
        self._used = used


MODEL_P99_MS = 8.0


def measure(model: str, panes: int, seconds: float) -> list[Figure]:
    """Stream replies of a model in ``panes`` panes, and ask again whenever one has ended."""
    with program(model, size=(1760, 1060)) as driver:
        opened = open_grid(driver, panes)
        streamed = running = looks = 0

        def count(_message: str, text: str, _kind: str) -> None:
            nonlocal streamed
            streamed += len(text)

        for pane in opened:
            pane.chat.text_added.connect(count)
        keep_asking(opened)
        driver.wait(1.5)  # until every pane streams
        streamed = 0
        probe = Probe()
        probe.start()
        begun = time.monotonic()

        def over() -> bool:
            nonlocal running, looks
            keep_asking(opened)
            running += sum(pane.chat.reply.is_active for pane in opened)
            looks += len(opened)
            return time.monotonic() - begun >= seconds

        driver.until(over, seconds + 60)
        took = time.monotonic() - begun
        probe.stop()
    return [
        *lateness("lateness", probe.late_ms, MODEL_P99_MS, None),
        Figure("probes", len(probe.late_ms), ""),
        Figure("probes late by over 50 ms", sum(late > 50 for late in probe.late_ms), ""),
        Figure("time with a running reply", 100 * running / max(looks, 1), "%"),
        Figure("characters per second", streamed / took, ""),
    ]


P99_MS, MAX_MS, CPU_SHARE = 16.0, 50.0, 0.5
_PIECE = 5  # characters per token


def dripping(panes: int, seconds: float, rate: float, characters: int) -> list[Figure]:
    """Stream long answers in ``panes`` panes without a model, ``rate`` tokens per second each.

    Args:
        characters: length of each answer when the measurement starts.
    """

    def text() -> Iterator[str]:
        written = samples.mixed(characters + round((seconds + 60) * rate) * _PIECE)
        yield written[:characters]
        for place in range(characters, len(written), _PIECE):
            yield written[place : place + _PIECE]

    with program(size=(1760, 1060), engine=lambda: Drip(text, rate)) as driver:
        opened = open_grid(driver, panes)
        for pane in opened:
            pane.chat.turn.send("Write")
        driver.wait(8.0)  # until the initial text is shown and highlighted
        probe = Probe()
        probe.start()
        begun, used = time.monotonic(), time.process_time()
        driver.wait(seconds)
        took = time.monotonic() - begun
        share = (time.process_time() - used) / took
        probe.stop()
        answering = sum(pane.chat.reply.is_active for pane in opened)
    return [
        Figure("panes that streamed to the end", answering, ""),
        *lateness("lateness", probe.late_ms, P99_MS, MAX_MS),
        *lateness("of it own work", probe.busy_ms, None, None),
        Figure("cores used by the window", share, "", CPU_SHARE),
    ]


def open_grid(driver: Driver, panes: int) -> list[ChatPane]:
    top = [driver.pane]
    for _ in range((panes + 1) // 2 - 1):
        driver.window.chats.split("right")
        top.append(driver.pane)
    opened = list(top)
    for pane in top[: panes - len(top)]:
        driver.window.workspace.activate(pane)
        driver.window.chats.split("down")
        opened.append(driver.pane)
    return opened


def keep_asking(panes: list[ChatPane]) -> None:
    for number, pane in enumerate(panes):
        if not pane.chat.reply.is_active:
            turn = len(pane.chat.transcript.path) // 2
            pane.chat.turn.send(QUESTIONS[(number + turn) % len(QUESTIONS)])
