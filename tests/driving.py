"""Run the whole program from a script, on its own profile and without a screen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QApplication

from app.models.loading import LoadState
from app.program.application import Application, make_engine, make_qt
from app.settings import translation
from app.settings.paths import GUIDE, Paths
from app.settings.settings import Settings
from app.ui.pane.pane import ChatPane
from app.ui.window.main_window import MainWindow
from tests.waiting import wait_until

if TYPE_CHECKING:
    from engine import Engine


@contextmanager
def program_in(
    paths: Paths,
    model: str = GUIDE,
    size: tuple[int, int] = (1440, 900),
    # creates a fake engine; None uses the real engine
    engine: Callable[[], object] | None = None,
) -> Iterator[Driver]:
    """Run the program on a profile. The profile is kept afterwards."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    # otherwise measurements depend on the machine's language
    os.environ.setdefault(translation.ENVIRONMENT, "en")
    running = QApplication.instance()  # left by a previous program
    qt = running if isinstance(running, QApplication) else make_qt(["stretto"])
    paths.create()
    Settings(model=model, appearance="light").save(paths.settings)

    def stand_in(_paths: Paths, _settings: Settings) -> Engine:
        assert engine is not None
        return cast("Engine", engine())

    application = Application(qt, paths, stand_in if engine is not None else make_engine)
    application.start()
    driver = Driver(application)
    try:
        # until then the window fits itself to the screen
        driver.until(lambda: qt.activeWindow() is not None)
        driver.window.resize(*size)
        ends = (LoadState.READY, LoadState.FAILED)
        driver.until(lambda: driver.pane.chat.model.status.state in ends, 120)
        if driver.pane.chat.model.status.state is not LoadState.READY:
            raise RuntimeError(driver.pane.notice.text)
        yield driver
    finally:
        application.shut_down()


class Driver:
    def __init__(self, application: Application) -> None:
        self.application = application

    @property
    def window(self) -> MainWindow:
        window = self.application.window
        if window is None:
            raise RuntimeError("The window is gone.")
        return window

    @property
    def pane(self) -> ChatPane:
        pane = self.window.workspace.active
        if pane is None:
            raise RuntimeError("No pane is open.")
        return pane

    def until(self, condition: Callable[[], bool], timeout_s: float = 60) -> None:
        wait_until(condition, timeout_s)

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() >= end, seconds + 60)
