"""Delays of the event loop while scrolling and resizing a chat of long answers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QTimer, Slot

from app.settings.paths import Paths
from tests.bench import samples
from tests.bench.bars import Figure, lateness
from tests.bench.drip import Drip
from tests.bench.stalls import Probe
from tests.driving import Driver, program_in

P99_MS = 16.0
_STEP_MS = 16


def measure(messages: int, seconds: float, crowd: samples.Crowd) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="stretto-") as folder:
        paths = Paths.for_profile(Path(folder))
        paths.create()
        samples.write_crowd(paths.chats, crowd)
        chat_id = samples.write_long(paths.chats, messages, characters=4_000)
        with program_in(paths, engine=lambda: Drip(lambda: iter(()), 50)) as driver:
            driver.window.chats.open(chat_id)
            driver.until(lambda: any(p.row for p in driver.pane.transcript.places))
            driver.wait(2)
            steps = round(seconds * 1000 / _STEP_MS)
            bar = driver.pane.transcript.verticalScrollBar()
            scrolled = _probed(driver, _scrolls(steps, lambda by: bar.setValue(bar.value() + by)))
            bar.setValue(bar.maximum() // 2)
            driver.wait(1)
            resized = _probed(driver, _widths(steps, driver))
            model = driver.window.sidebar.model
            library = driver.application.library
            for each in library.order.folders() if library is not None else ():
                model.fold(each.id, False)
            driver.wait(1)
            rows = driver.window.sidebar.list.verticalScrollBar()
            listed = _probed(driver, _scrolls(steps, lambda by: rows.setValue(rows.value() - by)))
    return [
        *lateness("scrolling", scrolled.late_ms, P99_MS, None),
        *lateness("scrolling, of it own work", scrolled.busy_ms, None, None),
        *lateness("resizing", resized.late_ms, P99_MS, None),
        *lateness("resizing, of it own work", resized.busy_ms, None, None),
        *lateness("scrolling the sidebar", listed.late_ms, P99_MS, None),
        *lateness("scrolling the sidebar, of it own work", listed.busy_ms, None, None),
    ]


def _scrolls(steps: int, scroll: Callable[[int], None]) -> Iterator[None]:
    for step in range(steps):
        scroll(-90 if step < steps // 2 else 90)
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
