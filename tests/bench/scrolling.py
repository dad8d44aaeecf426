"""Delays of the event loop while scrolling and resizing a chat of long answers."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QScrollBar

from tests.bench import samples
from tests.bench.bars import Figure, lateness
from tests.bench.drip import Drip
from tests.bench.drive import program
from tests.bench.stalls import Probe
from tests.driving import Driver

P99_MS = 16.0
_STEP_MS = 16


def measure(messages: int, seconds: float) -> list[Figure]:
    with program(
        engine=lambda: Drip(lambda: iter(()), 50),
        fill=lambda file: samples.write_long(file, messages, characters=4_000),
    ) as driver:
        library = driver.application.library
        driver.window.chats.open(library.chats()[0].id)
        driver.until(lambda: any(p.row for p in driver.pane.transcript.places))
        driver.wait(2)
        steps = round(seconds * 1000 / _STEP_MS)
        bar = driver.pane.transcript.verticalScrollBar()
        scrolled = _probed(driver, _scrolls(steps, bar))
        bar.setValue(bar.maximum() // 2)
        driver.wait(1)
        resized = _probed(driver, _widths(steps, driver))
    return [
        *lateness("scrolling", scrolled.late_ms, P99_MS, None),
        *lateness("scrolling, of it own work", scrolled.busy_ms, None, None),
        *lateness("resizing", resized.late_ms, P99_MS, None),
        *lateness("resizing, of it own work", resized.busy_ms, None, None),
    ]


def _scrolls(steps: int, bar: QScrollBar) -> Iterator[None]:
    for step in range(steps):
        bar.setValue(bar.value() + (-90 if step < steps // 2 else 90))
        yield


def _widths(steps: int, driver: Driver) -> Iterator[None]:
    height = driver.window.height()
    for step in range(steps):
        way = step * 8 % 1200
        driver.window.resize(900 + (way if way < 600 else 1200 - way), height)
        yield


def _probed(driver: Driver, steps: Iterator[None]) -> Probe:
    done = False

    @Slot()
    def step() -> None:
        nonlocal done
        if next(steps, True):
            done = True

    timer = QTimer(interval=_STEP_MS)
    timer.timeout.connect(step)
    probe = Probe()
    probe.start()
    timer.start()
    driver.until(lambda: done, 300)
    timer.stop()
    probe.stop()
    return probe
