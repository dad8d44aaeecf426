"""How long the event loop is held up while many panes stream at once."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Slot

from app.bench.drive import Driver, program
from app.ui.pane import ChatPane

QUESTIONS = (
    "Write a long answer about trees",
    "Tell me a long story",
    "Write a long text about Stretto with headings",
    "Show me some Python code and explain it",
)


class Probe(QObject):
    """A precise timer that notes how late it was, in milliseconds.

    What is late here is late for a key press as well.
    """

    INTERVAL_MS = 5

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []
        self._expected = 0.0
        self._timer = QTimer(self, interval=self.INTERVAL_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)

    def start(self) -> None:
        self._expected = time.perf_counter() + self.INTERVAL_MS / 1000
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    @Slot()
    def _on_tick(self) -> None:
        now = time.perf_counter()
        self.late_ms.append(max(0.0, (now - self._expected) * 1000))
        self._expected = now + self.INTERVAL_MS / 1000


@dataclass(frozen=True)
class StallReport:
    """Lateness of the event loop in ms, over ``probes`` looks while ``panes`` panes streamed.

    Attributes:
        share_streaming: how much of the time, averaged over the panes, an answer was running.
        characters_per_s: text shown per second, of all panes together.
    """

    panes: int
    seconds: float
    probes: int
    p50_ms: float
    p90_ms: float
    p99_ms: float
    max_ms: float
    over_50_ms: int
    share_streaming: float
    characters_per_s: float

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


def percentile(ordered: list[float], share: float) -> float:
    """The value below which ``share`` of the ordered values lie (nearest rank)."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def measure(model: str, panes: int, seconds: float) -> StallReport:
    """Open ``panes`` panes, keep every one of them answering, and probe for ``seconds``."""
    with program(model, size=(1760, 1060)) as driver:
        opened = _open(driver, panes)
        streamed = 0
        running = looks = 0

        def count(_message: str, text: str, _kind: str) -> None:
            nonlocal streamed
            streamed += len(text)

        for pane in opened:
            pane.controller.text_added.connect(count)
        _keep_asking(opened)
        driver.wait(1.5)  # until all have begun
        streamed = 0
        probe = Probe()
        probe.start()
        begun = time.monotonic()

        def over() -> bool:
            nonlocal running, looks
            _keep_asking(opened)
            running += sum(pane.controller.answering for pane in opened)
            looks += len(opened)
            return time.monotonic() - begun >= seconds

        driver.until(over, seconds + 60)
        took = time.monotonic() - begun
        probe.stop()
        late = sorted(probe.late_ms)
    return StallReport(
        panes=panes,
        seconds=round(took, 1),
        probes=len(late),
        p50_ms=round(percentile(late, 0.5), 2),
        p90_ms=round(percentile(late, 0.9), 2),
        p99_ms=round(percentile(late, 0.99), 2),
        max_ms=round(late[-1] if late else 0.0, 2),
        over_50_ms=sum(value > 50 for value in late),
        share_streaming=round(running / max(looks, 1), 2),
        characters_per_s=round(streamed / took, 1),
    )


def _open(driver: Driver, panes: int) -> list[ChatPane]:
    """A grid of two rows."""
    top = [driver.pane]
    for _ in range((panes + 1) // 2 - 1):
        driver.window.split("right")
        top.append(driver.pane)
    opened = list(top)
    for pane in top[: panes - len(top)]:
        driver.window.workspace.activate(pane)
        driver.window.split("down")
        opened.append(driver.pane)
    return opened


def _keep_asking(panes: list[ChatPane]) -> None:
    for number, pane in enumerate(panes):
        if not pane.controller.answering:
            turn = len(pane.controller.transcript.path) // 2
            pane.controller.send(QUESTIONS[(number + turn) % len(QUESTIONS)])
