"""Pictures for the README: an animation of four panes of the real program, and two screenshots.

Key events type the messages and send them one after the other, so that all chats reply at the same
time. The animation plays at recording speed, showing each frame for as long as it was on screen.
Once the replies have ended, the window is saved at twice its size, in light and dark.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.ui.pane.pane import ChatPane
from app.ui.style.theme import theme
from tests.driving import Driver

SIZE = (1180, 720)
QUESTIONS = (
    "Explain how rain forms in a few sentences",
    "Give me three tips for better sleep",
    "Write a haiku about the sea",
    "Write a Python function that reverses a list",
)
MORE = ("What does a compiler do?", "Why is the sky blue?")  # for panes whose reply has ended
SECONDS = 9.0  # maximum length
LIMIT = 3_000_000  # bytes
_FRAME_MS = 100
_KEY_S = 0.012
_LAST_MS = 1_600  # duration of the last frame


def ask(driver: Driver, pane: ChatPane, text: str) -> None:
    write(driver, pane, text)
    send(pane)


def write(driver: Driver, pane: ChatPane, text: str) -> None:
    pane.composer.field.setFocus()
    for letter in text:
        QTest.keyClicks(pane.composer.field, letter)
        driver.wait(_KEY_S)


def send(pane: ChatPane) -> None:
    pane.composer.field.setFocus()
    QTest.keyClick(pane.composer.field, Qt.Key.Key_Return)


def answering(pane: ChatPane) -> bool:
    return pane.composer.button.stops


def film(driver: Driver, path: Path) -> None:
    """Write the animation to ``path``, and ``light.webp`` and ``dark.webp`` next to it."""
    driver.window.toggle_sidebar()
    panes = _four_panes(driver)
    driver.wait(0.3)
    with (
        tempfile.TemporaryDirectory(prefix="stretto-film-") as folder,
        _filming(driver.window, Path(folder)) as frames,
    ):
        end = time.monotonic() + SECONDS
        driver.wait(0.3)
        for pane, question in zip(panes, QUESTIONS, strict=True):
            write(driver, pane, question)
        for pane in panes:
            send(pane)
            driver.wait(0.2)
        for question in MORE:
            driver.until(lambda: not all(map(answering, panes)) or time.monotonic() > end)
            idle = next((pane for pane in panes if not answering(pane)), None)
            if idle is not None:
                ask(driver, idle, question)
        driver.until(lambda: not any(map(answering, panes)) or time.monotonic() > end)
        driver.wait(0.3)
        files, lengths = zip(*frames(), strict=True)
        first, *rest = map(Image.open, files)
        options = {"lossless": True, "minimize_size": True, "loop": 0}
        first.save(path, save_all=True, append_images=rest, duration=lengths, **options)
    size = path.stat().st_size
    if size > LIMIT:
        raise RuntimeError(f"{path.name} has {size:,} bytes; {LIMIT:,} are allowed.")
    driver.until(lambda: not any(map(answering, panes)), 120)
    driver.window.toggle_sidebar()
    for look in ("light", "dark"):
        theme().set_appearance(look)
        driver.wait(0.5)
        _save_sharp(driver.window, path.with_name(f"{look}.webp"))


def _save_sharp(widget: QWidget, path: Path) -> None:
    image = QImage(widget.size() * 2, QImage.Format.Format_RGB888)
    image.setDevicePixelRatio(2)
    widget.render(image)
    image.save(str(path.with_suffix(".png")))
    Image.open(path.with_suffix(".png")).save(path, lossless=True)
    path.with_suffix(".png").unlink()


def _four_panes(driver: Driver) -> list[ChatPane]:
    panes = [driver.pane]
    for where in ("right", "right", "down"):
        driver.window.chats.split(where)
        panes.append(driver.pane)
    return panes


@contextmanager
def _filming(widget: QWidget, folder: Path) -> Iterator[Callable[[], list[tuple[Path, int]]]]:
    taken: list[tuple[Path, float]] = []

    def take() -> None:
        path = folder / f"{len(taken):04}.bmp"
        taken.append((path, time.monotonic()))
        widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888).save(str(path))

    def frames() -> list[tuple[Path, int]]:
        timer.stop()
        moments = [moment for _, moment in taken]
        lengths = [round((b - a) * 1e3) for a, b in itertools.pairwise(moments)]
        return [(path, ms) for (path, _), ms in zip(taken, [*lengths, _LAST_MS], strict=True)]

    timer = QTimer(widget, interval=_FRAME_MS, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(take)
    timer.start()
    try:
        yield frames
    finally:
        timer.stop()
